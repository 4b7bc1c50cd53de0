from pathlib import Path

import pytest

from personamem.dataset_builder.packaging.folder import stage_folder
from personamem.loaders.formats.errors import InvalidInputError


def test_the_folder_appears_when_all_is_written(tmp_path: Path) -> None:
    out = tmp_path / "a" / "data"
    with stage_folder(out, overwrite=False) as stage:
        (stage / "file").write_text("x")
        assert not out.exists()
    assert (out / "file").read_text() == "x"
    assert [path.name for path in out.parent.iterdir()] == ["data"]


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "data"

    def fail() -> None:
        with stage_folder(out, overwrite=False) as stage:
            (stage / "file").write_text("x")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_build_left_is_cleared_away(tmp_path: Path) -> None:
    out = tmp_path / "data"
    left = tmp_path / ".data.partial"
    left.mkdir()
    (left / "old").write_text("x")
    with stage_folder(out, overwrite=False) as stage:
        assert list(stage.iterdir()) == []
        (stage / "new").write_text("y")
    assert [path.name for path in out.iterdir()] == ["new"]


def test_a_folder_with_content_is_kept_unless_told_otherwise(tmp_path: Path) -> None:
    out = tmp_path / "data"
    out.mkdir()
    (out / "mine").write_text("x")
    with pytest.raises(InvalidInputError, match="not empty"), stage_folder(out, False):
        pass
    assert (out / "mine").exists()
    with stage_folder(out, overwrite=True) as stage:
        (stage / "new").write_text("y")
    assert [path.name for path in out.iterdir()] == ["new"]


def test_a_file_in_the_way_and_a_second_builder_are_named(tmp_path: Path) -> None:
    out = tmp_path / "data"
    with (
        stage_folder(out, overwrite=False),
        pytest.raises(InvalidInputError, match="Another process"),
        stage_folder(out, False),
    ):
        pass
    (tmp_path / "file").write_text("x")
    with pytest.raises(InvalidInputError, match="is a file"), stage_folder(tmp_path / "file", True):
        pass
