"""The audit of PersonaBench datasets: documents against the world."""
