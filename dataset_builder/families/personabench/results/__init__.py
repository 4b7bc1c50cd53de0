"""Results of evaluations on open questions: read, put side by side, drawn."""
