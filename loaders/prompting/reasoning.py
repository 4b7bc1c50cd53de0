"""Telling what a reasoning model replies from what it thinks before."""

import re

_START = re.compile(r"\s*<think(?:ing)?>")
_END = re.compile(r".*</think(?:ing)?>", re.DOTALL)


def strip_reasoning(text: str) -> str | None:
    """Return the reply behind ``</think>``; None if the text never leaves its ``<think>``."""
    if _START.match(text) and _END.match(text) is None:
        return None
    return _END.sub("", text).strip()
