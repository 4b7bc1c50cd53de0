"""``personamem export``: datasets as rows for training, or in the columns of PersonaMem-v2."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from personamem.dataset_builder.core.console import errors, output
from personamem.dataset_builder.core.whole_folders import check_folder, stage_folder
from personamem.loaders.formats.errors import InvalidInputError

if TYPE_CHECKING:
    from personamem.loaders import PersonaMem

RECORD = "export.json"


def export(
    source: Annotated[str, typer.Argument(help="Dataset: a folder or a Hub id[@revision].")],
    split: Annotated[str, typer.Option(help="Size such as 32k.")],
    out: Annotated[Path, typer.Option(help="Folder to write.")],
    form: Annotated[
        Literal["verl", "trl", "openai", "personamem-v2"],
        typer.Option(
            "--format",
            help="verl and trl: Parquet for training by reward; openai: JSON lines for "
            "supervised training; personamem-v2: benchmark.csv and histories.",
        ),
    ],
    history: Annotated[
        Literal["prompt", "column"] | None,
        typer.Option(
            help="Where the conversation goes: into the prompt, or as text into the column "
            "context, for agents that read it in parts. [default: prompt]"
        ),
    ] = None,
    hold_out_topics: Annotated[
        int, typer.Option(min=0, help="Topics that training never asks about.")
    ] = 0,
    hold_out_personas: Annotated[
        int,
        typer.Option(min=0, help="Personas that training never sees; whole cohorts, so 4, 8 ..."),
    ] = 0,
    seed: Annotated[int, typer.Option(help="Chooses what is held out.")] = 0,
    table: Annotated[
        Literal["benchmark", "train", "val"] | None,
        typer.Option(
            help="Table of the official PersonaMem-v2. Its train and val share personas: rather "
            "hold some out of train."
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what the folder holds.")
    ] = False,
) -> None:
    """Write a split as rows for training, or in the columns of PersonaMem-v2.

    The four rows of a quad (one question, four personas, each with another right answer) stand
    together and on one side: kept so in a batch, they pay a policy that reads no conversation
    exactly .25. Nothing that is held out is in train: rows with a wording of test are left out.
    The score of a reply is personamem.loaders.score(completion, row).

    Example: personamem export data --split 4k --format trl --hold-out-personas 4 --out training
    """
    of_training = (history, hold_out_topics, hold_out_personas, seed, table)
    if form == "personamem-v2" and any(of_training):
        raise InvalidInputError(
            "--history, --hold-out-topics, --hold-out-personas, --seed and --table are for "
            "training. Accepted with --format personamem-v2: --split and --out."
        )
    if form == "openai" and history == "column":
        raise InvalidInputError(
            "--history column: chats have no columns. Accepted with --format openai: prompt."
        )
    check_folder(out, overwrite)
    data = _load(source, split, table)
    with stage_folder(out, overwrite) as folder:
        if form == "personamem-v2":
            from personamem.dataset_builder.families.personamem.exporting.version2_files import (
                choose_size,
                write_version2,
            )

            lines = [
                f"{write_version2(data, folder):,} queries in {out}",
                # With another size the runner shows no history and goes on.
                f"for the release's runner, in that folder: --size {choose_size(split)}",
            ]
        else:
            from personamem.dataset_builder.families.personamem.exporting.holding_out import (
                divide,
            )
            from personamem.dataset_builder.families.personamem.exporting.training_files import (
                write_training,
            )

            division = divide(data, hold_out_topics, hold_out_personas, seed)
            record = write_training(data, division, folder, form, history or "prompt")
            about = {"table": table, "seed": seed, **record}
            text = json.dumps(about, indent=1, ensure_ascii=False) + "\n"
            (folder / RECORD).write_text(text, encoding="utf-8")
            lines = list(_summarise(record))
    for line in lines:
        output().print(line, soft_wrap=True, markup=False)
    if form != "personamem-v2" and not data.has_annotations:
        errors().print(
            f"{data.source} has no quads: a policy that reads no conversation may earn more than "
            ".25.",
            soft_wrap=True,
            markup=False,
        )


def _summarise(record: Mapping[str, Any]) -> Iterator[str]:
    for part, count in record["rows"].items():
        yield f"{part}: {count:,} rows"
    if record["held_out_topics"]:
        yield f"held out: {', '.join(record['held_out_topics'])}"
    if record["held_out_personas"]:
        yield f"held out: personas {', '.join(map(str, record['held_out_personas']))}"
    if record["left_out"]:
        yield f"left out of train, worded as in test: {len(record['left_out']):,} rows"
    if record["shared_messages"] is not None:
        shared = record["shared_messages"]
        yield f"messages of held-out personas that others have too: {shared:.1%}"


def _load(source: str, split: str, table: str | None) -> "PersonaMem":
    """Return the questions; of a table, those that its histories can help with."""
    from personamem.loaders import load_personamem, load_version2

    if table is None:
        return load_personamem(source, split)
    version2 = load_version2(source, split, table)
    kept = [entry for entry in version2.entries if entry.is_answerable]
    if version2.unanswerable:
        errors().print(
            f"left out, since their history does not hold what they ask about: "
            f"{len(version2.unanswerable):,} rows"
        )
    return version2.keep(kept).data
