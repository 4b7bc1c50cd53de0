"""Text from a chat model, item by item, each held to its plan before it is used."""
