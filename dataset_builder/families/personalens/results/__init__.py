"""Results of PersonaLens dialogues: logs of inspect-ai read, summed up, and compared."""
