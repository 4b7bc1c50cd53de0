"""What an evaluation on multiple choice left behind: every answer, with what was asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from personamem.dataset_builder.families.memory_notes import MemoryNote
from personamem.dataset_builder.families.memory_report import ServedRun


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
    def served(self) -> ServedRun:
        """The answers that a memory served."""
        noted = ((bool(each.score), each.memory) for each in self.answers)
        return ServedRun(self.memory, tuple((is_right, note) for is_right, note in noted if note))

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
