"""The values of preference types, and what they have to do with traits.

In content, a value is a text, followed by marks behind a bar: ``hostel | =low +friends %0.5``.
``+tag`` makes it likelier for users with that trait, ``=tag/tag`` forbids it to all others, and
``%number`` is its weight. Free values are made up from patterns and words, once for all datasets.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import Random

from personamem.dataset_builder.core.content_yaml import read_yaml
from personamem.dataset_builder.core.grammar import capitalise, with_article
from personamem.dataset_builder.core.people import name_tables
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personalens.content_schema import (
    CONTENT,
    PoolContent,
    TypeContent,
    read_domains,
    type_by_key,
)
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personalens.schema import PreferenceType

EXAMPLES = 3
"""Values of a free type that the schema lists."""

_SLOT = re.compile(r"\{(\w+?)(_cap)?(_b)?\}")


@dataclass(frozen=True, slots=True)
class Value:
    """One value; ``needs`` holds a set of tags for each mark, of which a user must have one.

    ``of`` is the value of another type that a free value belongs to, such as an author's genre.
    """

    text: str
    weight: float = 1.0
    likes: frozenset[str] = frozenset()
    needs: tuple[frozenset[str], ...] = ()
    of: str = ""


@cache
def read_values(key: str) -> tuple[Value, ...]:
    """Return the values of a preference type: those listed, or those made up."""
    _, content = type_by_key()[key]
    if content.pool is None:
        return tuple(map(parse_value, content.values))
    return _make_up(content, content.pool)


@cache
def group_values(key: str) -> Mapping[str, tuple[Value, ...]]:
    """Return the values of a type by what they belong to, which is "" for most types."""
    groups: dict[str, list[Value]] = {}
    for value in read_values(key):
        groups.setdefault(value.of, []).append(value)
    return {parent: tuple(values) for parent, values in groups.items()}


def parse_value(source: str) -> Value:
    """Return a value of content. Raises InvalidInputError for an unknown mark."""
    text, _, marks = (part.strip() for part in source.partition("|"))
    weight, likes, needs = 1.0, [], []
    for mark in marks.split():
        if mark[0] == "%":
            weight = float(mark[1:])
        elif mark[0] == "+":
            likes.append(mark[1:])
        elif mark[0] == "=":
            needs.append(frozenset(mark[1:].split("/")))
        else:
            raise InvalidInputError(
                f"{source!r}: unknown mark {mark!r}. Accepted: +, = and % marks."
            )
    return Value(text, weight, frozenset(likes), tuple(needs))


@cache
def list_types() -> tuple[PreferenceType, ...]:
    """Return the schema: every preference type with its values, examples only of free ones."""
    return tuple(
        PreferenceType(
            domain=domain.domain,
            domain_description=domain.about,
            type=each.name,
            description=each.about,
            form=each.form,
            kind=each.kind,
            values=tuple(
                value.text
                for value in read_values(each.key)[: EXAMPLES if each.kind == "free" else None]
            ),
        )
        for domain in read_domains()
        for each in domain.types
    )


def _make_up(content: TypeContent, pool: PoolContent) -> tuple[Value, ...]:
    # One stream for all datasets: the schema does not depend on the seed.
    random = make_rng(0, "personalens pool", content.key)
    made: dict[str, Value] = {}
    for parent in [value.text for value in read_values(pool.of)] if pool.of else [""]:
        count = 0
        while count < pool.per:
            text = _fill(random.choice(pool.patterns), random)
            if text not in made:
                made[text] = Value(text, of=parent)
                count += 1
    return tuple(made.values())


def _fill(pattern: str, random: Random) -> str:
    drawn: dict[str, str] = {}
    for name, cap, other in _SLOT.findall(pattern):
        words = [word for word in _words(random)[name] if word not in drawn.values()]
        # Titles write their words in capitals.
        drawn[f"{{{name}{cap}{other}}}"] = capitalise(random.choice(words))
    for slot, word in drawn.items():
        pattern = pattern.replace(slot, word)
    if pattern.startswith("A "):
        return capitalise(with_article(pattern.removeprefix("A ")))
    return pattern


def _words(random: Random) -> Mapping[str, list[str]]:
    names = random.choice(list(name_tables().values()))
    first = [*names["she"], *names["he"]]
    return {**_read_words(), "first": first, "last": list(names["last"])}


@cache
def _read_words() -> dict[str, list[str]]:
    words: dict[str, list[str]] = read_yaml(CONTENT / "words.yaml")
    return words
