"""Everyday chats written by a chat model: subjects, prompts and checks."""
