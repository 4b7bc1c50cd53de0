"""Files of a dataset: nothing outside of its folder, no device and no pipe is ever opened."""

import builtins
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from version2_release import write_release

from personamem.loaders import load_personamem
from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.formats.manifest import check_file, read_manifest
from personamem.loaders.personamem.files import list_splits


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that Python code opens."""
    paths: list[str] = []
    real = io.open

    def note(file: Any, *args: Any, **kwargs: Any) -> Any:
        paths.append(os.fspath(file) if not isinstance(file, int) else "")
        return real(file, *args, **kwargs)

    monkeypatch.setattr(io, "open", note)
    monkeypatch.setattr(builtins, "open", note)
    return paths


def edit_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))


BAD_NAMES = {
    "an absolute path": "/etc/hostname",
    "a device": "/dev/zero",
    "a parent": "../../../../etc/hostname",
    "a parent in between": "benchmark/../../secret",
    "a hidden file": ".git/config",
    "a backslash": "benchmark\\4k.parquet",
    "a null byte": "benchmark/4k\0.parquet",
    "an escape sequence": "benchmark/\x1b]0;x\x07",
    "a doubled slash": "benchmark//4k.parquet",
    "a dot": "./benchmark/4k.parquet",
    "an empty name": "",
    "a name that no file system takes": "x" * 300,
}


@pytest.mark.parametrize("case", BAD_NAMES)
def test_a_manifest_names_files_of_the_folder_only(
    ours: Path, case: str, opened: list[str]
) -> None:
    entry = {"sha256": "0" * 64, "bytes": 0}
    edit_manifest(ours, lambda manifest: manifest["files"].update({BAD_NAMES[case]: entry}))
    opened.clear()
    with pytest.raises(DatasetError, match=r"manifest\.json: files\..*is no file of a dataset"):
        load_personamem(ours, "4k")
    assert opened == [str(ours / "manifest.json")]


@pytest.mark.parametrize(
    "name", ["../../x/4k", "a/4k", "/4k", "..", ".", ".hidden", "", "4k\0", "x" * 300]
)
def test_a_split_has_a_name_and_no_path(ours: Path, name: str, opened: list[str]) -> None:
    edit_manifest(
        ours, lambda manifest: manifest["families"]["personamem"]["splits"].update({name: {}})
    )
    opened.clear()
    with pytest.raises(DatasetError, match=r"manifest\.json: families\.personamem\.splits"):
        load_personamem(ours, name)
    assert opened == [str(ours / "manifest.json")]


@pytest.mark.parametrize("layout", ["ours", "official"])
@pytest.mark.parametrize("split", ["../../etc/passwd", "/dev/zero", "4k/../4k", "*", "x" * 5_000])
def test_a_split_that_is_asked_for_opens_nothing_else(
    layout: str, split: str, request: pytest.FixtureRequest, opened: list[str]
) -> None:
    folder = request.getfixturevalue(layout)
    opened.clear()
    with pytest.raises(InvalidInputError, match=r"Unknown split .*Accepted: 4k\."):
        load_personamem(folder, split)
    assert {Path(path).parent for path in opened} <= {folder}


@pytest.mark.parametrize("source", ["x" * 5_000, "x/" * 3_000, "a\0b", "~nobody-here", "\ud800"])
def test_a_source_that_no_file_system_takes(source: str) -> None:
    with pytest.raises(DatasetError, match="No dataset folder"):
        load_personamem(source, "4k")


OURS = ("manifest.json", "benchmark/4k.parquet", "contexts/4k.parquet", "annotations/4k.parquet")
OFFICIAL = ("questions_4k.csv", "shared_contexts_4k.jsonl")
SECOND = ("benchmark/text/benchmark.csv", "data/chat_history_32k/persona_1.json")
FILES = [
    *(("ours", name) for name in OURS),
    *(("official", name) for name in OFFICIAL),
    *(("second", name) for name in SECOND),
]


@pytest.fixture
def second(tmp_path: Path) -> Path:
    return write_release(tmp_path / "second", rows=8)


def load_all(folder: Path) -> None:
    (split,) = list_splits(folder)
    list(load_personamem(folder, split).pairs())


@pytest.mark.parametrize(("layout", "name"), FILES)
@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_what_is_no_regular_file_is_refused_at_once(
    layout: str, name: str, kind: str, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(layout)
    path = folder / name
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)  # To open one would wait for a writer, forever.
    else:
        path.mkdir()
    with pytest.raises(DatasetError) as caught:
        load_all(folder)
    assert str(path) in str(caught.value)
    assert "is not a regular file" in str(caught.value)


@pytest.mark.parametrize(("layout", "name"), FILES)
def test_a_link_out_of_the_folder_is_refused_and_not_opened(
    layout: str, name: str, request: pytest.FixtureRequest, tmp_path: Path, opened: list[str]
) -> None:
    folder = request.getfixturevalue(layout)
    target = tmp_path / "elsewhere"
    (folder / name).rename(target)
    (folder / name).symlink_to(target)
    opened.clear()
    with pytest.raises(DatasetError) as caught:
        load_all(folder)
    message = f"{folder / name} is a link to {target}, outside of the dataset. Accepted: regular"
    assert message in str(caught.value)
    assert str(target) not in opened
    assert str(folder / name) not in opened


@pytest.mark.parametrize(("layout", "name"), [file for file in FILES if "/" in file[1]])
def test_a_linked_folder_is_refused_too(
    layout: str, name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    folder = request.getfixturevalue(layout)
    parent = (folder / name).parent
    parent.rename(tmp_path / "elsewhere")
    parent.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DatasetError, match="outside of the dataset"):
        load_all(folder)


@pytest.mark.parametrize(("layout", "name"), FILES)
def test_a_link_within_the_folder_is_followed(
    layout: str, name: str, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(layout)
    (folder / name).rename(folder / "other name")
    (folder / name).symlink_to(folder / "other name")
    load_all(folder)


def test_the_folder_itself_may_be_a_link(ours: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(ours)
    load_all(tmp_path / "link")


def test_a_snapshot_of_the_hubs_cache_holds_links_to_its_blobs(
    tiny: ModuleType, tmp_path: Path
) -> None:
    repository = tmp_path / "datasets--own--ours"
    snapshot = tiny.write_ours(repository / "snapshots" / ("0" * 40))
    (repository / "blobs").mkdir()
    for number, name in enumerate(OURS):
        (snapshot / name).rename(repository / "blobs" / str(number))
        (snapshot / name).symlink_to(repository / "blobs" / str(number))
    load_all(snapshot)


def test_a_file_that_is_checked_is_one_of_the_folder(ours: Path, tmp_path: Path) -> None:
    path = ours / "benchmark" / "4k.parquet"
    manifest = read_manifest(ours / "manifest.json")
    check_file(manifest, "benchmark/4k.parquet", path)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DatasetError, match="outside of the dataset"):
        check_file(manifest, "benchmark/4k.parquet", path)
