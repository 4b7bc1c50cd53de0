"""Documents written by a chat model: prompts and checks."""
