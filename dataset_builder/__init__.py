"""Build PersonaMem benchmarks from a simulated world in which every answer is provable."""
