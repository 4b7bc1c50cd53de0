"""The audit of PersonaMem datasets: structure, counts, and truth against the world."""
