"""What ``info`` and ``show`` print about users and their quads."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from personamem.dataset_builder.core.console import join, output, plain
from personamem.dataset_builder.families.samples import Sample, find_question
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import LETTERS
from personamem.loaders.personalens import PersonaLens, load_personalens
from personamem.loaders.personalens.prompts import render_context
from personamem.loaders.personalens.schema import LensQuestion

KINDS = {"SD": "of one domain", "MD": "of several domains"}
"""Kinds of tasks, and how they are named."""


def count_splits(source: str | Path, splits: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the numbers of users, and of tasks, scenarios and questions by kind of task."""
    if not splits:
        return {}
    data = load_personalens(source)
    kinds = {task.task_id: task.kind for task in data.tasks}
    counts: dict[str, Any] = {"users": len(data.profiles)}
    for kind, name in KINDS.items():
        asked = [question for question in data.quads if question.kind == kind]
        counts[name] = {
            "tasks": sum(each == kind for each in kinds.values()),
            "scenarios": sum(kinds[scenario.task_id] == kind for scenario in data.scenarios),
            **{
                f"questions_at_depth_{depth}": sum(question.depth == depth for question in asked)
                for depth in (1, 2)
            },
        }
    return dict.fromkeys(splits, counts)


def make_info(counts: Mapping[str, Mapping[str, Any]]) -> list[RenderableType]:
    """Return a table of what ``count_splits`` counted."""
    tables: list[RenderableType] = []
    for found in counts.values():
        table = Table("tasks", "", "scenarios", "questions at depth 1", "at depth 2")
        table.title = f"{found['users']:,} users"
        for name in KINDS.values():
            table.add_row(name, *(f"{count:,}" for count in found[name].values()))
        tables.append(table)
    return tables


def show_question(
    source: str, split: str, question: str, full: bool, answers: Mapping[str, Sample]
) -> None:
    """Print one question of a quad with the preferences that decide it, or all answers.

    Args:
        source: of a dataset of ours.
        split: the one split; others are of other families.
        question: an id or a number; empty for the first one, or with answers for all of these.
        full: print all that an assistant may be told of the user.
        answers: by question id.

    Raises:
        InvalidInputError: no such question, or answers to questions of another dataset.
    """
    data = load_personalens(source)
    known = {each.question_id: each for each in data.quads}
    if answers and not question:
        _list_answers(known, answers)
        return
    found: LensQuestion = find_question(data.quads, question or "0")
    _print_question(data, found, full)
    if answers:
        if found.question_id not in answers:
            raise InvalidInputError(f"The samples have none of question {found.question_id}.")
        sample = answers[found.question_id]
        told = f", {'right' if sample.right else 'wrong'}: {sample.describe()}"
        output().print(join("\n", ("Answered", "bold"), told), soft_wrap=True)


def _list_answers(known: Mapping[str, LensQuestion], answers: Mapping[str, Sample]) -> None:
    for identifier, sample in answers.items():
        if identifier not in known:
            raise InvalidInputError(
                f"The samples are of another dataset or split: it has no question {identifier}."
            )
        asked = known[identifier]
        word = "right" if sample.right else "wrong"
        line = (
            f"{identifier} {asked.task_id}, {word}, gold ({LETTERS[asked.answer_index]}): "
            f"{sample.describe()[:80]}"
        )
        output().print(plain(line), soft_wrap=True)
    right = sum(sample.right for sample in answers.values())
    output().print(f"accuracy {right / len(answers):.3f} over {len(answers):,} questions")


def _print_question(data: PersonaLens, asked: LensQuestion, full: bool) -> None:
    out = output()
    profile = data.profile_by_id[asked.user_id]
    task = data.task_by_id[asked.task_id]
    out.print(join((asked.task_id, "bold"), f", {', '.join(asked.domains)}, depth {asked.depth}"))
    out.print(plain(f"question {asked.question_id} of {asked.user_id}: {task.intent}"))
    if full:
        out.print("\n[bold]What the assistant may be told[/]")
        out.print(plain(render_context(profile, asked, "all")), soft_wrap=True)
    out.print("\n[bold]Preferences that decide[/]")
    for each in profile.preferences_of(*asked.domains):
        if f"{each.domain}: {each.type}" in asked.types:
            out.print(plain(f"  {each.domain}, {each.type}: {', '.join(each.values)}"))
    out.print(join("\n", ("User:", "bold"), f" {asked.request}"), soft_wrap=True)
    for number, option in enumerate(asked.options):
        style = "green" if number == asked.answer_index else ""
        out.print(plain(f"({LETTERS[number]}) {option}", style), soft_wrap=True)
