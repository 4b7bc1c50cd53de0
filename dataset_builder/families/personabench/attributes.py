"""Attribute packs: what there is to know about a person, one validated YAML file each.

A pack holds the values of an attribute, how one asks for it, and in what words it comes up in
conversations, chats and purchases (content/README.md says how to write one). Every rule is checked
on load, and a broken pack is one error that names the file, the entry and what is accepted.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from personamem.dataset_builder.core.content_yaml import Strict, read_content
from personamem.dataset_builder.families.personabench.attribute_schema import (
    CONTENT,
    Hint,
    Keyed,
    Noise,
    PurchaseHint,
    Questions,
    Update,
    Value,
)
from personamem.dataset_builder.families.personabench.wording import (
    RELATION_WORDS,
    check_always,
    contains_words,
)
from personamem.loaders.formats.errors import InvalidInputError

Family = Literal["demographics", "psychographics"]
Kind = Literal["text", "number", "list", "named"]

Grounded = Literal[
    "gender",
    "age",
    "birthplace",
    "birth_country",
    "residence",
    "residence_country",
    "nationality",
    "previous_profession",
    "job_status",
    "workplace",
    "company",
    "profession",
    "school_status",
    "school_type",
    "degree",
    "degree_subject",
    "school_name",
]
"""Attributes whose values the social graph decides, so that people's lives agree."""

MOST_VALUES = 5
"""Entries of a list: one of so many is what the release calls hard."""

FEWEST_VALUES: Mapping[tuple[Kind, bool], int] = {
    ("text", False): 12,
    ("list", False): 12,
    ("list", True): 20,
    ("named", False): 12,
    ("named", True): 20,
}
"""How many values a pack needs, by kind and by whether a person may have five of them."""


class AttributePack(Strict):
    """One attribute. ``count`` bounds how many entries a person has, where there can be many."""

    attribute: Annotated[str, Field(pattern=r"^[a-z]+(_[a-z]+)*$")]
    path: Annotated[
        str, Field(pattern=r"^(Demographics|Psychographics)(\.[A-Z][A-Za-z_]*|\.[a-z_]+)+$")
    ]
    family: Family
    kind: Kind
    count: tuple[int, int] = (1, 1)
    grounded: Grounded | None = None
    values: tuple[Value, ...] = ()
    named: dict[str, tuple[Value, ...]] = Field(default_factory=dict)
    questions: Questions
    conversation: tuple[Hint, ...] = Field(min_length=8)
    chat: tuple[Hint, ...] = Field(min_length=5)
    purchase: tuple[PurchaseHint, ...] = ()
    updates: tuple[Update, ...] = ()
    noise: Noise

    def all_values(self) -> tuple[str, ...]:
        """Return every value of the pack's own lists, each once; none where it is grounded."""
        listed = [value for values in self.named.values() for value in values]
        return tuple(dict.fromkeys([*self.values, *listed]))

    @model_validator(mode="after")
    def _check_whole(self) -> "AttributePack":
        _check_partners(self)
        _check_family(self)
        _check_source(self)
        _check_hints(self)
        _check_values_apart(self)
        return self


def _check_partners(pack: AttributePack) -> None:
    noise = pack.noise
    for partner, sections in (
        ("you", (pack.conversation, pack.updates, noise.talk, noise.others)),
        ("ai", (pack.chat, noise.chat)),
    ):
        for thread in (thread for section in sections for thread in section):
            if not any(message.startswith(f"{partner}:") for message in thread.messages):
                raise ValueError(
                    f"{thread.messages[0]!r}: the other one is {partner!r} here, an assistant in "
                    "chats and a person elsewhere"
                )


def _check_family(pack: AttributePack) -> None:
    if pack.path.split(".")[0].lower() != pack.family:
        raise ValueError(f"path {pack.path!r} is not of the family {pack.family!r}")
    low, high = pack.count
    if not 1 <= low <= high <= MOST_VALUES:
        raise ValueError(f"count {list(pack.count)}; accepted: 1 to {MOST_VALUES}, low to high")
    if pack.kind in ("text", "number") and pack.count != (1, 1):
        raise ValueError(f"a {pack.kind} has one value; accepted: no count")
    for text in pack.questions.third:
        if len(re.findall(r"\{(?:cap:)?who(?:se)?\}", text)) != 1:
            raise ValueError(f"questions.third {text!r} needs one of {{who}} and {{whose}}, once")
    for texts in (pack.questions.first, pack.questions.third):
        if len(set(texts)) < len(texts):
            raise ValueError("questions: a paraphrase stands twice")


def _check_source(pack: AttributePack) -> None:
    sources = [bool(pack.grounded), bool(pack.values), bool(pack.named)]
    if sum(sources) != 1:
        raise ValueError("exactly one of values, named and grounded says where values come from")
    if (pack.kind == "named") != bool(pack.named):
        raise ValueError(
            f"kind {pack.kind!r}: 'named' holds the values of kind named, and no other"
        )
    if pack.kind == "number" and not pack.grounded:
        raise ValueError("a number is grounded")
    if pack.grounded:
        return
    needed = FEWEST_VALUES[pack.kind, pack.count[1] == MOST_VALUES]
    if len(pack.all_values()) < needed:
        raise ValueError(f"{len(pack.all_values())} values; accepted: {needed} or more")
    if pack.kind == "named" and len(pack.named) < pack.count[1]:
        raise ValueError(f"{len(pack.named)} keys for up to {pack.count[1]} entries")
    if len(set(map(str.casefold, pack.values))) < len(pack.values):
        raise ValueError("values: one stands twice")


