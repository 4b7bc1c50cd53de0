"""Commands that test memory systems, without a reader."""
