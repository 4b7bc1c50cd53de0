"""The simulated world: the only source of truth of a benchmark."""
