"""What ``info`` and ``show`` print about PersonaMem splits."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from personamem.dataset_builder.core.console import join, output, plain
from personamem.dataset_builder.families.samples import Sample, find_question
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import LETTERS, Message, Question
from personamem.loaders.personamem.dataset import PersonaMem, load_personamem


def count_splits(source: str | Path, splits: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return counts of each split: questions and contexts, and questions by type, topic, letter.

    Reads and checks each split.
    """
    return {name: _count_split(load_personamem(source, name)) for name in splits}


def _count_split(data: PersonaMem) -> dict[str, Any]:
    letters = Counter(question.correct_answer[1] for question in data.questions)
    return {
        "questions": len(data.questions),
        "contexts": len(data.context_ids),
        "types": dict(sorted(Counter(q.question_type for q in data.questions).items())),
        "topics": dict(sorted(Counter(q.topic for q in data.questions).items())),
        "letters": {letter: letters.get(letter, 0) for letter in LETTERS},
    }


def make_info(
    source: str | Path, counts_of: Mapping[str, Mapping[str, Any]]
) -> list[RenderableType]:
    """Return a table of the splits and one of their question types."""
    table = Table(title=plain(source))
    for column in ("split", "questions", "contexts", "types", "topics", "a/b/c/d"):
        table.add_column(column, justify="left" if column == "split" else "right")
    types: dict[str, dict[str, int]] = {}
    for name, counts in counts_of.items():
        for question_type, number in counts["types"].items():
            types.setdefault(question_type, {})[name] = number
        table.add_row(
            plain(name),
            f"{counts['questions']:,}",
            str(counts["contexts"]),
            str(len(counts["types"])),
            str(len(counts["topics"])),
            "/".join(map(str, counts["letters"].values())),
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


def _list_samples(questions: Sequence[Question], answers: Mapping[str, Sample]) -> None:
    known = {question.question_id: question for question in questions}
    for identifier, sample in answers.items():
        if identifier not in known:
            raise InvalidInputError(
                f"The samples are of another dataset or split: it has no question {identifier}."
            )
        chosen = known[identifier]
        place = f"context {chosen.shared_context_id[:12]}:{chosen.end_index_in_shared_context}"
        line = join(
            f"{identifier} {place} {chosen.question_type} ",
            _verdict(sample),
            f" gold {chosen.correct_answer}: {sample.describe()[:80]}",
        )
        output().print(line, soft_wrap=True)
    right = sum(sample.right for sample in answers.values())
    output().print(f"{right:,} of {len(answers):,} right")


def _print_answer(sample: Sample | None, question_id: str) -> None:
    if sample is None:
        raise InvalidInputError(f"The samples have none of question {question_id}.")
    seen = f" (condition {sample.condition})" if sample.condition not in (None, "full") else ""
    line = join(
        *("\n", ("Answered", "bold"), f"{seen}, "), _verdict(sample), f": {sample.describe()}"
    )
    output().print(line, soft_wrap=True)


def _verdict(sample: Sample) -> tuple[str, str]:
    return ("right", "green") if sample.right else ("wrong", "red")


def _print_question(data: PersonaMem, chosen: Question, full: bool) -> None:
    messages = data.messages_for(chosen)
    annotation = data.evidence_for(chosen)
    out = output()
    out.print(
        join((chosen.question_type, "bold"), f", {chosen.topic}, persona {chosen.persona_id}")
    )
    tokens = chosen.context_length_in_tokens
    length = "" if tokens is None else f", {tokens:,} tokens"
    context = chosen.shared_context_id[:12]
    out.print(
        plain(f"question {chosen.question_id}, context {context}, {len(messages)} messages{length}")
    )
    if annotation:
        pair = f", asked {annotation.pair_position} the update" if annotation.pair_id else ""
        out.print(
            plain(
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
    out.print(
        join("\n", ("Question:", "bold"), f" {chosen.user_question_or_message}"), soft_wrap=True
    )
    for index, text in enumerate(chosen.options):
        gold = index == chosen.answer_index
        role = f"  ({annotation.option_roles[index]})" if annotation else ""
        line = f"{'*' if gold else ' '} ({LETTERS[index]}) {text}{role}"
        out.print(plain(line, "green" if gold else ""), soft_wrap=True)


def _print_messages(
    messages: Sequence[Message], indices: Sequence[int], evidence: Sequence[int]
) -> None:
    for index in indices:
        message = messages[index]
        mark = "*" if index in evidence else " "
        line = join(f"{mark} {index:>5} ", (message["role"], "bold"), f": {message['content']}")
        output().print(line, soft_wrap=True)


def _type_table(types: dict[str, dict[str, int]]) -> Table:
    names = list(dict.fromkeys(name for counts in types.values() for name in counts))
    table = Table("question type")
    for name in names:
        table.add_column(plain(name))
    for question_type, counts in sorted(types.items()):
        table.add_row(plain(question_type), *(str(counts.get(name, 0)) for name in names))
    return table
