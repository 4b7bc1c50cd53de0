"""The files of a split of PersonaMem questions, in our layout or an official one.

The layout is recognised from what the folder holds: ``manifest.json`` marks a dataset of ours,
``questions_<split>.csv`` the first official release, ``benchmark/text/benchmark.csv`` the second.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from glob import escape
from pathlib import Path

from personamem.loaders.formats.errors import DatasetError, unknown_choice
from personamem.loaders.formats.files import find_file, has_file, list_names
from personamem.loaders.formats.hub import list_hub_files
from personamem.loaders.formats.manifest import MANIFEST, Manifest, read_manifest
from personamem.loaders.formats.schema import SIZES
from personamem.loaders.formats.sources import (
    Source,
    fetch_files,
    find_files,
    parse_source,
    refuse_half_written,
)
from personamem.loaders.personamem.version2.questions import find_splits as find_version2_splits
from personamem.loaders.personamem.version2.records import TABLE, TABLES
from personamem.loaders.personamem.version2.rows import list_links

FAMILY = "personamem"
"""The name under which a manifest has these splits."""

_KINDS = ("benchmark", "contexts", "annotations")
_OFFICIAL_QUESTIONS = re.compile(r"questions_(\w+)\.csv")


class Layout(StrEnum):
    """How the files of a dataset are laid out."""

    OURS = "personamem"
    VERSION_1 = "official v1"
    VERSION_2 = "official v2"


@dataclass(frozen=True, slots=True)
class SplitFiles:
    """The files of one split. ``manifest`` is set for our layout alone.

    ``contexts`` is one file, or in the second official release the folder of the links.
    """

    layout: Layout
    folder: Path
    split: str
    questions: Path
    contexts: Path
    annotations: Path | None
    manifest: Manifest | None


def locate_split(source: Source, split: str) -> SplitFiles:
    """Find (and for a Hub id fetch) the files of one split.

    Raises:
        DatasetNotFoundError: the repository, revision or folder does not exist or is not cached.
        DatasetError: a folder that is not a dataset, is half-written, or lacks a file; the Hub
            cannot be asked which splits there are.
        InvalidInputError: an unknown split; the message names those that exist.
    """
    folder = find_files(source, [MANIFEST, TABLE])
    if has_file(folder, MANIFEST):
        return _locate_ours(source, folder, split)
    if has_file(folder, TABLE):
        return _locate_version2(source, folder, split, "benchmark")
    refuse_half_written(folder)
    return _locate_official(source, folder, split)


def locate_version2(source: Source, split: str, table: str) -> SplitFiles:
    """Find (and for a Hub id fetch) a table of the second official release, and its histories.

    Raises:
        DatasetNotFoundError: the repository, revision or folder does not exist or is not cached.
        DatasetError: the source is not the second release, or lacks the table.
        InvalidInputError: a size that it does not have.
    """
    folder = find_files(source, [TABLE, TABLES[table]])
    if not has_file(folder, TABLE):
        raise DatasetError(
            f"{source} is not the second official release: it has no {TABLE}. A dataset of ours in "
            "its form is made by personamem export --format personamem-v2."
        )
    return _locate_version2(source, folder, split, table)


def list_splits(source: str | Path, revision: str | None = None) -> list[str]:
    """Return the names of a source's splits, smallest first; see ``find_splits``.

    Raises:
        DatasetError: also a source without any split of PersonaMem questions.
    """
    splits = find_splits(source, revision)
    if not splits:
        raise _not_a_dataset(parse_source(source, revision))
    return splits


def find_splits(source: str | Path, revision: str | None = None) -> list[str]:
    """Return the names of a source's splits, smallest first; empty if it has none.

    Of an official release on a Hub that cannot be reached, those whose questions are cached.

    Raises:
        DatasetNotFoundError: the repository, revision or folder does not exist or is not cached.
        DatasetError: a folder that is half-written; the Hub cannot be reached, and nothing is
            cached.
        InvalidInputError: a revision that cannot apply.
    """
    parsed = parse_source(source, revision)
    folder = find_files(parsed, [MANIFEST, TABLE])
    if has_file(folder, MANIFEST):
        return _by_size(read_manifest(folder / MANIFEST).splits_of(FAMILY))
    if has_file(folder, TABLE):
        return find_version2_splits(folder)
    refuse_half_written(folder)
    try:
        return _list_official_splits(parsed, folder)
    except DatasetError:
        cached = _name_splits(list_names(folder))
        if not cached:
            raise
        return cached


def _locate_ours(source: Source, folder: Path, split: str) -> SplitFiles:
    manifest = read_manifest(folder / MANIFEST)
    splits = manifest.splits_of(FAMILY)
    if not splits:
        raise DatasetError(
            f"{source} has no splits of PersonaMem questions: its {MANIFEST} has the families "
            f"{', '.join(manifest.families) or 'none'}."
        )
    if split not in splits:
        raise unknown_choice(f"split of {source}", split, _by_size(splits))
    names = {kind: f"{kind}/{split}.parquet" for kind in _KINDS}
    _fetch(source, folder, list(names.values()))
    # A table that the manifest does not list is refused when it is checked.
    annotated = manifest.lists(names["annotations"]) or has_file(folder, names["annotations"])
    for kind, name in names.items():
        if not has_file(folder, name) and (kind != "annotations" or annotated):
            raise DatasetError(f"{folder / name} is missing although {MANIFEST} names {split!r}.")
    return SplitFiles(
        layout=Layout.OURS,
        folder=folder,
        split=split,
        questions=find_file(folder, names["benchmark"]),
        contexts=find_file(folder, names["contexts"]),
        annotations=find_file(folder, names["annotations"]) if annotated else None,
        manifest=manifest,
    )


def _locate_official(source: Source, folder: Path, split: str) -> SplitFiles:
    questions, contexts = f"questions_{split}.csv", f"shared_contexts_{split}.jsonl"
    if _OFFICIAL_QUESTIONS.fullmatch(questions):
        _fetch(source, folder, [questions, contexts])
    if not _OFFICIAL_QUESTIONS.fullmatch(questions) or not has_file(folder, questions):
        try:
            known = _list_official_splits(source, folder)
        except DatasetError as error:
            raise DatasetError(f"Split {split!r} of {source} is not cached. {error}") from error
        if not known:
            raise _not_a_dataset(source)
        if split not in known:
            raise unknown_choice(f"split of {source}", split, known)
    if not has_file(folder, contexts):
        raise DatasetError(f"{folder / contexts} is missing beside {questions}.")
    return SplitFiles(
        Layout.VERSION_1,
        folder,
        split,
        find_file(folder, questions),
        find_file(folder, contexts),
        None,
        None,
    )


def _locate_version2(source: Source, folder: Path, split: str, table: str) -> SplitFiles:
    known = find_version2_splits(folder)
    if split not in known:
        raise unknown_choice(f"split of {source}", split, known)
    path = find_file(folder, TABLES[table])
    if source.hub_id is not None:
        # The folders of histories hold others too, some with the ids of other personas.
        _fetch(source, folder, [escape(link) for link in list_links(path, split)])
    return SplitFiles(Layout.VERSION_2, folder, split, path, folder, None, None)


def _fetch(source: Source, folder: Path, patterns: list[str]) -> None:
    """Fetch further files of a source on the Hub into its snapshot, whose commit names it."""
    if source.hub_id is not None:
        fetch_files(source, patterns, folder.name)


def _not_a_dataset(source: Source) -> DatasetError:
    return DatasetError(
        f"{source} is not a dataset: it holds neither {MANIFEST} (our layout) nor "
        "questions_<split>.csv with shared_contexts_<split>.jsonl (the official release), nor "
        f"{TABLE} (its second version)."
    )


def _list_official_splits(source: Source, folder: Path) -> list[str]:
    if source.hub_id is None:
        return _name_splits(list_names(folder))
    return _name_splits(list_hub_files(source.hub_id, source.revision, folder.name))


def _name_splits(names: Iterable[str]) -> list[str]:
    found = [_OFFICIAL_QUESTIONS.fullmatch(name) for name in names]
    return _by_size([match[1] for match in found if match])


def _by_size(splits: Sequence[str]) -> list[str]:
    order = list(SIZES)
    return sorted(splits, key=lambda s: (order.index(s) if s in order else len(order), s))
