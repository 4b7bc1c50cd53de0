"""The audit: whether a benchmark measures memory, and nothing else."""
