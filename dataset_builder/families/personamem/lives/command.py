"""The command ``personamem content check``: whether the texts of the bank are proven."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.table import Table

from personamem.dataset_builder.core.console import output
from personamem.dataset_builder.families.personamem.lives.bank import (
    NeedId,
    get_need,
    list_need_ids,
    locate_need,
)
from personamem.dataset_builder.families.personamem.lives.checking import (
    group_answers,
    make_requests,
    read_batch,
    record_answers,
)
from personamem.dataset_builder.families.personamem.lives.events import find_event_problems
from personamem.dataset_builder.families.personamem.lives.need import Need
from personamem.dataset_builder.families.personamem.lives.readings import (
    Readings,
    find_unproven,
    load_readings,
    locate_readings,
)
from personamem.dataset_builder.families.personamem.lives.rules import find_problems
from personamem.loaders.formats.whole_files import prepare_file, write_json, write_whole


def content(
    action: Annotated[Literal["check"], typer.Argument(help="check: are all texts proven?")],
    out: Annotated[
        Path | None,
        typer.Option(help="Write what readers have to read into this batch file, and end"),
    ] = None,
    model: Annotated[str, typer.Option(help="The model named in the batch file")] = "reader",
    answers: Annotated[
        Path | None,
        typer.Option(
            help="Take the readers' answers from this batch file", exists=True, dir_okay=False
        ),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write counts and problems to this file")
    ] = None,
    readers: Annotated[
        str, typer.Option(help="Who read, for the record; needed with --answers")
    ] = "",
) -> None:
    """Check the texts that datasets are built from: their words, and what readers understood.

    Three readers see each text without the key and must agree on what it shows. With --out, what
    is unread or was changed becomes a batch of chat requests; with --answers, their replies become
    the record. Exit code 1 if a text is not proven.

    Example: personamem content check --out batch.jsonl
    """
    needs = {need_id: (get_need(need_id), _load(need_id)) for need_id in list_need_ids()}
    if out is not None:
        requests = make_requests(needs)
        lines = [
            json.dumps(
                {
                    "custom_id": request.name,
                    "method": "POST",
                    "url": "/v1/chat/completions",
                    "body": {
                        "model": model,
                        "messages": [{"role": "user", "content": request.prompt}],
                    },
                },
                ensure_ascii=False,
            )
            for request in requests
        ]
        write_whole(out, "".join(f"{line}\n" for line in lines))
        output().print(f"{len(requests)} requests in {out}", soft_wrap=True)
        return
    if answers is not None:
        if not readers:
            raise typer.BadParameter("say who read", param_hint="--readers")
        for need_id, texts in group_answers(read_batch(answers), needs, answers):
            need, old = needs[need_id]
            record_answers(locate_need(need_id), need_id, need, old, texts, readers)
        needs = {need_id: (get_need(need_id), _load(need_id)) for need_id in needs}
    if not _report(needs, json_file):
        raise typer.Exit(1)


def _load(need_id: NeedId) -> Readings | None:
    path = locate_need(need_id)
    return load_readings(path) if locate_readings(path).exists() else None


def _report(
    needs: dict[NeedId, tuple[Need, Readings | None]], json_file: Path | None = None
) -> bool:
    """Print a row for each need and a line for each problem; return whether there is none."""
    prepare_file(json_file)
    counts = {}
    table = Table("need", "artefacts", "proven", "realism", title="Texts and their readings")
    problems = []
    for need_id, (need, readings) in needs.items():
        name = "/".join(need_id)
        total = sum(len(choice.list_implied()) for choice in need.choices)
        unproven = find_unproven(need, readings) if readings else ["nobody has read it"]
        broken = {problem.split(":", 1)[0] for problem in unproven}
        proven = total - len(broken) if readings else 0
        counts[name] = {"artefacts": total, "proven": proven}
        table.add_row(name, str(total), str(proven), _describe_realism(readings))
        problems += [f"{name}: {problem}" for problem in (*find_problems(need), *unproven)]
    problems += find_event_problems()
    output().print(table)
    for problem in problems:
        output().print(problem, soft_wrap=True, markup=False)
    if json_file:
        write_json(json_file, {"needs": counts, "problems": problems})
    return not problems


def _describe_realism(readings: Readings | None) -> str:
    if readings is None:
        return ""
    values = sorted(r.realism for read in readings.artefacts.values() for r in read.readings)
    return f"median {values[len(values) // 2]} of 10" if values else ""
