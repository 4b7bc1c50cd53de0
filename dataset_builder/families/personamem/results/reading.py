"""Reading results: the logged answers to our multiple-choice tasks."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from personamem.dataset_builder.families.evaluations import Evaluation
from personamem.dataset_builder.families.memory_notes import read_note
from personamem.dataset_builder.families.personamem.results.choices import find_chosen, name_role
from personamem.dataset_builder.families.personamem.results.records import (
    Answer,
    Run,
)
from personamem.loaders.formats.errors import DatasetError

PREFIX = "personamem_"
OPEN = "_open"
"""Ends the names of tasks whose replies need a judge."""


def read_runs(evaluations: Sequence[Evaluation]) -> tuple[list[Run], frozenset[Path]]:
    """Return the runs on multiple choice, and the paths a user gave that hold some.

    Of several runs of a model on a task the last one counts.

    Raises:
        InvalidInputError: results without the answers behind them.
        DatasetError: a file of answers that is damaged.
    """
    runs: dict[tuple[str, ...], Run] = {}
    used = set()
    for evaluation in sorted(evaluations, key=lambda each: each.date):
        for task in evaluation.tasks:
            if task.startswith(PREFIX) and not task.endswith(OPEN):
                run = _read_run(evaluation, task)
                runs[run.model, run.task, run.dataset, run.memory] = run
                used.add(evaluation.given)
    return sorted(runs.values(), key=lambda r: (r.task, r.model, r.memory)), frozenset(used)


def _read_run(evaluation: Evaluation, task: str) -> Run:
    found = [_read_answer(row, where) for where, row in evaluation.read_samples(task)]
    if not found:
        raise DatasetError(f"{evaluation.path} holds no answers to {task}.")
    unparsable = evaluation.content["results"].get(task, {}).get("unparsable,none")
    dataset = str(evaluation.content["configs"][task].get("dataset_path") or "")
    answers = tuple(answer for answer, _ in found)
    memory = found[0][1]
    counts = evaluation.content.get("n-samples", {}).get(task, {})
    return Run(
        evaluation.model,
        task,
        dataset,
        answers,
        unparsable,
        evaluation.date,
        memory,
        is_whole=counts.get("original") == len(answers),
    )


def _read_answer(row: Any, where: str) -> tuple[Answer, str]:
    """Return an answer, and the name of the memory that served it, if one did."""
    try:
        doc: Mapping[str, Any] = row["doc"]
        dials: Mapping[str, Any] = doc.get("dials") or {}
        distance = doc.get("distance_to_ref_in_tokens")
        note = row.get("evidence_recall")
        answer = Answer(
            question_id=str(doc["question_id"]),
            persona=int(doc["persona_id"]),
            quad=str(dials.get("quad_id") or ""),
            question_type=str(doc["question_type"]),
            level=str(dials.get("level") or ""),
            updates=dials.get("updates"),
            sessions=dials.get("sessions_per_answer"),
            distractors=dials.get("distractors"),
            distance=None if distance is None else int(distance),
            score=float(row["acc"]),
            role=_find_role(row["resps"], dials.get("option_roles") or ()),
            memory=read_note(note) if note else None,
        )
        return answer, f"{note['system']} at {note['budget']}" if note else ""
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise DatasetError(
            f"{where} is not an answer as lm-eval's --log_samples or inspect-ai writes it "
            f"({type(error).__name__}: {error})."
        ) from error


def _find_role(responses: Sequence[Any], roles: Sequence[str]) -> str:
    if len(responses) == 1:
        return name_role(find_chosen(str(responses[0][0]), ()), roles)
    # lm-eval writes numbers as text here.
    return name_role(find_chosen(None, [float(each[0][0]) for each in responses]), roles)
