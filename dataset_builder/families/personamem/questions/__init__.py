"""Questions: balanced quads and the rows they become in each persona's context."""
