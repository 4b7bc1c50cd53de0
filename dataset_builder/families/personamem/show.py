"""What ``info`` and ``show`` print about PersonaMem splits."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from personamem.dataset_builder.core.console import output
from personamem.dataset_builder.families.samples import Sample, find_question
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import LETTERS
from personamem.loaders.personamem.dataset import load_personamem


def make_info(source: str | Path, splits: Sequence[str]) -> list[RenderableType]:
    """Return a table of the splits and one of their question types. Reads and checks each split."""
    table = Table(title=escape(str(source)))
    for column in ("split", "questions", "contexts", "types", "topics", "a/b/c/d"):
        table.add_column(column, justify="left" if column == "split" else "right")
    types: dict[str, dict[str, int]] = {}
    for name in splits:
        data = load_personamem(source, name)
        count = Counter(question.question_type for question in data.questions)
        letters = Counter(question.correct_answer[1] for question in data.questions)
        for question_type, number in count.items():
            types.setdefault(question_type, {})[name] = number
        table.add_row(
            escape(name),
            f"{len(data.questions):,}",
            str(len(data.context_ids)),
            str(len(count)),
            str(len({question.topic for question in data.questions})),
            "/".join(str(letters.get(letter, 0)) for letter in LETTERS),
        )
    return [table, _type_table(types)]


def show_question(
    source: str, split: str, question: str, full: bool, answers: Mapping[str, Sample]
) -> None:
    """Print one question with its evidence, or list all ``answers``; see ``Family``.

    Raises:
        InvalidInputError: no such question, or answers to questions of another dataset.
    """
    data = load_personamem(source, split)
    if answers and not question:
        _list_samples(data.questions, answers)
        return
    chosen = find_question(data.questions, question or "0")
    _print_question(data, chosen, full)
    if answers:
        _print_answer(answers.get(chosen.question_id), chosen.question_id)


def _list_samples(questions: Sequence[Any], answers: Mapping[str, Sample]) -> None:
    known = {question.question_id: question for question in questions}
    for identifier, sample in answers.items():
        if identifier not in known:
            raise InvalidInputError(
                f"The samples are of another dataset or split: it has no question {identifier}."
            )
        chosen = known[identifier]
        verdict = "[green]right[/]" if sample.right else "[red]wrong[/]"
        place = f"context {chosen.shared_context_id[:12]}:{chosen.end_index_in_shared_context}"
        output().print(
            f"{escape(f'{identifier} {place} {chosen.question_type}')} {verdict} "
            f"gold {escape(chosen.correct_answer)}: {escape(sample.describe()[:80])}",
            soft_wrap=True,
        )
    right = sum(sample.right for sample in answers.values())
    output().print(f"{right:,} of {len(answers):,} right")


def _print_answer(sample: Sample | None, question_id: str) -> None:
    if sample is None:
        raise InvalidInputError(f"The samples have none of question {question_id}.")
    verdict = "[green]right[/]" if sample.right else "[red]wrong[/]"
    shown = sample.condition not in (None, "full")
    seen = escape(f" (condition {sample.condition})") if shown else ""
    answer = escape(sample.describe())
    output().print(f"\n[bold]Answered[/]{seen}, {verdict}: {answer}", soft_wrap=True)


def _print_question(data: Any, chosen: Any, full: bool) -> None:
    messages = data.messages_for(chosen)
    annotation = data.evidence_for(chosen)
    out = output()
    out.print(
        f"[bold]{escape(chosen.question_type)}[/], {escape(chosen.topic)}, "
        f"persona {chosen.persona_id}"
    )
    names = f"question {chosen.question_id}, context {chosen.shared_context_id[:12]}"
    out.print(
        f"{escape(names)}, {len(messages)} messages, {chosen.context_length_in_tokens:,} tokens"
    )
    if annotation:
        pair = f", asked {annotation.pair_position} the update" if annotation.pair_id else ""
        out.print(
            escape(
                f"asked on {annotation.asked_on}, {chosen.distance_to_ref_in_tokens:,} tokens "
                f"after the evidence{pair}"
            )
        )
    if full:
        _print_messages(messages, range(len(messages)), ())
    elif annotation:
        out.print("\n[bold]What the context says[/] (evidence for the gold marked with *)")
        _print_messages(
            messages, annotation.related_message_indices, annotation.evidence_message_indices
        )
    out.print(f"\n[bold]Question:[/] {escape(chosen.user_question_or_message)}", soft_wrap=True)
    for index, text in enumerate(chosen.options):
        gold = index == chosen.answer_index
        role = f"  ({annotation.option_roles[index]})" if annotation else ""
        line = f"{'*' if gold else ' '} ({'abcd'[index]}) {escape(text)}{escape(role)}"
        out.print(f"[green]{line}[/]" if gold else line, soft_wrap=True)


def _print_messages(
    messages: Sequence[Any], indices: Sequence[int], evidence: Sequence[int]
) -> None:
    for index in indices:
        message = messages[index]
        mark = "*" if index in evidence else " "
        output().print(
            f"{mark} {index:>5} [bold]{escape(message['role'])}[/]: {escape(message['content'])}",
            soft_wrap=True,
        )


def _type_table(types: dict[str, dict[str, int]]) -> Table:
    names = list(dict.fromkeys(name for counts in types.values() for name in counts))
    table = Table("question type", *map(escape, names))
    for question_type, counts in sorted(types.items()):
        table.add_row(escape(question_type), *(str(counts.get(name, 0)) for name in names))
    return table
