"""The files of a split of PersonaMem questions, in our layout or an official one.

The layout is recognised from what the folder holds: ``manifest.json`` marks a dataset of ours,
``questions_<split>.csv`` the first official release, ``benchmark/text/benchmark.csv`` the second.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError

from personamem.loaders.formats.errors import DatasetError, unknown_choice
from personamem.loaders.formats.manifest import MANIFEST, Manifest, read_manifest
from personamem.loaders.formats.schema import SIZES
from personamem.loaders.formats.sources import (
    Source,
    fetch_files,
    find_files,
    parse_source,
    refuse_half_written,
)
from personamem.loaders.personamem import version2

FAMILY = "personamem"
"""The name under which a manifest has these splits."""

_KINDS = ("benchmark", "contexts", "annotations")


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
        DatasetError: a folder that is not a dataset, is half-written, or lacks a file.
        InvalidInputError: an unknown split; the message names those that exist.
    """
    if source.folder is not None:
        return _locate_in_folder(source.folder, split, source)
    folder = fetch_files(source, [MANIFEST], None)
    commit = folder.name
    if (folder / MANIFEST).exists():
        fetch_files(source, [f"{kind}/{split}.parquet" for kind in _KINDS], commit)
    else:
        names = [f"questions_{split}.csv", f"shared_contexts_{split}.jsonl", version2.TABLE]
        fetch_files(source, names, commit)
        if (folder / version2.TABLE).exists():
            fetch_files(source, [f"data/chat_history_{split}/*"], commit)
    return _locate_in_folder(folder, split, source)


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

    Raises:
        DatasetNotFoundError: the repository, revision or folder does not exist or is not cached.
        DatasetError: a folder that is half-written.
        InvalidInputError: a revision that cannot apply.
    """
    parsed = parse_source(source, revision)
    folder = find_files(parsed, [MANIFEST])
    if (folder / MANIFEST).exists():
        return _by_size(read_manifest(folder / MANIFEST).splits_of(FAMILY))
    if parsed.hub_id is not None:
        folder = fetch_files(parsed, [version2.TABLE], folder.name)
    if (folder / version2.TABLE).exists():
        return version2.find_splits(folder)
    refuse_half_written(folder)
    return _official_splits(folder, parsed)


def _locate_in_folder(folder: Path, split: str, source: Source) -> SplitFiles:
    if (folder / MANIFEST).exists():
        return _locate_ours(folder, split)
    if (folder / version2.TABLE).exists():
        return _locate_version2(folder, split)
    refuse_half_written(folder)
    return _locate_official(folder, split, source)


def _locate_ours(folder: Path, split: str) -> SplitFiles:
    manifest = read_manifest(folder / MANIFEST)
    splits = manifest.splits_of(FAMILY)
    if split not in splits:
        raise unknown_choice(f"split of {folder}", split, _by_size(splits))
    paths = {kind: folder / kind / f"{split}.parquet" for kind in _KINDS}
    has_annotations = manifest.lists(f"annotations/{split}.parquet")
    for kind, path in paths.items():
        if not path.exists() and (kind != "annotations" or has_annotations):
            raise DatasetError(f"{path} is missing although {MANIFEST} names split {split!r}.")
    return SplitFiles(
        layout=Layout.OURS,
        folder=folder,
        split=split,
        questions=paths["benchmark"],
        contexts=paths["contexts"],
        annotations=paths["annotations"] if has_annotations else None,
        manifest=manifest,
    )


def _locate_official(folder: Path, split: str, source: Source) -> SplitFiles:
    questions = folder / f"questions_{split}.csv"
    contexts = folder / f"shared_contexts_{split}.jsonl"
    if not questions.exists():
        known = _official_splits(folder, source)
        if known:
            raise unknown_choice(f"split of {source}", split, known)
        raise _not_a_dataset(source)
    if not contexts.exists():
        raise DatasetError(f"{contexts} is missing beside {questions.name}.")
    return SplitFiles(Layout.VERSION_1, folder, split, questions, contexts, None, None)


def _locate_version2(folder: Path, split: str) -> SplitFiles:
    known = version2.find_splits(folder)
    if split not in known:
        raise unknown_choice(f"split of {folder}", split, known)
    table = folder / version2.TABLE
    return SplitFiles(Layout.VERSION_2, folder, split, table, folder, None, None)


def _not_a_dataset(source: Source) -> DatasetError:
    return DatasetError(
        f"{source} is not a dataset: it holds neither {MANIFEST} (our layout) nor "
        "questions_<split>.csv with shared_contexts_<split>.jsonl (the official release), nor "
        f"{version2.TABLE} (its second version)."
    )


def _official_splits(folder: Path, source: Source) -> list[str]:
    if source.hub_id is None:
        names = [path.name for path in folder.iterdir()]
    else:
        try:
            names = HfApi().list_repo_files(
                source.hub_id, revision=source.revision, repo_type="dataset"
            )
        except (OSError, HfHubHTTPError):
            names = [path.name for path in folder.iterdir()]
    found = [re.fullmatch(r"questions_(\w+)\.csv", name) for name in names]
    return _by_size(match[1] for match in found if match)


def _by_size(splits: Iterable[str]) -> list[str]:
    order = list(SIZES)
    return sorted(splits, key=lambda s: (order.index(s) if s in order else len(order), s))
