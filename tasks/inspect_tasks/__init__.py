"""What inspect-ai finds by the entry point of the package."""
