"""Sessions and options written by a chat model: prompts and checks."""
