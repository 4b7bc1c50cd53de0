"""Sessions: what a conversation has to reveal (plan) and what a writer made of it (written).

The plan is the contract between the world and a writer: facts in the order in which they are said.
A writer turns it into messages and says which message carries which fact; ``check_session`` holds
any writer, template or model, to that.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from personamem.dataset_builder.core.people import Persona
from personamem.dataset_builder.families.personamem.world.facts import Fact
from personamem.loaders.formats.errors import PersonamemError
from personamem.loaders.formats.schema import Message


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """One dated conversation of ``persona`` about ``topic`` that reveals ``facts`` in order."""

    persona: Persona
    topic: str
    said_on: date
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class WrittenSession:
    """Messages of a session, system message first; ``fact_messages`` maps fact ids to indices."""

    topic: str
    said_on: date
    messages: tuple[Message, ...]
    fact_messages: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Brief:
    """What a model is to write: a plan, and the bounds within which its context stays whole.

    ``embedded`` is the embedded writer's session, which stands wherever the model fails, and
    ``talk_tokens`` its o200k_base tokens without the system message; ``most_talk_tokens`` are
    those that the model may use. ``candidates`` are texts in lower case that may stand where the
    plan has them only.
    """

    plan: SessionPlan
    embedded: WrittenSession
    talk_tokens: int
    most_talk_tokens: int
    candidates: frozenset[str]


class SessionWriter(Protocol):
    """Turns plans into text. One instance serves one context."""

    def write(self, plan: SessionPlan, detail: int) -> WrittenSession:
        """Write ``plan``; ``detail`` 0 is terse, 1 fuller, 2 chatty."""
        ...

    def start_again(self) -> None:
        """Forget what was written: it is not used."""
        ...


class SessionError(PersonamemError):
    """A written session that does not keep to its plan."""


def check_session(
    plan: SessionPlan, written: WrittenSession, list_surface_forms: Callable[[Fact], Sequence[str]]
) -> None:
    """Raise SessionError unless ``written`` reveals exactly ``plan``, in order and well-formed.

    Each message that carries a fact must hold one of the texts ``list_surface_forms(fact)``.
    """
    roles = [message["role"] for message in written.messages]
    expected = ["system"] + ["user", "assistant"] * ((len(roles) - 1) // 2)
    if roles != expected:
        raise SessionError(f"{plan.topic} on {plan.said_on}: roles {roles} do not alternate.")
    if any(not message["content"].strip() for message in written.messages):
        raise SessionError(f"{plan.topic} on {plan.said_on}: an empty message.")
    if set(written.fact_messages) != {fact.fact_id for fact in plan.facts}:
        raise SessionError(f"{plan.topic} on {plan.said_on}: facts are missing or foreign.")
    for fact in plan.facts:
        texts = list_surface_forms(fact)
        for index in written.fact_messages[fact.fact_id]:
            content = written.messages[index]["content"].lower()
            if not any(text.lower() in content for text in texts):
                raise SessionError(
                    f"{plan.topic} on {plan.said_on}: message {index} should carry "
                    f"{fact.relation} {fact.value!r} but does not."
                )
