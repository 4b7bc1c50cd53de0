"""Tasks on PersonaLens datasets: which of four replies fits the user."""
