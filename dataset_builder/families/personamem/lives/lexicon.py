"""The lexicon: which choices of which needs a chat names.

Where evidence is implied, nothing in a context names a candidate, not even a chat that fills it.
"""

import re
from collections.abc import Iterator, Set
from functools import cache

from personamem.dataset_builder.families.personamem.lives.bank import get_need, list_need_ids
from personamem.dataset_builder.families.personamem.lives.events import ChoiceId
from personamem.dataset_builder.fillers import Chat

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_ENDINGS = ("", "s", "es", "ed", "ing", "'s")
"""What may follow a term, as in ``rules.NameFinder``."""

Entries = tuple[tuple[tuple[str, ...], ChoiceId], ...]
"""The words of a term after the first, the last in each of its forms, and the choice."""


@cache
def find_named(chat: Chat) -> frozenset[ChoiceId]:
    """Return the choices that a chat names; each chat is searched once a process."""
    return frozenset(choice_id for text in chat.messages for _, choice_id in _find_terms(text))


def find_term(text: str, choices: Set[ChoiceId]) -> str:
    """Return the first words of a text, in lower case, that name one of ``choices``, or ""."""
    return next((words for words, choice_id in _find_terms(text) if choice_id in choices), "")


def _find_terms(text: str) -> Iterator[tuple[str, ChoiceId]]:
    """Yield what a text names, and in which words."""
    lexicon = _make_lexicon()
    words = [word.lower().replace("\u2019", "'") for word in _WORD.findall(text)]
    for place, word in enumerate(words):
        for rest, choice_id in lexicon.get(word, ()):
            if tuple(words[place + 1 : place + 1 + len(rest)]) == rest:
                yield " ".join((word, *rest)), choice_id


@cache
def _make_lexicon() -> dict[str, Entries]:
    entries: dict[str, list[tuple[tuple[str, ...], ChoiceId]]] = {}
    for need_id in list_need_ids():
        for choice in get_need(need_id).choices:
            for term in choice.terms:
                words = _WORD.findall(term.lower())
                for ending in _ENDINGS:
                    first, *rest = (*words[:-1], words[-1] + ending)
                    entries.setdefault(first, []).append((tuple(rest), (need_id, choice.key)))
    return {first: tuple(dict.fromkeys(found)) for first, found in entries.items()}
