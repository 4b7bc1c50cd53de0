"""Lives: decisions that come back in a life, and texts from which a choice can be understood."""
