"""The lm-eval tasks of PersonaBench datasets."""
