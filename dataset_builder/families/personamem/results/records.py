"""What an evaluation on multiple choice left behind: every answer, with what was asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CAUSES = ("never written", "not found", "found and not used", "unknown")
"""Why an answer from a memory is wrong: the first of its links that broke."""

NO_LETTER = "no letter"
"""The role of an answer from which no letter could be read."""


@dataclass(frozen=True, slots=True)
class MemoryNote:
    """What a memory did for one question: ``recall`` and ``written`` are shares of its evidence
    that came back and that are kept at all, None where nobody can tell; ``tokens`` came back.

    ``context`` names the context, ``cost`` says what taking that in took.
    """

    recall: float | None
    written: float | None
    tokens: int
    seconds: float
    failure: str
    context: str
    cost: "ContextCost"

    @property
    def cause(self) -> str:
        """Why the answer is wrong, if it is."""
        if self.recall == 1:
            return CAUSES[2]
        if self.failure or (self.recall is not None and self.written == 1):
            return CAUSES[1]
        if self.recall is not None and self.written is not None:
            return CAUSES[0]
        return CAUSES[3]


@dataclass(frozen=True, slots=True)
class ContextCost:
    """What a memory took for one context: sessions and tokens added, seconds, chat calls."""

    sessions: int
    tokens: int
    seconds: float
    calls: int
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to one question: ``score`` is 1 if it is right.

    ``role`` is that of the option chosen, such as former; empty where nobody says. The numbers of
    updates, sessions and distractors, and the distance in tokens, are None where they are unknown.
    """

    question_id: str
    persona: int
    quad: str
    question_type: str
    level: str
    updates: int | None
    sessions: int | None
    distractors: int | None
    distance: int | None
    score: float
    role: str
    memory: MemoryNote | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A model's answers on one task of one dataset; ``date`` is in seconds since 1970.

    ``memory`` names the memory system and its budget, if there was one. ``is_whole`` says that
    every question of the task was asked.
    """

    model: str
    task: str
    dataset: str
    answers: tuple[Answer, ...]
    unparsable: float | None
    date: float
    memory: str = ""
    is_whole: bool = False

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return sum(answer.score for answer in self.answers) / len(self.answers)


def label_runs(runs: Sequence[Run]) -> list[str]:
    """Return a short name for each run, as long as it takes to tell them apart."""
    for parts in (
        lambda run: (Path(run.model).name, run.task, run.memory),
        lambda run: (Path(run.model).name, run.task, run.memory, Path(run.dataset).name),
        lambda run: (run.model, run.task, run.memory, run.dataset),
    ):
        labels = [", ".join(filter(None, parts(run))) for run in runs]
        if len(set(labels)) == len(labels):
            return labels
    return [f"{label} ({number})" for number, label in enumerate(labels, start=1)]
