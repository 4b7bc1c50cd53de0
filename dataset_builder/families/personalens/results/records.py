"""What logs of dialogues hold, as records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from personamem.loaders.personalens.schema import TaskKind

DIMENSIONS = (
    "task_completion",
    "personalization",
    "naturalness_assistant",
    "coherence_assistant",
    "naturalness_user",
    "coherence_user",
)
"""In the order in which reports show them."""

FAILED = "failed"
"""The end of a dialogue, or the reason of a missing score, that an error of a server caused."""


@dataclass(frozen=True, slots=True)
class GivenVerdict:
    """The verdict of one judge, or the reason why there is none; ``turns`` of the turn level."""

    judge: str
    value: int | None
    reason: str | None
    turns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgedDialogue:
    """One dialogue with its scores.

    ``scores`` lacks dimensions in which no verdict could be read, ``verdicts`` those in which
    no judge was asked. ``ended`` is an ``End`` of the solver, a limit of inspect-ai, or "failed",
    for the reason that ``error`` tells.
    """

    dialogue_id: str
    epoch: int
    user_id: str
    domains: tuple[str, ...]
    ended: str
    pairs: int
    messages: int
    empty_replies: int
    stop_words: int
    scores: Mapping[str, float]
    verdicts: Mapping[str, Sequence[GivenVerdict]]
    by_turn: Sequence[GivenVerdict] = ()
    error: str = ""

    @property
    def key(self) -> tuple[str, int]:
        """What the same scenario has in every run."""
        return self.dialogue_id, self.epoch


@dataclass(frozen=True)
class LensRun:
    """The dialogues of one log: an assistant under one setting, with its user and its judges."""

    model: str
    setting: str
    kind: TaskKind
    user: str
    judges: tuple[str, ...]
    source: str
    dialogues: tuple[JudgedDialogue, ...]

    @property
    def label(self) -> str:
        """A short name."""
        return f"{PurePosixPath(self.model).name}, {self.kind} {self.setting}"

    @property
    def peers(self) -> tuple[object, ...]:
        """What settings have in common that can be compared."""
        return self.model, self.kind, self.user, self.judges, self.source

    @cached_property
    def by_key(self) -> Mapping[tuple[str, int], JudgedDialogue]:
        """The dialogues by what they are about."""
        return {each.key: each for each in self.dialogues}
