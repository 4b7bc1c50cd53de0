"""What ``info`` and ``show`` print about open questions."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.table import Table

from personamem.dataset_builder.core.console import join, output, plain
from personamem.dataset_builder.families.samples import Sample, find_question
from personamem.loaders.formats.errors import InvalidInputError, unknown_choice
from personamem.loaders.personabench.schema import NOISE_SPLITS

if TYPE_CHECKING:
    from personamem.loaders.personabench.records import Archive, GroundedQuestion

CATEGORIES = ("basic", "preference_easy", "preference_hard", "social_relation", "social_two_hop")
"""The groups of questions that ``info`` counts, which together are all questions of ours."""


def count_splits(source: str | Path, splits: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return counts of each noise level: documents, people, questions, and these by category.

    Reads and checks each split.
    """
    from personamem.loaders.personabench import load_personabench
    from personamem.loaders.personabench.groups import group_questions

    data = load_personabench(source)
    described = {}
    for name in splits:
        archives = data.archives(NOISE_SPLITS[name])
        questions = [asked.question for archive in archives for asked in archive.questions]
        groups = group_questions(questions, lambda question: question)
        described[name] = {
            "documents": sum(len(archive.sessions) for archive in archives),
            "communities": len(data.communities),
            "people": len(archives),
            "questions": len(questions),
            "categories": {name: len(groups.get(name, ())) for name in CATEGORIES},
        }
    return described


def make_info(
    source: str | Path, counts_of: Mapping[str, Mapping[str, Any]]
) -> list[RenderableType]:
    """Return a table of the noise levels: documents, and questions by category."""
    table = Table("noise", "documents", *CATEGORIES)
    for name, counts in counts_of.items():
        by_category = map(str, counts["categories"].values())
        table.add_row(plain(name), f"{counts['documents']:,}", *by_category)
        communities = counts["communities"]
        table.title = (
            f"{communities} communit{'y' if communities == 1 else 'ies'}, "
            f"{counts['people']} people asked {counts['questions']:,} open questions"
        )
    return [table]


def show_question(
    source: str, split: str, question: str, full: bool, answers: Mapping[str, Sample]
) -> None:
    """Print one open question, or all answers to them.

    Args:
        source: of a PersonaBench dataset.
        split: a name of ``NOISE_SPLITS``.
        question: an id or a number; empty for the first one, or with answers for all of these.
        full: print all documents that the question may be answered from, and not the gold alone.
        answers: by question id.

    Raises:
        InvalidInputError: no such split or question, or answers to questions of another dataset.
    """
    from personamem.loaders.personabench import load_personabench

    data = load_personabench(source)
    if NOISE_SPLITS[split] not in data.noises:
        known_splits = [name for name, noise in NOISE_SPLITS.items() if noise in data.noises]
        raise unknown_choice(f"split of {source}", split, known_splits)
    known = {
        asked.question.question_id: (archive, asked)
        for archive in data.archives(NOISE_SPLITS[split])
        for asked in archive.questions
    }
    if answers and not question:
        _list_answers(known, answers)
        return
    questions = [asked.question for _, asked in known.values()]
    # Ids go first: those of the official release are digits, as numbers are.
    found = known[question][1].question if question in known else None
    identifier = (found or find_question(questions, question or "0")).question_id
    _print_question(*known[identifier], full)
    if answers:
        if identifier not in answers:
            raise InvalidInputError(f"The samples have none of question {identifier}.")
        sample = answers[identifier]
        seen = f" (condition {sample.condition})" if sample.condition else ""
        told = f"{seen}, {_show_scores(sample)}: {sample.describe()}"
        output().print(join("\n", ("Answered", "bold"), told), soft_wrap=True)


def _list_answers(
    known: "Mapping[str, tuple[Archive, GroundedQuestion]]", answers: Mapping[str, Sample]
) -> None:
    for identifier, sample in answers.items():
        if identifier not in known:
            raise InvalidInputError(
                f"The samples are of another dataset or split: it has no question {identifier}."
            )
        asked = known[identifier][1].question
        line = (
            f"{identifier} {asked.person}, {asked.category}, {_show_scores(sample)}, gold "
            f"{_show_answer(asked.answer)}: {sample.describe()[:80]}"
        )
        output().print(plain(line), soft_wrap=True)
    recall, f1 = (
        math.fsum(sample.scores.get(name, 0.0) for sample in answers.values()) / len(answers)
        for name in ("recall", "f1")
    )
    output().print(f"recall {recall:.3f}, F1 {f1:.3f} over {len(answers):,} questions")


def _print_question(archive: "Archive", asked: "GroundedQuestion", full: bool) -> None:
    from personamem.loaders.personabench.prompts import render_documents

    out, question = output(), asked.question
    out.print(join((question.question_type, "bold"), f", {question.difficulty}"))
    out.print(
        plain(
            f"question {question.question_id} of {question.person}, {question.community}, "
            f"{len(archive.sessions):,} documents at noise {archive.noise}"
        )
    )
    needed = {session_id for value in asked.gold for session_id in value.session_ids}
    shown = [each for each in archive.sessions if full or each.session_id in needed]
    out.print("\n[bold]Documents[/]" if full else "\n[bold]Documents that reveal the answer[/]")
    out.print(plain(render_documents(archive.person.name, shown)), soft_wrap=True)
    out.print(join("\n", ("Question:", "bold"), f" {question.text}"), soft_wrap=True)
    out.print(plain(_show_answer(question.answer), "green"), soft_wrap=True)
    for value in asked.gold:
        line = f"  {value.value}: in {' or '.join(value.session_ids)}"
        out.print(plain(line), soft_wrap=True)
    if question.outdated_values:
        out.print(plain(f"no longer: {_show_answer(question.outdated_values)}"), soft_wrap=True)


def _show_scores(sample: Sample) -> str:
    return f"recall {sample.scores.get('recall', 0.0):.2f}, F1 {sample.scores.get('f1', 0.0):.2f}"


def _show_answer(answer: object) -> str:
    from personamem.loaders.personabench.answers import encode_answer

    return encode_answer(answer)
