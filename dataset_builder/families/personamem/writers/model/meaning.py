"""Whether a message means what its relation says, as far as words can tell.

A value that stands in a message literally may still be denied, hedged, or told of somebody else.
templates/relations.yaml lists, for each relation, words that a message needs and words that it must
not hold. A sound message is refused now and then (a rewrite costs little); a message that says the
opposite in plain words is not let through.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from personamem.dataset_builder.core.content_yaml import read_yaml
from personamem.dataset_builder.families.personamem.world.facts import Relation
from personamem.dataset_builder.families.personamem.writers.model.prompts import PROMPTS

VALUE = "VALUE"
"""What stands for the value while a message is looked at."""

# "Not I" and "not for me" deny nothing of what is said of others.
_DENIALS = (
    r"(?:not(?! (?:to |for )?(?:i|me|mine|my|you|yours|your)\b)"
    r"|never|no longer|hardly|scarcely|neither|nor|without)"
)
_FEW_WORDS = r"(?:[\s,]+[\w-]+){0,3}[\s,]+"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a relation means: in words for the model, and the names of lists of words."""

    says: str
    cues: tuple[str, ...]
    bars: tuple[str, ...]
    undenied: tuple[str, ...]


@cache
def meanings() -> Mapping[str, Meaning]:
    """Return the relations of templates/relations.yaml."""
    names = ("cues", "bars", "undenied")
    return {
        relation: Meaning(entry["says"], *(tuple(entry.get(name, ())) for name in names))
        for relation, entry in _read()["relations"].items()
    }


def words_of(name: str) -> Sequence[str]:
    """Return the words of a list, as the model is told them."""
    words: Sequence[str] = _read()["words"][name]
    return words


def find_fault(
    relation: Relation, text: str, value: str, passed_over: Sequence[str], needs_cues: bool
) -> str:
    """Return why a message does not mean what its relation says, or an empty string.

    ``value`` is how the message words the value, if it does; occasion and reason are passed over.
    ``needs_cues`` is whether the message has to say it all, or only not to say the opposite.
    """
    meaning, plain = meanings()[relation], _simplify(text)
    for known in passed_over:
        plain = plain.replace(_simplify(known), "")
    if value:
        plain = plain.replace(_simplify(value), VALUE)
    for name in meaning.cues if needs_cues else ():
        if not _find(name).search(plain):
            return f"it had none of these words: {', '.join(words_of(name))}"
    for name in meaning.bars:
        if found := _find(name).search(plain):
            return f'it held "{found[0]}"'
    for name in meaning.undenied:
        if found := _find_denied(name).search(plain):
            return f'it held a denial, "{found[0].replace(VALUE, "...")}"'
    return ""


def _simplify(text: str) -> str:
    return text.lower().replace("n't", " not").replace("cannot", "can not")


@cache
def _find(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b{_any_of(name)}\b")


@cache
def _find_denied(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b{_DENIALS}{_FEW_WORDS}{_any_of(name)}\b")


def _any_of(name: str) -> str:
    words = [VALUE] if name == "value" else map(_simplify, words_of(name))
    return f"(?:{'|'.join(words)})"


@cache
def _read() -> Mapping[str, Mapping[str, Any]]:
    data: Mapping[str, Mapping[str, Any]] = read_yaml(PROMPTS.folder / "relations.yaml")
    return data