def _check_hints(pack: AttributePack) -> None:
    for where, hint, text in _hint_texts(pack):
        if isinstance(hint, PurchaseHint):
            check_always(where, text, "value")
        unknown = set(hint.keys) - set(pack.named)
        if unknown:
            raise ValueError(
                f"{where}: unknown key {sorted(unknown)[0]!r}; "
                f"accepted: {', '.join(pack.named) or 'none'}"
            )
        if pack.named and not hint.keys:
            check_always(where, text, "key")
        if not pack.named and "{key}" in text:
            raise ValueError(f"{where}: {{key}} is for kind named: {text!r}")
    for key in pack.named:
        covered = [h for h in pack.conversation if not h.keys or key in h.keys]
        if not covered:
            raise ValueError(f"no conversation hint is for the key {key!r}")
    if (pack.kind == "list" and pack.count[1] == MOST_VALUES) != bool(pack.updates):
        raise ValueError("updates (3 or more) are for lists of up to five, and needed there")
    if pack.updates and len(pack.updates) < 3:
        raise ValueError(f"{len(pack.updates)} updates; accepted: 3 or more")
    if pack.updates and not any(update.is_told_by_one for update in pack.updates):
        raise ValueError("updates: 'you' says {old} in each; accepted: 'me' does in one or more")
    if pack.purchase and (len(pack.purchase) < 3 or len(pack.noise.purchase) < 3):
        raise ValueError("purchase: 3 or more hints, and 3 or more in noise.purchase")


def _hint_texts(pack: AttributePack) -> Iterator[tuple[str, Keyed, str]]:
    for number, hint in enumerate(pack.conversation):
        yield f"conversation.{number}", hint, hint.messages[hint.list_told()[0]]
    for number, chat in enumerate(pack.chat):
        yield f"chat.{number}", chat, chat.messages[chat.list_told()[0]]
    for number, item in enumerate(pack.purchase):
        yield f"purchase.{number}", item, f"{item.title}\n{item.description}"
    for number, other in enumerate(pack.noise.others):
        yield f"noise.others.{number}", other, other.messages[other.list_told()[0]]


def texts_of(pack: AttributePack) -> Iterator[tuple[str, str]]:
    """Yield (section, template source) for every text of a pack that can stand in a document."""
    noise = pack.noise
    sections: dict[str, Sequence[Strict]] = {
        "conversation": pack.conversation,
        "chat": pack.chat,
        "purchase": pack.purchase,
        "updates": pack.updates,
        "noise": [*noise.talk, *noise.others, *noise.chat, *noise.purchase],
    }
    for section, parts in sections.items():
        for part in parts:
            for name, value in part:
                if name != "keys":
                    yield from ((section, text) for text in _as_texts(value))


def _as_texts(value: object) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (str(value),)


def _check_values_apart(pack: AttributePack) -> None:
    values = sorted(pack.all_values(), key=len)
    for number, value in enumerate(values):
        for longer in values[number + 1 :]:
            if contains_words(longer, value):
                raise ValueError(f"the value {value!r} is part of the value {longer!r}")
    for where, text in texts_of(pack):
        for word in RELATION_WORDS:
            if contains_words(text, word):
                raise ValueError(f"{where} says how people are related ({word!r}): {text!r}")
        for value in values:
            if contains_words(text, value):
                raise ValueError(f"{where} states the value {value!r} itself: {text!r}")


def load_attribute(path: Path) -> AttributePack:
    """Read and validate one pack. Raises InvalidInputError naming file, entry and rule."""
    pack = read_content(path, "Attribute pack", AttributePack)
    if pack.attribute != path.stem:
        raise InvalidInputError(
            f"Attribute pack {path}: attribute is {pack.attribute!r}; accepted: {path.stem!r}, "
            "as the file."
        )
    return pack


def load_attributes(folder: Path) -> dict[str, AttributePack]:
    """Return the packs of a folder by name, in alphabetical order.

    Raises InvalidInputError for a broken pack, and when two packs share a path, a grounded source
    or a value: a document that reveals it would then answer two questions.
    """
    packs = [load_attribute(path) for path in sorted(folder.glob("*.yaml"))]
    owners: dict[tuple[str, str], str] = {}
    for pack in packs:
        marks = [("path", pack.path), *(("value", v.casefold()) for v in set(pack.all_values()))]
        if pack.grounded:
            marks.append(("grounded source", pack.grounded))
        for mark in marks:
            other = owners.setdefault(mark, pack.attribute)
            if other != pack.attribute:
                raise InvalidInputError(
                    f"Attribute packs {folder}: {other}.yaml and {pack.attribute}.yaml share the "
                    f"{mark[0]} {mark[1]!r}; accepted: each in one pack."
                )
    return {pack.attribute: pack for pack in packs}


@cache
def attribute_packs() -> Mapping[str, AttributePack]:
    """Return the embedded packs by name, in alphabetical order."""
    return load_attributes(CONTENT / "attributes")
