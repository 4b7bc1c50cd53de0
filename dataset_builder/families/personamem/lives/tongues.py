"""Tongues: nobody has a text put into their own mother tongue."""

import re
from functools import cache, lru_cache

from personamem.dataset_builder.core.content_yaml import read_yaml
from personamem.dataset_builder.families.personamem.lives.need import CONTENT


@lru_cache(maxsize=1 << 16)
def names_tongue(text: str, country: str) -> bool:
    """Return whether a text names a language that people of a country speak anyway."""
    pattern = _compile(country)
    return bool(pattern and pattern.search(text))


@cache
def _compile(country: str) -> re.Pattern[str] | None:
    names = read_yaml(CONTENT / "tongues.yaml").get(country)
    return re.compile(rf"\b(?:{'|'.join(names)})\b", re.IGNORECASE) if names else None
