"""``personamem export``: datasets as rows for training, or in the columns of PersonaMem-v2."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from personamem.dataset_builder.core.console import errors, output
from personamem.dataset_builder.core.whole_folders import check_folder, stage_folder
from personamem.loaders.formats.errors import InvalidInputError

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
    from personamem.loaders import load_personamem

    if form == "personamem-v2" and (history or hold_out_topics or hold_out_personas or seed):
        raise InvalidInputError(
            "--history, --hold-out-topics, --hold-out-personas and --seed are for training. "
            "Accepted with --format personamem-v2: --split and --out."
        )
    if form == "openai" and history == "column":
        raise InvalidInputError(
            "--history column: chats have no columns. Accepted with --format openai: prompt."
        )
    check_folder(out, overwrite)
    data = load_personamem(source, split)
    if form == "personamem-v2":
        from personamem.dataset_builder.families.personamem.exporting.version2_files import (
            write_version2,
        )

        with stage_folder(out, overwrite) as folder:
            count = write_version2(data, folder)
        output().print(f"{count:,} queries in {out}", soft_wrap=True)
        return

    from personamem.dataset_builder.families.personamem.exporting.holding_out import (
        divide,
        measure_shared_messages,
    )
    from personamem.dataset_builder.families.personamem.exporting.training_files import (
        iterate_rows,
        write_side,
    )

    division = divide(data, hold_out_topics, hold_out_personas, seed)
    counts = {}
    with stage_folder(out, overwrite) as folder:
        for part in ("train", "test") if hold_out_topics or hold_out_personas else ("train",):
            rows = iterate_rows(data, division, part == "train")
            counts[part] = write_side(folder / part, rows, form, history or "prompt")
        shared = measure_shared_messages(data, division)
        record = {
            "source": data.source,
            "split": split,
            "format": form,
            "history": history or "prompt",
            "seed": seed,
            "rows": counts,
            "held_out_topics": division.topics,
            "held_out_personas": division.personas,
            "left_out": division.dropped,
            "shared_messages": shared,
        }
        text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
        (folder / RECORD).write_text(text, encoding="utf-8")
    for part, count in counts.items():
        output().print(f"{part}: {count:,} rows")
    if division.topics:
        output().print(f"held out: {', '.join(division.topics)}", soft_wrap=True)
    if division.personas:
        personas = ", ".join(map(str, division.personas))
        output().print(f"held out: personas {personas}", soft_wrap=True)
    if division.dropped:
        output().print(f"left out of train, worded as in test: {len(division.dropped):,} rows")
    if shared is not None:
        output().print(f"messages of held-out personas that others have too: {shared:.1%}")
    if not data.has_annotations:
        errors().print(
            f"{data.source} has no quads: a policy that reads no conversation may earn more than "
            ".25.",
            soft_wrap=True,
        )
