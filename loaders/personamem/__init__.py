"""Reading PersonaMem datasets, ours and the official releases, and scoring answers."""
