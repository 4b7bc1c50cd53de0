"""Prompts: templates of chat models, rendering, references to messages, windows."""
