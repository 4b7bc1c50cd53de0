"""What a server says it has read, and how much of that it found in its cache."""

from collections.abc import Mapping
from typing import Any


class Usage:
    """Sums of the ``usage`` objects of replies; ``cached`` is None until a server reports it."""

    def __init__(self) -> None:
        """Start at nothing."""
        self.replies = 0
        self.prompt = 0
        self.completion = 0
        self.cached: int | None = None

    def add(self, reply: Mapping[str, Any]) -> None:
        """Add one reply, whose usage may be missing."""
        usage = reply.get("usage")
        self.replies += 1
        if not isinstance(usage, Mapping):
            return
        self.prompt += _number(usage.get("prompt_tokens"))
        self.completion += _number(usage.get("completion_tokens"))
        details = usage.get("prompt_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
        if cached is None:
            cached = usage.get("prompt_cache_hit_tokens")
        if cached is not None:
            self.cached = (self.cached or 0) + _number(cached)

    def describe(self) -> str:
        """Return one line: prompt tokens, and those of them that were cached."""
        if not self.prompt:
            return f"{self.replies:,} replies; the server reports no token counts"
        if self.cached is None:
            return f"prompt tokens {self.prompt:,}; the server does not report cached ones"
        share = 100 * self.cached / self.prompt
        return f"prompt tokens {self.prompt:,}, of them cached {self.cached:,} ({share:.1f} %)"


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
