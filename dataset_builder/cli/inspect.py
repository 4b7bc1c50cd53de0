"""``personamem info`` and ``personamem show``: what a dataset holds, and one question of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from personamem.dataset_builder.cli.completion import complete_split
from personamem.dataset_builder.core.console import output
from personamem.loaders.formats.errors import DatasetError, InvalidInputError, unknown_choice
from personamem.loaders.formats.whole_files import prepare_file, write_json

Source = Annotated[
    str, typer.Argument(help="Folder of a dataset, or a Hub id, optionally with @revision.")
]


def info(
    source: Source,
    split: Annotated[
        str, typer.Option(help="Split, such as 32k.", autocompletion=complete_split)
    ] = "",
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write the counts to this file.")
    ] = None,
) -> None:
    """Print what a dataset holds: splits, questions by type and topic, contexts.

    Without --split, every split of the source is read and checked.

    Example: personamem info data
    """
    from personamem.dataset_builder.families.registry import list_families

    prepare_file(json_file)
    known: list[str] = []
    counts: dict[str, Mapping[str, Any]] = {}
    for family in list_families():
        splits = family.list_splits(source)
        known += splits
        chosen = [name for name in splits if split in ("", name)]
        if not chosen:
            continue
        counts[family.name] = family.count_splits(source, chosen)
        for table in family.make_info(source, counts[family.name]):
            output().print(table)
    if not known:
        raise DatasetError(f"{source} is not a dataset of any family.")
    if split and split not in known:
        raise unknown_choice(f"split of {source}", split, known)
    if json_file:
        write_json(json_file, counts)


def show(
    source: Source,
    split: Annotated[
        str,
        typer.Option(
            help="Split, such as 32k or noise_05. Samples of personamem eval record theirs.",
            autocompletion=complete_split,
        ),
    ] = "",
    question: Annotated[
        str,
        typer.Option(
            help="Question id, or the number of the question in the split, from 0. "
            "With --samples and without this option, all samples are listed."
        ),
    ] = "",
    full: Annotated[
        bool, typer.Option("--full", help="Print everything that the question sees.")
    ] = False,
    samples: Annotated[
        Path | None,
        typer.Option(
            help="A samples_*.jsonl that personamem eval --log_samples wrote, or a log (.eval) of "
            "inspect-ai: also print what the model answered."
        ),
    ] = None,
) -> None:
    """Print one question with its gold, and the messages or documents that prove it.

    Example: personamem show data --split 32k --question 17

    Example: personamem show data --samples results/MODEL/samples_personamem_32k_DATE.jsonl
    """
    from personamem.dataset_builder.families.registry import get_family
    from personamem.dataset_builder.families.samples import read_samples
    from personamem.tasks.registry import find_family, list_splits

    answers = read_samples(samples) if samples else {}
    split = split or next((sample.split for sample in answers.values() if sample.split), "")
    if not split:
        raise InvalidInputError(f"--split is required. Accepted: {', '.join(list_splits())}.")
    get_family(find_family(split).name).show_question(source, split, question, full, answers)
