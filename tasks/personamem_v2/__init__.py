"""The lm-eval tasks of the official second release."""
