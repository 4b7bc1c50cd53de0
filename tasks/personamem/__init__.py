"""The lm-eval tasks of PersonaMem datasets."""
