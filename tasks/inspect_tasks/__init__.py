"""The tasks that inspect-ai finds under ``personamem/``."""
