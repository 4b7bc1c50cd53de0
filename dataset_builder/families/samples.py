"""Logged samples: what a model answered, joined with the questions again."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from personamem.dataset_builder.families.memory_notes import MemoryNote, read_note
from personamem.dataset_builder.families.sample_rows import name_run, read_rows
from personamem.loaders.formats.errors import InvalidInputError, suggest_choice
from personamem.loaders.formats.schema import LETTERS

_SCORES = ("acc", "recall", "f1")
_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Sample:
    """One question's result: the text that was written, or the four log-likelihoods.

    ``scores`` has ``acc`` where one of four replies was to be chosen, and ``recall`` and ``f1``
    where the question was open. ``memory`` says what a memory did for the answer, if one did.
    """

    question_id: str
    split: str | None
    condition: str | None
    text: str | None
    likelihoods: tuple[float, ...]
    scores: Mapping[str, float]
    memory: MemoryNote | None = None

    @property
    def right(self) -> bool:
        """Whether the right one of four replies was chosen."""
        return bool(self.scores.get("acc"))

    @property
    def cause(self) -> str:
        """Why the answer is wrong, if it is and a memory served it: the link that broke."""
        return "" if self.memory is None else self.memory.cause

    def describe(self) -> str:
        """Return what the model answered, in a line."""
        if self.text is not None:
            return " ".join(self.text.split()) or "(an empty text)"
        pairs = zip(LETTERS, self.likelihoods, strict=True)
        ranked = ", ".join(f"{letter} {likelihood:.3f}" for letter, likelihood in pairs)
        return f"({LETTERS[self.likelihoods.index(max(self.likelihoods))]}), by {ranked}"


@dataclass(frozen=True, slots=True)
class SampleFile:
    """The samples of one file by question id, and a name for who answered."""

    path: Path
    name: str
    samples: Mapping[str, Sample]


def read_sample_files(paths: Sequence[Path]) -> list[SampleFile]:
    """Read files of samples; each gets a name of its own, from its model, task and date.

    Raises the errors of ``read_samples``.
    """
    runs = [name_run(path) for path in paths]
    for parts in (1, 2, 3):
        names = [" \u00b7 ".join(run[:parts]) for run in runs]
        if len(set(names)) == len(names):
            break
    else:
        names = [f"{name} ({number})" for number, name in enumerate(names, start=1)]
    return [
        SampleFile(path, name, read_samples(path)) for path, name in zip(paths, names, strict=True)
    ]


def read_samples(path: Path) -> dict[str, Sample]:
    """Read a ``samples_TASK_DATE.jsonl`` of lm-eval's, or a log of inspect-ai, by question id.

    Raises:
        InvalidInputError: not the samples of a personamem task.
        DatasetError: no such file, or one that cannot be read.
        PersonamemError: see ``read_rows``.
    """
    samples: dict[str, Sample] = {}
    for where, row in read_rows(path):
        sample = _read_row(row, where)
        samples[sample.question_id] = sample
    if not samples:
        raise InvalidInputError(f"{path} holds no samples.")
    return samples


def find_question(questions: Sequence[Any], wanted: str) -> Any:
    """Return the question of an id, or of a number from 0.

    Raises:
        InvalidInputError: there is none.
    """
    if _NUMBER.fullmatch(wanted) and int(wanted) < len(questions):
        return questions[int(wanted)]
    known = {question.question_id: question for question in questions}
    if wanted not in known:
        raise InvalidInputError(
            f"Unknown question {wanted!r}.{suggest_choice(wanted, known)} Accepted: a question id, "
            f"or a number from 0 to {len(questions) - 1}."
        )
    return known[wanted]


def _read_row(row: Any, where: str) -> Sample:
    try:
        prompt = row["arguments"]["gen_args_0"]["arg_0"]
        answers = [answer[0] for answer in row["resps"]]
        reference: Mapping[str, Any] = prompt if isinstance(prompt, dict) else {}
        generated = len(answers) == 1
        scores = {name: float(row[name]) for name in _SCORES if isinstance(row.get(name), float)}
        if not scores:
            raise KeyError("acc")
        note = row.get("evidence_recall")
        return Sample(
            question_id=row["doc"]["question_id"],
            split=reference.get("split"),
            condition=reference.get("condition"),
            text=str(answers[0]) if generated else None,
            # lm-eval writes numbers as text here.
            likelihoods=() if generated else tuple(float(answer[0]) for answer in answers),
            scores=scores,
            memory=read_note(note) if note else None,
        )
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise InvalidInputError(
            f"{where} is not a sample of a personamem task, as lm-eval and inspect-ai log "
            f"them ({type(error).__name__}: {error})."
        ) from error
