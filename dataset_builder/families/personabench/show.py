"""``personamem show`` for open questions: one with its gold documents, or what a model answered."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from personamem.dataset_builder.core.console import output
from personamem.dataset_builder.families.personabench.record import PersonaBenchRecord
from personamem.dataset_builder.families.record import read_record
from personamem.dataset_builder.families.samples import Sample, find_question
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.sources import find_manifest
from personamem.loaders.personabench.schema import FAMILY, NOISE_SPLITS

if TYPE_CHECKING:
    from personamem.loaders.personabench.records import Archive, GroundedQuestion


def make_info(source: str | Path) -> list[RenderableType]:
    """Return a table of the noise levels: documents, and questions by category."""
    manifest = find_manifest(source)
    if manifest is None or FAMILY not in manifest.families:
        return []
    record = read_record(manifest, FAMILY, PersonaBenchRecord)
    number = record.communities
    title = (
        f"{number} communit{'y' if number == 1 else 'ies'}, {record.test_users} people ask "
        f"{record.questions:,} open questions"
    )
    table = Table("split", "documents", *map(escape, record.categories), title=title)
    for name, level in record.splits.items():
        asked = map(str, record.categories.values())
        table.add_row(escape(name), f"{level.sessions:,}", *asked)
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
        InvalidInputError: no such question, or answers to questions of another dataset.
    """
    from personamem.loaders.personabench import load_personabench

    archives = load_personabench(source).archives(NOISE_SPLITS[split])
    known = {
        asked.question.question_id: (archive, asked)
        for archive in archives
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
        seen = escape(f" (condition {sample.condition})") if sample.condition else ""
        output().print(
            f"\n[bold]Answered[/]{seen}, {_show_scores(sample)}: {escape(sample.describe())}",
            soft_wrap=True,
        )


def _list_answers(
    known: "Mapping[str, tuple[Archive, GroundedQuestion]]", answers: Mapping[str, Sample]
) -> None:
    for identifier, sample in answers.items():
        if identifier not in known:
            raise InvalidInputError(
                f"The samples are of another dataset or split: it has no question {identifier}."
            )
        asked = known[identifier][1].question
        gold = escape(_show_answer(asked.answer))
        output().print(
            f"{escape(f'{identifier} {asked.person}')}, {asked.category}, {_show_scores(sample)}, gold "
            f"{gold}: {escape(sample.describe()[:80])}",
            soft_wrap=True,
        )
    recall, f1 = (
        math.fsum(sample.scores.get(name, 0.0) for sample in answers.values()) / len(answers)
        for name in ("recall", "f1")
    )
    output().print(f"recall {recall:.3f}, F1 {f1:.3f} over {len(answers):,} questions")


def _print_question(archive: "Archive", asked: "GroundedQuestion", full: bool) -> None:
    from personamem.loaders.personabench.prompts import render_documents

    out, question = output(), asked.question
    out.print(f"[bold]{escape(question.question_type)}[/], {question.difficulty}")
    names = f"question {question.question_id} of {question.person}, {question.community}"
    out.print(f"{escape(names)}, {len(archive.sessions):,} documents at noise {archive.noise}")
    needed = {session_id for value in asked.gold for session_id in value.session_ids}
    shown = [each for each in archive.sessions if full or each.session_id in needed]
    out.print("\n[bold]Documents[/]" if full else "\n[bold]Documents that reveal the answer[/]")
    out.print(escape(render_documents(archive.person.name, shown)), soft_wrap=True)
    out.print(f"\n[bold]Question:[/] {escape(question.text)}", soft_wrap=True)
    out.print(f"[green]{escape(_show_answer(question.answer))}[/]", soft_wrap=True)
    for value in asked.gold:
        places = " or ".join(value.session_ids)
        out.print(escape(f"  {value.value}: in {places}"), soft_wrap=True)
    if question.outdated_values:
        former = escape(_show_answer(question.outdated_values))
        out.print(f"no longer: {former}", soft_wrap=True)


def _show_scores(sample: Sample) -> str:
    return f"recall {sample.scores.get('recall', 0.0):.2f}, F1 {sample.scores.get('f1', 0.0):.2f}"


def _show_answer(answer: object) -> str:
    from personamem.loaders.personabench.answers import encode_answer

    return encode_answer(answer)
