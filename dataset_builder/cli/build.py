"""``personamem build``: make a dataset."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from personamem.dataset_builder.cli.family_options import merge_sections
from personamem.dataset_builder.core.console import errors, output
from personamem.dataset_builder.core.parallel import import_ahead
from personamem.dataset_builder.families.registry import get_family, list_imports
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.registry import FAMILIES
from personamem.loaders.formats.whole_files import prepare_file, write_json

if TYPE_CHECKING:
    from personamem.dataset_builder.families.base import Progress
    from personamem.loaders.formats.manifest import Manifest

WORK = "Work"
WRITER = "Writer"
"""Panels of the help, beside one for each family."""


def build(
    sections: dict[str, Any],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder to create; it appears when the build is complete. Required unless --plan "
            "is given."
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an existing folder.")
    ] = False,
    family: Annotated[
        list[str] | None,
        typer.Option(help=f"Family to build, repeatable: {', '.join(FAMILIES)}. [default: all]"),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed; the same one gives the same bytes. [default: 0]"),
    ] = None,
    version: Annotated[
        str | None, typer.Option(help="Version of the dataset. [default: 1.0.0]")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="YAML file with these settings; options override it.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Worker processes; the output is identical for any number. "
            "[default: one per core]",
            rich_help_panel=WORK,
        ),
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Work on a Ray cluster: local (a new one on this machine), auto (the one that "
            "this machine belongs to) or HOST:PORT. The output is identical. Needs "
            "personamem[ray].",
            rich_help_panel=WORK,
        ),
    ] = None,
    writer: Annotated[
        str | None,
        typer.Option(
            help="Writer of the text: template (no model) or openai. [default: template]",
            rich_help_panel=WRITER,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="Model of the writer openai, by the name that its server uses.",
            rich_help_panel=WRITER,
        ),
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(help="Sampling temperature. [default: 0.8]", rich_help_panel=WRITER),
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            help="Maximum tokens per reply. [default: by the length of the text]",
            rich_help_panel=WRITER,
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            help="OpenAI-compatible server, like http://localhost:8000/v1; its key is read from "
            "OPENAI_API_KEY. Without a server, all replies come from the store.",
            rich_help_panel=WRITER,
        ),
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(
            help="File that keeps every reply; created if missing.", rich_help_panel=WRITER
        ),
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(help="Concurrent requests.", rich_help_panel=WRITER)
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            help="Instead of a server: vllm, on the cluster of --ray or on this machine. --model "
            "is then a name on the Hub or a folder. Needs personamem[vllm,ray].",
            rich_help_panel=WRITER,
        ),
    ] = None,
    engine_args: Annotated[
        str | None,
        typer.Option(
            help="Arguments of the engine, like dtype=float16,max_model_len=8192.",
            rich_help_panel=WRITER,
        ),
    ] = None,
    replicas: Annotated[
        int | None,
        typer.Option(min=1, help="Number of engines. [default: 1]", rich_help_panel=WRITER),
    ] = None,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan",
            help="Print the calls, tokens and price of writing; send no request.",
            rich_help_panel=WRITER,
        ),
    ] = False,
    budget: Annotated[
        float | None,
        typer.Option(
            help="Maximum price of writing; a run stops before it exceeds this.",
            rich_help_panel=WRITER,
        ),
    ] = None,
    price_input: Annotated[
        float | None,
        typer.Option(min=0, help="Price per million input tokens.", rich_help_panel=WRITER),
    ] = None,
    price_cached: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Price per million cached input tokens. [default: as input]",
            rich_help_panel=WRITER,
        ),
    ] = None,
    price_output: Annotated[
        float | None,
        typer.Option(min=0, help="Price per million output tokens.", rich_help_panel=WRITER),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json",
            help="Also write the counts of what was built, or of the plan.",
            rich_help_panel=WORK,
        ),
    ] = None,
) -> None:
    """Build a dataset from a simulated world in which every answer is provable.

    Every family of benchmarks is built unless --family chooses some; the options of each family are
    listed under its name. The same settings give the same bytes, on any machine, with any number of
    workers. An interrupted build leaves no folder; run it again.

    With --writer openai, a language model writes everyday chats and documents. Each is held to its
    brief, rewritten up to three times, and otherwise a text of the package.

    Example: personamem build --size 32k --seed 7 --out data
    """
    prepare_file(json_file)
    if workers != 1 and ray is None and not plan:
        import_ahead(list_imports(family or None))
    # Imported here so that --help does not wait for the libraries a build needs.
    from personamem.dataset_builder.cli.writing import Writing, print_plan, write
    from personamem.dataset_builder.core.ray_workers import RayWorkers
    from personamem.dataset_builder.core.whole_folders import check_folder
    from personamem.dataset_builder.families.configuration import load_config, make_config
    from personamem.dataset_builder.packaging.build import build_dataset
    from personamem.dataset_builder.packaging.manifest import MADE_WITH, count_built

    writing = Writing(
        store=store,
        base_url=base_url,
        concurrency=concurrency,
        engine=engine,
        engine_args=engine_args,
        replicas=replicas,
        budget=budget,
        price_input=price_input,
        price_cached=price_cached,
        price_output=price_output,
        plan=plan,
    )
    settings_of_model = {
        key: value
        for key, value in (
            ("name", model),
            ("temperature", temperature),
            ("max_tokens", max_tokens),
        )
        if value is not None
    }
    values = {
        "families": merge_sections(family, sections),
        "seed": seed,
        "version": version,
        "writer": writer,
        "model": settings_of_model or None,
    }
    given = {key: value for key, value in values.items() if value is not None}
    settings = load_config(config, **given) if config else make_config(**given)
    if settings.writer == "template":
        writing.refuse()
    elif plan:
        planned = print_plan(settings, writing)
        if json_file:
            write_json(json_file, planned)
        return
    if out is None:
        raise InvalidInputError("--out is missing. Accepted: a folder that does not exist yet.")
    # Before anything is paid for.
    check_folder(out, overwrite)
    pool = workers if ray is None else RayWorkers(ray, workers, same=MADE_WITH)
    generated = None if settings.writer == "template" else write(settings, writing, ray)
    with _progress() as report:
        manifest = build_dataset(settings, out, pool, overwrite, report, generated)
    _print_summary(out, manifest)
    if json_file:
        write_json(json_file, count_built(manifest))


@contextmanager
def _progress() -> Iterator[Callable[["Progress"], None]]:
    """Yield a callback that draws bars on a terminal and prints plain lines otherwise."""
    console = errors()
    if not console.is_terminal:

        def print_line(progress: "Progress") -> None:
            step = max(1, progress.total // 4)
            if progress.done % step == 0 or progress.done == progress.total:
                console.print(
                    f"{progress.split}: {progress.done}/{progress.total} contexts, "
                    f"{progress.tokens:,} tokens"
                )

        yield print_line
        return
    columns = (
        TextColumn("{task.description:>5}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("contexts, {task.fields[tokens]:,} tokens"),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=console) as bars:
        tasks: dict[str, Any] = {}

        def draw(progress: "Progress") -> None:
            if progress.split not in tasks:
                tasks[progress.split] = bars.add_task(
                    progress.split, total=progress.total, tokens=0
                )
            bars.update(tasks[progress.split], completed=progress.done, tokens=progress.tokens)

        yield draw


def _print_summary(out: Path, manifest: "Manifest") -> None:
    for name, record in manifest.families.items():
        for line in get_family(name).describe_build(record):
            output().print(escape(line), soft_wrap=True)
    size = sum(file.bytes for file in manifest.files.values())
    output().print(
        escape(f"Built {manifest.name} {manifest.version} in {out}: {size / 1e6:,.1f} MB"),
        soft_wrap=True,
    )
