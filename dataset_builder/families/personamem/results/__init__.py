"""Results of evaluations on multiple choice: read, compared, drawn."""
