"""The small template language in which all embedded text is written.

A template is plain text with two constructs:

* ``[one|two|three]`` picks one alternative with equal chance; alternatives nest and may be empty.
* ``{slot}`` inserts a value; ``{cap:slot}`` with a capital first letter, ``{a:slot}`` with its
  indefinite article.

A template is parsed once into a tree of tuples and rendered many times: rendering is the inner loop
of a build, so it touches nothing but that tree, a random source and the slot values.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from personamem.loaders.formats.errors import InvalidInputError

_TOKEN = re.compile(r"(\{(?:cap:|a:)?[A-Za-z_]+\}|[\[\]|{}])")


@dataclass(frozen=True, slots=True)
class Slot:
    """A named hole in a template, with an optional filter (``cap`` or ``a``)."""

    name: str
    filter: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives, each a sequence of parts."""

    options: tuple[tuple["str | Slot | Choice", ...], ...]


Part = str | Slot | Choice
Parts = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed template. ``source`` is the text it was parsed from."""

    source: str
    parts: Parts

    def render(self, slots: Mapping[str, str], random: Callable[[], float]) -> str:
        """Return one rendering; ``random`` yields floats in [0, 1).

        Raises KeyError when a slot has no value: packs are validated on load, so that is a bug.
        """
        out: list[str] = []
        _render(self.parts, slots, random, out)
        return "".join(out)

    def slots(self) -> frozenset[str]:
        """Return the names of all slots in any alternative."""
        return frozenset(slot.name for slot in _walk_slots(self.parts))


def parse(source: str) -> Template:
    """Parse ``source``. Raises InvalidInputError naming the template on unbalanced brackets."""
    stack: list[list[list[Part]]] = [[[]]]
    # Texts and marks by turns, the first and the last a text.
    pieces = _TOKEN.split(source)
    for number, piece in enumerate(pieces):
        if number % 2 == 0:
            if piece:
                stack[-1][-1].append(piece)
        elif len(piece) > 1:
            stack[-1][-1].append(_parse_slot(piece))
        elif piece == "[":
            stack.append([[]])
        elif piece == "|" and len(stack) > 1:
            stack[-1].append([])
        elif piece == "]" and len(stack) > 1:
            options = stack.pop()
            stack[-1][-1].append(Choice(tuple(tuple(option) for option in options)))
        else:
            position = sum(map(len, pieces[:number]))
            raise InvalidInputError(
                f"Template {source!r}: unexpected {piece!r} at {position}; accepted are "
                "[one|two], {slot}, {cap:slot} and {a:slot}."
            )
    if len(stack) != 1:
        raise InvalidInputError(f"Template {source!r}: a '[' is not closed.")
    return Template(source, tuple(stack[0][0]))


def expand_all(template: Template, limit: int = 10_000) -> Iterator[str]:
    """Yield the texts of a template with its slots left as ``{name}``, at most ``limit``."""
    for count, text in enumerate(_expand(template.parts)):
        if count >= limit:
            return
        yield text


def capitalise(text: str) -> str:
    """Return ``text`` with its first letter in upper case and the rest untouched."""
    return text[:1].upper() + text[1:]


def with_article(text: str) -> str:
    """Return ``text`` behind "a" or "an", by its first letter and common exceptions."""
    lower = text.lower()
    sounds_like_you = lower.startswith(("uni", "use", "usu", "eu", "one", "uku", "uto"))
    silent_h = lower.startswith(("hour", "honest", "heir"))
    # Eight, eleven and eighteen, also of thousands; not a hundred and eighty.
    eight = re.match(r"8|1[18](?!\d)", lower) is not None
    vowel = (lower[:1] in set("aeiou") or silent_h or eight) and not sounds_like_you
    return f"{'an' if vowel else 'a'} {text}"


@cache
def _parse_slot(piece: str) -> Slot:
    filter, _, name = piece[1:-1].rpartition(":")
    return Slot(name, filter)


def _render(
    parts: Parts, slots: Mapping[str, str], random: Callable[[], float], out: list[str]
) -> None:
    for part in parts:
        if type(part) is str:
            out.append(part)
        elif type(part) is Choice:
            options = part.options
            chosen = options[int(random() * len(options))]
            if len(chosen) == 1 and type(chosen[0]) is str:
                out.append(chosen[0])
            elif chosen:
                _render(chosen, slots, random, out)
        elif type(part) is Slot:
            value = slots[part.name]
            if part.filter == "cap":
                value = capitalise(value)
            elif part.filter == "a":
                value = with_article(value)
            out.append(value)


def _walk_slots(parts: Parts) -> Iterator[Slot]:
    for part in parts:
        if isinstance(part, Slot):
            yield part
        elif isinstance(part, Choice):
            for option in part.options:
                yield from _walk_slots(option)


def _expand(parts: Parts) -> Iterator[str]:
    if not parts:
        yield ""
        return
    head, tail = parts[0], parts[1:]
    if isinstance(head, Choice):
        heads: Iterator[str] = (text for option in head.options for text in _expand(option))
    elif isinstance(head, Slot):
        name = f"{head.filter}:{head.name}" if head.filter else head.name
        heads = iter([f"{{{name}}}"])
    else:
        heads = iter([head])
    for text in heads:
        for rest in _expand(tail):
            yield text + rest
