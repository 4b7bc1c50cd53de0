"""Exporting datasets: rows for training, and the columns of the second release."""
