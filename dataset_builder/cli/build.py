"""``personamem build``: make a dataset."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from personamem.dataset_builder.cli.console import errors, output
from personamem.dataset_builder.core.parallel import import_ahead
from personamem.dataset_builder.families.personamem.packs import topic_names
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import SIZES

if TYPE_CHECKING:
    from personamem.dataset_builder.packaging.build import Progress

PRICE = "Of a million tokens."


def build(
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder to make. It appears when the build is complete. Needed but for --plan."
        ),
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Context size, repeatable: {', '.join(SIZES)}. [default: 32k, 128k, 1M]"
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Same seed, same bytes. [default: 0]")
    ] = None,
    personas: Annotated[
        int | None, typer.Option(help="Personas, a multiple of 4. [default: 60]")
    ] = None,
    questions: Annotated[
        int | None,
        typer.Option(help="Questions per size, a multiple of 4. [default: 592, 2728, 2676, ...]"),
    ] = None,
    topic: Annotated[
        list[str] | None,
        typer.Option(help=f"Topic, repeatable: {', '.join(topic_names())}. [default: all]"),
    ] = None,
    communities: Annotated[
        int | None,
        typer.Option(
            min=0, help="Communities with open questions over documents; 0 for none. [default: 5]"
        ),
    ] = None,
    version: Annotated[str | None, typer.Option(help="Version of the dataset, like 1.0.0.")] = None,
    config: Annotated[
        Path | None, typer.Option(help="YAML file with these settings; options win over it.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes. Changes no byte. [default: one a core]")
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Work on a Ray cluster: local (a new one of this machine), auto (the one it is a "
            "node of) or HOST:PORT. Changes no byte; needs personamem[ray].",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option(help="Replace a folder that exists.")] = False,
    writer: Annotated[
        str | None, typer.Option(help="Who writes the text: template, openai. [default: template]")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Model of the writer openai, as its server calls it.")
    ] = None,
    temperature: Annotated[float | None, typer.Option(help="Of the model. [default: 0.8]")] = None,
    max_tokens: Annotated[
        int | None, typer.Option(help="Of one answer. [default: by the length of the session]")
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            help="OpenAI-compatible server, like http://localhost:8000/v1; the key is in "
            "OPENAI_API_KEY. Without one, all answers come from the store."
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            help="Instead of a server: vllm, on the cluster of --ray or on this machine; the model "
            "is a name on the Hub or a folder. Needs personamem[vllm,ray]."
        ),
    ] = None,
    engine_args: Annotated[
        str | None,
        typer.Option(help="Of the engine, like tensor_parallel_size=2,max_model_len=8192."),
    ] = None,
    replicas: Annotated[
        int | None, typer.Option(min=1, help="Engines beside each other. [default: 1]")
    ] = None,
    store: Annotated[
        Path | None, typer.Option(help="File that keeps every answer; made if it is not there.")
    ] = None,
    concurrency: Annotated[int | None, typer.Option(help="Requests at a time.")] = None,
    plan: Annotated[
        bool, typer.Option(help="Print calls, tokens and price of writing; send nothing.")
    ] = False,
    budget: Annotated[
        float | None, typer.Option(help="The most that writing may cost; a run stops before.")
    ] = None,
    price_input: Annotated[float | None, typer.Option(min=0, help=PRICE)] = None,
    price_cached: Annotated[float | None, typer.Option(min=0, help=PRICE)] = None,
    price_output: Annotated[float | None, typer.Option(min=0, help=PRICE)] = None,
) -> None:
    """Build a dataset from a simulated world in which every answer is provable.

    Four personas share each question, with four different right answers, so that nothing but the
    context tells which option is right. Beside these lie open questions over private documents of
    people who know each other, at four levels of noise. The same settings give the same bytes, on
    any machine, with any number of workers. A build that is interrupted leaves no folder; run it
    again.

    With --writer openai a language model writes the sessions that matter, the options of questions
    and the private documents. Each is checked against what it has to say, written anew up to three
    times, and otherwise left to the templates.

    Example: personamem build --size 32k --seed 7 --out data
    """
    if workers != 1 and ray is None and not plan:
        import_ahead("personamem.dataset_builder.packaging.worker_imports")
    # Imported here so that --help does not wait for the libraries a build needs.
    from personamem.dataset_builder.cli.writing import Writing, print_plan, write
    from personamem.dataset_builder.core.config import load_config, make_config
    from personamem.dataset_builder.core.ray_workers import RayWorkers
    from personamem.dataset_builder.packaging.build import build_dataset
    from personamem.dataset_builder.packaging.folder import check_folder
    from personamem.dataset_builder.packaging.manifest import MADE_WITH

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
        "sizes": size,
        "seed": seed,
        "personas": personas,
        "questions": questions,
        "topics": topic,
        "communities": communities,
        "version": version,
        "writer": writer,
        "model": settings_of_model or None,
    }
    given = {key: value for key, value in values.items() if value is not None}
    settings = load_config(config, **given) if config else make_config(**given)
    if settings.writer == "template":
        writing.refuse()
    elif plan:
        print_plan(settings, writing)
        return
    if out is None:
        raise InvalidInputError("--out is missing. Accepted: a folder that is not there yet.")
    # Before anything is paid for.
    check_folder(out, overwrite)
    pool = workers if ray is None else RayWorkers(ray, workers, same=MADE_WITH)
    script = None if settings.writer == "template" else write(settings, writing, ray)
    with _progress() as report:
        manifest = build_dataset(settings, out, pool, overwrite, report, script)
    _print_summary(out, manifest)


@contextmanager
def _progress() -> Iterator[Callable[["Progress"], None]]:
    """Yield a callback that draws bars on a terminal and prints plain lines otherwise."""
    console = errors()
    if not console.is_terminal:

        def print_line(progress: "Progress") -> None:
            step = max(1, progress.total // 4)
            if progress.done % step == 0 or progress.done == progress.total:
                console.print(
                    f"{progress.size}: {progress.done}/{progress.total} contexts, "
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
            if progress.size not in tasks:
                tasks[progress.size] = bars.add_task(progress.size, total=progress.total, tokens=0)
            bars.update(tasks[progress.size], completed=progress.done, tokens=progress.tokens)

        yield draw


def _print_summary(out: Path, manifest: dict[str, Any]) -> None:
    for name, split in manifest["splits"].items():
        output().print(
            f"{name}: {split['questions']:,} questions, {split['contexts']} contexts, "
            f"{split['tokens']:,} tokens"
        )
    if "communities" in manifest:
        counts = manifest["communities"]
        output().print(
            f"communities: {counts['questions']:,} open questions, {counts['test_users']} people, "
            f"{max(split['sessions'] for split in counts['splits'].values()):,} documents"
        )
    output().print(f"Built {manifest['name']} {manifest['version']} in {out}")
