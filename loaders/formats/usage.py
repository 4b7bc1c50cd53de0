"""The numbers of tokens that a server reports with a reply."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST_TOKENS = 10**9
"""No prompt and no answer has as many; larger numbers are a server's mistake."""


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Tokens of one reply; None is unknown.

    Args:
        prompt: tokens that were read, cached ones included.
        completion: tokens that were written.
        cached: those tokens of the prompt that were in the server's cache.
    """

    prompt: int | None
    completion: int | None
    cached: int | None


def read_token_counts(reply: Mapping[str, Any]) -> TokenCounts:
    """Return the counts in a reply's ``usage``; what is missing or absurd is unknown.

    Cached tokens are ``prompt_tokens_details.cached_tokens`` (OpenAI, vLLM, SGLang) or
    ``prompt_cache_hit_tokens`` (DeepSeek).
    """
    usage = reply.get("usage")
    if not isinstance(usage, Mapping):
        return TokenCounts(None, None, None)
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    if cached is None:
        cached = usage.get("prompt_cache_hit_tokens")
    return TokenCounts(
        prompt=_read_count(usage.get("prompt_tokens")),
        completion=_read_count(usage.get("completion_tokens")),
        cached=_read_count(cached),
    )


def _read_count(value: object) -> int | None:
    # A bool is an int too.
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None
