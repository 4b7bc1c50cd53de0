"""Reading results: the answers that lm-eval logged of our multiple-choice tasks."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import jsonlines

from personamem.dataset_builder.families.evaluations import Evaluation
from personamem.dataset_builder.families.memory_notes import read_note
from personamem.dataset_builder.families.personamem.results.choices import find_chosen, name_role
from personamem.dataset_builder.families.personamem.results.records import (
    Answer,
    Run,
)
from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.formats.json_files import parse_json

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
    stamp = evaluation.path.stem.removeprefix("results_")
    path = evaluation.path.with_name(f"samples_{task}_{stamp}.jsonl")
    if not path.is_file():
        raise InvalidInputError(
            f"{evaluation.path} has the accuracy of {task} without its answers: {path.name} is not "
            "beside it. Accepted: results of an evaluation with --log_samples."
        )
    try:
        # Log-likelihoods may be infinite.
        with jsonlines.open(path, loads=partial(parse_json, allow_nan=True)) as rows:
            found = [
                _read_answer(row, f"{path}, line {number}")
                for number, row in enumerate(rows, start=1)
            ]
    except (OSError, UnicodeDecodeError, jsonlines.InvalidLineError) as error:
        raise DatasetError(f"{path} cannot be read: {error}.") from error
    if not found:
        raise DatasetError(f"{path} holds no answers.")
    unparsable = evaluation.content["results"].get(task, {}).get("unparsable,none")
    dataset = str(evaluation.content["configs"][task].get("dataset_path") or "")
    answers = tuple(answer for answer, _ in found)
    memory = found[0][1]
    return Run(evaluation.model, task, dataset, answers, unparsable, evaluation.date, memory)


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
            f"{where} is not an answer as lm-eval's --log_samples writes it "
            f"({type(error).__name__}: {error})."
        ) from error


def _find_role(responses: Sequence[Any], roles: Sequence[str]) -> str:
    if len(responses) == 1:
        return name_role(find_chosen(str(responses[0][0]), ()), roles)
    # lm-eval writes numbers as text here.
    return name_role(find_chosen(None, [float(each[0][0]) for each in responses]), roles)
