"""Judging open replies to the second release's questions by a chat model."""
