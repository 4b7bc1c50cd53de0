"""Rules on the wording of attribute packs, and how words are found in texts."""

import re
from functools import cache

from personamem.dataset_builder.core.content_yaml import template
from personamem.dataset_builder.core.grammar import Choice, Parts, Slot

RELATION_WORDS = (
    "sister",
    "brother",
    "sibling",
    "wife",
    "husband",
    "spouse",
    "mother",
    "mum",
    "mom",
    "father",
    "dad",
    "parents",
    "daughter",
    "son",
    "cousin",
    "colleague",
    "coworker",
    "neighbor",
    "neighbour",
    "friend",
    "landlord",
    "landlady",
    "tenant",
    "tutor",
    "pupil",
)
"""Words that say how two people are related: documents that reveal an attribute have none."""

_FAVOURITE = r"\bmy (?:all-time )?favou?rite"
_BEING = r"\bI(?:'m| am)(?: an?)? {0}|\bI (?:was|am) (?:a|an) {0}"
_OWNING = r"\bmy [\w' -]{{1,30}} (?:is|are) (?:an? )?{0}"

_FLAT = re.compile(
    "|".join((_FAVOURITE, _BEING.format(r"\{"), _OWNING.format(r"\{(?:a:|cap:)?(?:value|key)\}"))),
    re.IGNORECASE,
)


def check_indirect(source: str) -> str:
    """Return a hint that does not state its value flatly. Raises ValueError for one that does."""
    found = _FLAT.search(source)
    if found:
        raise ValueError(
            f"{found[0]!r} states the value flatly in {source!r}; accepted: something that "
            "happens, in which the value occurs"
        )
    return source


def find_flat(text: str, value: str) -> str | None:
    """Return the words with which a text states ``value`` flatly, as no hint may, if it does."""
    named = rf"{re.escape(value)}(?!\w)"
    flat = "|".join((_FAVOURITE, _BEING.format(named), _OWNING.format(named)))
    found = re.search(flat, text, re.IGNORECASE)
    return found[0] if found else None


def check_always(where: str, source: str, slot: str) -> None:
    """Raise ValueError unless every rendering of ``source`` holds ``slot``."""
    if not _holds_always(template(source).parts, slot):
        raise ValueError(f"{where} must hold {{{slot}}} in every alternative: {source!r}")


def _holds_always(parts: Parts, slot: str) -> bool:
    return any(
        (isinstance(part, Slot) and part.name == slot)
        or (isinstance(part, Choice) and all(_holds_always(way, slot) for way in part.options))
        for part in parts
    )


def contains_words(text: str, words: str) -> bool:
    """Return whether ``words`` stand in ``text`` as whole words, plurals included, in any case."""
    return words.casefold() in text.casefold() and _pattern(words).search(text) is not None


@cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(words)}s?(?!\w)", re.IGNORECASE)
