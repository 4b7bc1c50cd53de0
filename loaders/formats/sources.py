"""Where a dataset lies: a local folder or a Hub repository, in our layout or an official one.

A source is resolved in two steps. First the folder: a local path as it is, or the snapshot of a
Hub repository into which only the files of one split are fetched. Then the layout, recognised from
what the folder holds: ``manifest.json`` marks a dataset of ours, ``questions_<split>.csv`` the
first official release, ``benchmark/text/benchmark.csv`` the second.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError

from personamem.loaders.formats.errors import (
    DatasetError,
    DatasetNotFoundError,
    InvalidInputError,
    unknown_choice,
)
from personamem.loaders.formats.hub import fetch_snapshot
from personamem.loaders.formats.manifest import Manifest, read_manifest
from personamem.loaders.formats.schema import SIZES
from personamem.loaders.personamem import version2

MANIFEST = "manifest.json"
PARTIAL_SUFFIX = ".partial"
_KINDS = ("benchmark", "contexts", "annotations")
_OPEN_KINDS = ("documents", "open_questions")
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed source: exactly one of ``folder`` and ``hub_id`` is set."""

    folder: Path | None
    hub_id: str | None
    revision: str | None

    def __str__(self) -> str:
        if self.folder is not None:
            return str(self.folder)
        return f"{self.hub_id}@{self.revision}" if self.revision else f"{self.hub_id}"


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


def parse_source(source: str | Path, revision: str | None = None) -> Source:
    """Tell a local folder from a Hub id, and split off a revision written as ``id@revision``.

    Raises:
        InvalidInputError: a revision for a local folder, two different revisions.
        DatasetNotFoundError: neither an existing folder nor a name that could be a Hub id.
    """
    if isinstance(source, Path) or _exists(source):
        if revision is not None:
            raise InvalidInputError(
                f"revision={revision!r} was given for the local folder {str(source)!r}; "
                "revisions exist only for Hub ids."
            )
        return Source(_existing_folder(Path(source)), None, None)
    if not source.strip():
        raise InvalidInputError(
            "The dataset source is empty. Accepted: an existing folder, or a Hub id 'owner/name'."
        )
    name, _, written = source.partition("@")
    if not _HUB_ID.fullmatch(name):
        _existing_folder(Path(source))
    if written and revision is not None and written != revision:
        raise InvalidInputError(
            f"Two revisions for {name!r}: {written!r} in the name and revision={revision!r}."
        )
    return Source(None, name, revision or written or None)


def locate_split(source: Source, split: str) -> SplitFiles:
    """Find (and for a Hub id fetch) the files of one split.

    Raises:
        DatasetNotFoundError: the repository, revision or folder does not exist or is not cached.
        DatasetError: a folder that is not a dataset, is half-written, or lacks a file.
        InvalidInputError: an unknown split; the message names those that exist.
    """
    if source.folder is not None:
        return _locate_in_folder(source.folder, split, source)
    folder = _fetch(source, [MANIFEST], None)
    commit = folder.name
    if (folder / MANIFEST).exists():
        _fetch(source, [f"{kind}/{split}.parquet" for kind in _KINDS], commit)
    else:
        names = [f"questions_{split}.csv", f"shared_contexts_{split}.jsonl", version2.TABLE]
        _fetch(source, names, commit)
        if (folder / version2.TABLE).exists():
            _fetch(source, [f"data/chat_history_{split}/*"], commit)
    return _locate_in_folder(folder, split, source)


def list_splits(source: str | Path, revision: str | None = None) -> list[str]:
    """Return the names of a source's splits, smallest first.

    Raises:
        DatasetNotFoundError: the repository, revision or folder does not exist or is not cached.
        DatasetError: a folder that is not a dataset, or is half-written.
        InvalidInputError: a revision that cannot apply.
    """
    parsed = parse_source(source, revision)
    folder = find_files(parsed, [MANIFEST])
    if (folder / MANIFEST).exists():
        return _by_size(read_manifest(folder / MANIFEST).splits)
    if parsed.hub_id is not None:
        folder = _fetch(parsed, [version2.TABLE], folder.name)
    if (folder / version2.TABLE).exists():
        return version2.find_splits(folder)
    refuse_half_written(folder)
    splits = _official_splits(folder, parsed)
    if not splits:
        raise _not_a_dataset(parsed)
    return splits


def find_files(source: Source, patterns: list[str]) -> Path:
    """Return a source's folder, with the files that match fetched where it is on the Hub.

    Raises:
        DatasetNotFoundError: the repository or revision does not exist or is not cached.
    """
    return source.folder or _fetch(source, patterns, None)


def find_manifest(source: str | Path, revision: str | None = None) -> Manifest | None:
    """Return the manifest of a dataset of ours, None for an official release.

    Raises:
        DatasetNotFoundError: the repository, revision or folder does not exist or is not cached.
        DatasetError: the manifest cannot be read.
        InvalidInputError: a revision that cannot apply.
    """
    path = find_files(parse_source(source, revision), [MANIFEST]) / MANIFEST
    return read_manifest(path) if path.exists() else None


def _locate_in_folder(folder: Path, split: str, source: Source) -> SplitFiles:
    if (folder / MANIFEST).exists():
        return _locate_ours(folder, split)
    if (folder / version2.TABLE).exists():
        return _locate_version2(folder, split)
    refuse_half_written(folder)
    return _locate_official(folder, split, source)


def refuse_half_written(folder: Path) -> None:
    """Raise a DatasetError for a folder that looks like one of ours, but without a manifest."""
    partial = folder.name.endswith(PARTIAL_SUFFIX)
    if partial or any((folder / kind).is_dir() for kind in (*_KINDS, *_OPEN_KINDS)):
        raise DatasetError(
            f"{folder} is half-written: it has no {MANIFEST}, which is written last. "
            "Run the build again, or fetch the folder again."
        )


def _locate_ours(folder: Path, split: str) -> SplitFiles:
    manifest = read_manifest(folder / MANIFEST)
    if split not in manifest.splits:
        raise unknown_choice(f"split of {folder}", split, _by_size(manifest.splits))
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


def _fetch(source: Source, patterns: list[str], commit: str | None) -> Path:
    assert source.hub_id is not None
    return fetch_snapshot(source.hub_id, source.revision, patterns, commit)


def _exists(source: str) -> bool:
    return bool(source) and Path(source).expanduser().exists()


def _existing_folder(path: Path) -> Path:
    path = path.expanduser()
    if path.is_dir():
        return path
    if path.exists():
        raise DatasetError(f"{path} is a file; a dataset source is a folder or a Hub id.")
    partial = path.with_name(path.name + PARTIAL_SUFFIX) if path.name else path
    hint = f" There is an unfinished build at {partial}." if partial.is_dir() else ""
    raise DatasetNotFoundError(
        f"No dataset folder {str(path)!r}.{hint} Accepted: an existing folder, or a Hub id "
        "'owner/name' or 'owner/name@revision'."
    )
