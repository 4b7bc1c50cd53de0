"""Sexes: whether those whom a text names by a slot are spoken of as "she" or as "he"."""

import re
from collections import Counter
from functools import lru_cache

_NEAR = 120
"""Letters after a name within which a pronoun is taken to mean it."""

_PRONOUN = re.compile(
    r"\b(?:(?P<she>she|her|hers|herself)|(?P<he>he|him|his|himself))\b", re.IGNORECASE
)
_TITLE = re.compile(
    r"\b(?:(?P<she>sister|aunt|mum|mother|wife|daughter|niece|girlfriend|grandma|madame|miss)"
    r"|(?P<he>father|brother|uncle|dad|husband|son|nephew|boyfriend|grandpa|monsieur))\s\Z",
    re.IGNORECASE,
)
_ANYBODY = re.compile(r"\{(?:first_name|other_name|who|name)\}", re.IGNORECASE)


@lru_cache(maxsize=1 << 14)
def find_sex(texts: tuple[str, ...], slot: str) -> str:
    """Return "she" or "he" as the texts of an exchange speak of a slot's name, else "".

    What counts is the word before the name, and the first pronoun after it up to the next name. If
    nobody else is named, any pronoun will do.
    """
    votes: Counter[str] = Counter()
    place = f"{{{slot}}}"
    for text in texts:
        start = text.find(place)
        while start >= 0:
            end = start + len(place)
            found = _TITLE.search(text, 0, start)
            if not found:
                following = _ANYBODY.search(text, end)
                stop = min(end + _NEAR, following.start() if following else len(text))
                found = _PRONOUN.search(text, end, stop)
            if found:
                votes[str(found.lastgroup)] += 1
            start = text.find(place, end)
    if not votes and {name.lower() for text in texts for name in _ANYBODY.findall(text)} == {place}:
        votes.update(str(found.lastgroup) for text in texts for found in _PRONOUN.finditer(text))
    ranked = votes.most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return ""
    return ranked[0][0]
