"""lm-eval models that read a context once, however many questions share it."""
