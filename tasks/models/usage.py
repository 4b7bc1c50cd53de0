"""The tokens that a server reports to have read, and how many of them were in its cache."""

from collections.abc import Mapping
from typing import Any

from personamem.loaders.formats.usage import read_token_counts


class Usage:
    """Sums of the token counts of replies; ``cached`` is None until a server reports it.

    ``unknown`` counts the replies without a usable number of prompt tokens.
    """

    def __init__(self) -> None:
        """Start at zero."""
        self.replies = 0
        self.unknown = 0
        self.prompt = 0
        self.completion = 0
        self.cached: int | None = None

    def add(self, reply: Mapping[str, Any]) -> None:
        """Add one reply, whose counts may be missing."""
        counts = read_token_counts(reply)
        self.replies += 1
        self.unknown += counts.prompt is None
        self.prompt += counts.prompt or 0
        self.completion += counts.completion or 0
        if counts.cached is not None:
            self.cached = (self.cached or 0) + counts.cached

    def describe(self) -> str:
        """Return one line: prompt tokens, and those of them that were cached."""
        if not self.prompt:
            return f"{self.replies:,} replies; the server reports no token counts"
        total = f"prompt tokens {self.prompt:,}"
        if self.unknown:
            total += f" (without {self.unknown:,} of {self.replies:,} replies, which report none)"
        if self.cached is None:
            return f"{total}; the server does not report cached ones"
        share = 100 * self.cached / self.prompt
        return f"{total}, of them cached {self.cached:,} ({share:.1f} %)"
