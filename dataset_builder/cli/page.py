"""``personamem page``: a dataset as a static site that a browser opens from the disk."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from personamem.dataset_builder.cli.completion import complete_split
from personamem.dataset_builder.core.console import errors, output, plain
from personamem.loaders.formats.errors import DatasetError, InvalidInputError, unknown_choice

if TYPE_CHECKING:
    from personamem.dataset_builder.reports.site.pages import SitePage


def page(
    source: Annotated[
        str,
        typer.Argument(
            help="Folder of a dataset, ours or an official release, or a Hub id, optionally with "
            "@revision.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="Folder of the site; it must not exist yet.", show_default=False)
    ],
    split: Annotated[
        str,
        typer.Option(
            help="Only this split, such as 32k. [default: all]", autocompletion=complete_split
        ),
    ] = "",
    samples: Annotated[
        list[Path] | None,
        typer.Option(
            help="A samples_*.jsonl that personamem eval --log_samples wrote, or a log (.eval) of "
            "inspect-ai, repeatable: show what was answered, and compare runs.",
            show_default=False,
        ),
    ] = None,
    results: Annotated[
        list[Path] | None,
        typer.Option(
            help="Results as personamem report takes them, repeatable: add its tables.",
            show_default=False,
        ),
    ] = None,
    audit: Annotated[
        Path | None,
        typer.Option(
            help="What personamem audit --json wrote: add its findings. [default: audit.json of "
            "SOURCE, if it is about this dataset]",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write a dataset as a site to read, search and filter, without a server or a network.

    Contexts are chats with dates; each question stands at its place with its options, their roles
    and its evidence; timelines show when a fact held, was told and was asked. Open index.html.

    Example: personamem page data --out site

    Example: personamem page data --out site --samples answers/MODEL/samples_TASK_DATE.jsonl
    """
    from personamem.dataset_builder.core.whole_folders import stage_folder
    from personamem.dataset_builder.families.registry import list_families
    from personamem.dataset_builder.families.samples import read_sample_files
    from personamem.dataset_builder.reports.site.write import write_site

    if out.exists():
        raise InvalidInputError(
            f"--out {out} exists already. Accepted: a folder that does not exist yet."
        )
    answers = read_sample_files(samples or [])
    splits = [
        each for family in list_families() for each in family.open_site(source, split, answers)
    ]
    if not splits:
        known = [name for family in list_families() for name in family.list_splits(source)]
        if split and known:
            raise unknown_choice(f"split of {source}", split, known)
        raise DatasetError(f"{source} is not a dataset of any family.")
    shown = {run.source for each in splits for run in each.runs}
    for file in answers:
        if file.path not in shown:
            names = ", ".join(each.name for each in splits)
            raise InvalidInputError(
                f"{file.path} holds answers to none of the questions of {source} ({names}). "
                "Accepted: samples of an evaluation on the splits that the site shows."
            )
    name = Path(source).resolve().name if Path(source).exists() else source
    pages = [*_report_on(results or []), *_find_audit(source, audit)]
    with stage_folder(out, overwrite=False) as folder:
        with errors().status(f"Writing {out}"):
            size = write_site(folder, name, splits, pages)
        megabytes = sum(path.stat().st_size for path in folder.rglob("*")) / 1e6
    output().print(
        plain(
            f"{out / 'index.html'}: {size.questions:,} questions over {size.contexts:,} contexts, "
            f"{megabytes:,.1f} MB. Open it in a browser."
        ),
        soft_wrap=True,
    )


def _report_on(results: Sequence[Path]) -> "Iterator[SitePage]":
    from personamem.dataset_builder.families.evaluations import read_evaluations
    from personamem.dataset_builder.families.registry import list_families
    from personamem.dataset_builder.reports.site.pages import make_report_page

    evaluations = read_evaluations(results)
    reports = [
        found
        for family in list_families()
        if (found := family.make_report(evaluations, ())) is not None
    ]
    used = frozenset[Path]().union(*(each.used for each in reports))
    for path in results:
        if path not in used:
            raise InvalidInputError(
                f"{path} holds no results of personamem. Accepted: what personamem report takes."
            )
    return map(make_report_page, reports)


def _find_audit(source: str, given: Path | None) -> "Iterator[SitePage]":
    """Yield the audit that was given, or the one beside the dataset unless it is another's."""
    from personamem.dataset_builder.reports.site.pages import read_audit_page
    from personamem.loaders.formats.audit_record import AUDIT
    from personamem.loaders.formats.manifest import MANIFEST, hash_file

    folder = Path(source).expanduser()
    manifest = folder / MANIFEST
    sha256 = hash_file(manifest) if manifest.is_file() else None
    if given is not None:
        yield read_audit_page(given, sha256)
    elif sha256 and (folder / AUDIT).is_file():
        try:
            yield read_audit_page(folder / AUDIT, sha256)
        except InvalidInputError as error:
            errors().print(plain(f"Left out: {error}"), soft_wrap=True)
