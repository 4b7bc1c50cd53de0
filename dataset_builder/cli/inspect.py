"""``personamem info`` and ``personamem show``: look at a dataset."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from personamem.dataset_builder.cli.console import output
from personamem.dataset_builder.cli.samples import Sample, find_question, read_samples
from personamem.dataset_builder.families.personabench.show import show_open
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personabench.schema import NOISE_SPLITS

Source = Annotated[
    str, typer.Argument(help="Folder of a dataset, or a Hub id, optionally with @revision.")
]


def info(
    source: Source, split: Annotated[str, typer.Option(help="Split, such as 32k.")] = ""
) -> None:
    """Print what a dataset holds: splits, questions by type and topic, contexts.

    Without --split, every split that the source has is read and checked.

    Example: personamem info data
    """
    from personamem.loaders import load_personamem
    from personamem.loaders.formats.sources import find_manifest, list_splits

    table = Table(title=escape(source))
    for column in ("split", "questions", "contexts", "types", "topics", "a/b/c/d"):
        table.add_column(column, justify="left" if column == "split" else "right")
    types: dict[str, dict[str, int]] = {}
    for name in (split,) if split else list_splits(source):
        data = load_personamem(source, name)
        count = _count([q.question_type for q in data.questions])
        letters = _count([q.correct_answer[1] for q in data.questions])
        for question_type, number in count.items():
            types.setdefault(question_type, {})[name] = number
        table.add_row(
            name,
            f"{len(data.questions):,}",
            str(len(data.context_ids)),
            str(len(count)),
            str(len({q.topic for q in data.questions})),
            "/".join(str(letters.get(letter, 0)) for letter in "abcd"),
        )
    output().print(table)
    output().print(_type_table(types))
    manifest = None if split else find_manifest(source)
    if manifest is not None and manifest.communities is not None:
        output().print(_community_table(manifest.communities))


def show(
    source: Source,
    split: Annotated[
        str,
        typer.Option(
            help="Split, such as 32k, or noise_05 of open questions. Samples of personamem eval "
            "know theirs."
        ),
    ] = "",
    question: Annotated[
        str,
        typer.Option(
            help="Question id, or the number of the question in the split, from 0. "
            "With --samples and without this, all samples are listed."
        ),
    ] = "",
    full: Annotated[bool, typer.Option(help="Print all that the question sees.")] = False,
    samples: Annotated[
        Path | None, typer.Option(help="A samples_*.jsonl of --log_samples: what a model answered.")
    ] = None,
) -> None:
    """Print one question with its gold, and the messages or documents that prove it.

    Example: personamem show data --split 32k --question 17

    Example: personamem show data --samples results/MODEL/samples_personamem_32k_DATE.jsonl
    """
    from personamem.loaders import load_personamem

    answers = read_samples(samples) if samples else {}
    split = split or next((sample.split for sample in answers.values() if sample.split), "")
    if not split:
        raise InvalidInputError("Which split? Give --split, such as 32k, or noise_05.")
    if split in NOISE_SPLITS:
        show_open(source, split, question, full, answers)
        return
    data = load_personamem(source, split)
    if samples and not question:
        _list_samples(data.questions, answers)
        return
    chosen = find_question(data.questions, question or "0")
    _print_question(data, chosen, full)
    if samples:
        _print_answer(answers.get(chosen.question_id), samples)


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
            f"{identifier} {place} {chosen.question_type} {verdict} "
            f"gold {chosen.correct_answer}: {escape(sample.describe()[:80])}",
            soft_wrap=True,
        )
    right = sum(sample.right for sample in answers.values())
    output().print(f"{right:,} of {len(answers):,} right")


def _print_answer(sample: Sample | None, path: Path) -> None:
    if sample is None:
        raise InvalidInputError(f"{path} has no sample of this question.")
    verdict = "[green]right[/]" if sample.right else "[red]wrong[/]"
    seen = f" (condition {sample.condition})" if sample.condition not in (None, "full") else ""
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
    out.print(
        f"question {chosen.question_id}, context {chosen.shared_context_id[:12]}, "
        f"{len(messages)} messages, {chosen.context_length_in_tokens:,} tokens"
    )
    if annotation:
        pair = f", asked {annotation.pair_position} the update" if annotation.pair_id else ""
        out.print(
            f"asked on {annotation.asked_on}, {chosen.distance_to_ref_in_tokens:,} tokens after "
            f"the evidence{pair}"
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
            f"{mark} {index:>5} [bold]{message['role']}[/]: {escape(message['content'])}",
            soft_wrap=True,
        )


def _type_table(types: dict[str, dict[str, int]]) -> Table:
    names = list(dict.fromkeys(name for counts in types.values() for name in counts))
    table = Table("question type", *names)
    for question_type, counts in sorted(types.items()):
        table.add_row(escape(question_type), *(str(counts.get(name, 0)) for name in names))
    return table


def _community_table(counts: Mapping[str, Any]) -> Table:
    number = counts["communities"]
    title = (
        f"{number} communit{'y' if number == 1 else 'ies'}, {counts['test_users']} people asked "
        f"{counts['questions']:,} open questions"
    )
    table = Table("noise", "documents", *counts["categories"], title=title)
    for name, level in counts["splits"].items():
        asked = map(str, counts["categories"].values())
        table.add_row(escape(name), f"{level['sessions']:,}", *asked)
    return table


def _count(values: Sequence[str]) -> dict[str, int]:
    return {value: values.count(value) for value in sorted(set(values))}
