"""Memories over private documents."""
