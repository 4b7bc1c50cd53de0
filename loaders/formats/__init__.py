"""Formats that builder, loaders and tasks share; the lowest layer."""
