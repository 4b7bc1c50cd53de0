"""How people type: everybody in one manner, whatever thread their words come from.

Threads of the content are typed with capitals or without them. Where one document takes from two
threads, or one person from several, the manner would change in the middle.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from random import Random

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personabench.attributes import attribute_packs
from personamem.dataset_builder.families.personabench.outline import Turn
from personamem.dataset_builder.families.personabench.shared_content import load_content

_IN_LOWER_CASE = 0.55
"""The share of people who type without capitals."""

_ANOTHER = ("Btw", "Oh and", "Also,", "Other thing,", "Something else,", "By the way,")
"""How people come to speak of something else."""

_STARTS = re.compile(r"(?:\A|(?<=[.?!] ))([A-Za-z][\w'\u2019]*)")
_I = re.compile(r"(?<![\w.'])[Ii](?=[ ,.?!]|'(?:m|ve|d|ll)\b|\Z)")
_LAST_STOP = re.compile(r"(?<![.?!])\.\Z")
_WORDS = re.compile(r"(?<=[a-z,;:] )[a-z][a-z'\u2019]*")


@cache
def types_in_lower_case(name: str) -> bool:
    """Return whether a person types without capitals; the same in all archives."""
    return make_rng(0, "typing", name).random() < _IN_LOWER_CASE


def type_like(text: str, in_lower_case: bool, kept: Iterable[str] = ()) -> str:
    """Return a message typed in a manner; none of the texts ``kept`` loses its capitals."""
    if not in_lower_case:
        return _I.sub("I", _STARTS.sub(lambda found: _capitalise(found[1]), text))
    places = [range(at, at + len(value)) for value in kept for at in _find(text, value)]

    def lower(found: re.Match[str]) -> str:
        is_kept = any(found.start() in place for place in places)
        return found[1] if is_kept or found[1].lower() not in _common() else found[1].lower()

    return _LAST_STOP.sub("", _I.sub("i", _STARTS.sub(lower, text)))


def type_all(turns: Iterable[Turn], user: str, partner: str = "") -> tuple[Turn, ...]:
    """Return the messages of a document, typed as ``user`` and ``partner`` do.

    Without a partner, the other one is an assistant, whose messages stay as they are.
    """
    return tuple(_type(turn, user if turn.is_users else partner) for turn in turns)


def join_threads(threads: Iterable[Sequence[Turn]], random: Random) -> Iterator[Turn]:
    """Yield the messages of threads one after the other; who starts another one says so."""
    for number, (opening, *rest) in enumerate(threads):
        if number:
            first, *others = opening.parts
            meant = (*first.matter.values, *first.matter.people)
            text = f"{random.choice(_ANOTHER)} {type_like(first.text, True, meant)}"
            opening = replace(opening, parts=(replace(first, text=text), *others))
        yield opening
        yield from rest


def _type(turn: Turn, name: str) -> Turn:
    if not name:
        return turn
    manner = types_in_lower_case(name)
    parts = (
        replace(part, text=type_like(part.text, manner, (*part.matter.values, *part.matter.people)))
        for part in turn.parts
    )
    return Turn(turn.is_users, tuple(parts))


def _capitalise(word: str) -> str:
    return word[0].upper() + word[1:]


def _find(text: str, value: str) -> Iterator[int]:
    return (found.start() for found in re.finditer(re.escape(value), text, re.IGNORECASE))


@cache
def _common() -> frozenset[str]:
    """Return the words that threads write without a capital: no names of people or things."""
    content = load_content()
    threads = [*content.relations.conversation, *content.talk]
    for pack in attribute_packs().values():
        threads += [*pack.conversation, *pack.updates, *pack.noise.talk, *pack.noise.others]
    texts = " ".join(message for thread in threads for message in thread.messages)
    return frozenset(_WORDS.findall(texts)) | {"i'm", "i've", "i'd", "i'll"}
