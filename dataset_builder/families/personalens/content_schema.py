"""The content files of this family: domains with their preference types and tasks, validated."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from personamem.dataset_builder.core.content_yaml import (
    Strict,
    check_slots,
    read_content,
    template,
)
from personamem.loaders.personalens.schema import DOMAINS

CONTENT = Path(__file__).parent / "content"
PRONOUNS = ("they", "their", "them")
SLOTS = (*PRONOUNS, "month")
"""The slots of every line: the pronouns of the user, and a month that is drawn."""

Text = Annotated[str, Field(min_length=3), check_slots()]


class LineContent(Strict):
    """A sentence of histories and whom it fits; in YAML, a plain text fits everybody.

    The user has one of the tags ``users`` and none of ``never``. By key of a preference type, the
    user has one of the values ``holds``, and none of ``lacks``.
    """

    say: Annotated[str, check_slots(*SLOTS)]
    users: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    holds: Mapping[str, tuple[str, ...]] = {}
    lacks: Mapping[str, tuple[str, ...]] = {}

    @model_validator(mode="before")
    @classmethod
    def _is_a_text(cls, data: Any) -> Any:
        return {"say": data} if isinstance(data, str) else data


class ChangeContent(LineContent):
    """A sentence on the value that a user had before."""

    say: Annotated[str, check_slots("former", *SLOTS)]


class SayingContent(LineContent):
    """A sentence that says a preference: of the values ``of`` alone, or of none of ``not_of``.

    A ``lasting`` one implies that nothing has changed.
    """

    say: Annotated[str, check_slots("values", "choices", *SLOTS)]
    of: tuple[str, ...] = ()
    not_of: tuple[str, ...] = ()
    lasting: bool = False


class PoolContent(Strict):
    """How the values of a free type are made up; ``per`` for each value of the type ``of``."""

    of: str | None = None
    per: int = Field(ge=1)
    patterns: tuple[str, ...] = Field(min_length=1)


class TypeContent(Strict):
    """A preference type. ``most`` bounds a list; ``settled`` values were never different before.

    ``nominal`` tells whether the values are things, and not phrases such as "in bed at night".
    ``frames`` are further kinds of changes that fit: ``tried`` values are services or formats that
    one tries, ``liked`` ones are matters of taste, which somebody else may have.
    ``quad`` tells whether the values are clear enough to tell users apart by a single one.
    """

    key: str = Field(pattern=r"^[a-z]+_[a-z]+$")
    name: str
    about: Text
    form: Literal["single", "list"] = "list"
    kind: Literal["categorical", "free"] = "categorical"
    most: int = Field(default=1, ge=1, le=4)
    settled: bool = False
    nominal: bool = True
    frames: tuple[Literal["tried", "liked"], ...] = ()
    quad: bool = True
    values: tuple[str, ...] = ()
    pool: PoolContent | None = None
    says: tuple[SayingContent, ...] = Field(min_length=3)

    @model_validator(mode="after")
    def _has_values(self) -> "TypeContent":
        if (self.kind == "free") == (self.pool is None) or bool(self.values) == bool(self.pool):
            raise ValueError(f"{self.key}: a free type has a pool, another one has values")
        for saying in self.says:
            # "a and b" of what is wanted together, "a or b" of what is open to choice.
            if not template(saying.say).slots() & {"values", "choices"}:
                raise ValueError(
                    f"{self.key}: {saying.say!r} says neither {{values}} nor {{choices}}"
                )
        return self


class TaskContent(Strict):
    """A task; ``reply`` is a turn of an assistant that names one value of two types."""

    about: Text
    intent: Text
    goal: Text
    types: tuple[str, ...] = Field(min_length=2)
    request: Text
    reply: str
    domains: tuple[str, ...] = ()

    @property
    def slots(self) -> tuple[str, str]:
        """The keys of the two types that the reply names, sorted."""
        first, second = sorted(template(self.reply).slots())
        return first, second

    @model_validator(mode="after")
    def _names_two_types(self) -> "TaskContent":
        slots = template(self.reply).slots()
        if len(slots) != 2 or not slots <= set(self.types):
            raise ValueError(f"the reply {self.reply!r} names {sorted(slots)}; accepted: two types")
        return self


class DomainContent(Strict):
    """One file of ``content/domains``; ``interest`` is the share interested, by age bracket."""

    domain: Literal[DOMAINS]  # type: ignore[valid-type]
    about: Text
    interest: tuple[float, ...] = Field(min_length=6, max_length=6)
    types: tuple[TypeContent, ...] = Field(min_length=3)
    opening: tuple[LineContent, ...] = Field(min_length=3)
    incidents: tuple[LineContent, ...] = Field(min_length=4)
    tasks: tuple[TaskContent, ...] = Field(min_length=4)


class SeveralContent(Strict):
    """``several_domains.yaml``."""

    tasks: tuple[TaskContent, ...]


class ProseContent(Strict):
    """``prose.yaml``: sentences that fit every domain; changes by what they fit."""

    changes: Mapping[Literal["any", "things", "tried", "liked"], tuple[ChangeContent, ...]]
    manners: Mapping[str, Annotated[tuple[LineContent, ...], Field(min_length=len(DOMAINS))]]
    trends: tuple[LineContent, ...] = Field(min_length=len(DOMAINS))


@cache
def read_domains() -> tuple[DomainContent, ...]:
    """Return all domains in their order. Raises InvalidInputError for content at fault."""
    found = {
        content.domain: content
        for path in sorted((CONTENT / "domains").glob("*.yaml"))
        for content in [read_content(path, "domain", DomainContent)]
    }
    return tuple(found[name] for name in DOMAINS)


@cache
def read_several() -> tuple[TaskContent, ...]:
    """Return the tasks of several domains."""
    return read_content(CONTENT / "several_domains.yaml", "tasks", SeveralContent).tasks


@cache
def read_prose() -> ProseContent:
    """Return the sentences that fit every domain."""
    return read_content(CONTENT / "prose.yaml", "prose", ProseContent)


@cache
def type_by_key() -> Mapping[str, tuple[str, TypeContent]]:
    """Return the domain and the content of each preference type by its key."""
    return {each.key: (d.domain, each) for d in read_domains() for each in d.types}


def is_in_quads(task: TaskContent) -> bool:
    """Return whether the reply of a task may tell users apart."""
    return all(type_by_key()[key][1].quad for key in task.slots)
