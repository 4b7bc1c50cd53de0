"""Grading open replies: what a judge is told, and how its verdict is read."""
