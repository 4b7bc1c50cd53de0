"""Tasks and models of lm-eval."""
