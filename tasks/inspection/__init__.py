"""The tasks of lm-eval as tasks of inspect-ai: the same prompts, replies read by the same code."""
