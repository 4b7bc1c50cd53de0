"""``personamem info`` on open questions: what is in the files, whatever a manifest records."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from personamem.dataset_builder.cli.app import app
from personamem.dataset_builder.families.personabench.show import CATEGORIES
from personamem.loaders.formats.errors import DatasetError


def read_info(folder: Path) -> str:
    done = CliRunner().invoke(app, ["info", str(folder)], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_the_counts_are_printed(tiny_of_every_family: Path) -> None:
    printed = read_info(tiny_of_every_family)
    manifest = json.loads((tiny_of_every_family / "manifest.json").read_bytes())
    record = manifest["families"]["personabench"]
    assert f"{record['test_users']} people asked {record['questions']} open questions" in printed
    for split, level in record["splits"].items():
        (row,) = (line for line in printed.splitlines() if f"│ {split} " in line)
        cells = [cell.strip() for cell in row.strip("│").split("│")]
        expected = [level["sessions"], *(record["categories"][name] for name in CATEGORIES)]
        assert cells[1:] == [str(number) for number in expected]


@pytest.mark.parametrize(
    "change", [{"communities": None}, {"categories": {"[/x]": "many"}}, {"test_users": -1}]
)
def test_counts_of_a_manifest_change_nothing(
    tiny_of_every_family: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    folder = change_record(tiny_of_every_family, tmp_path / "data", change)
    changed, whole = read_info(folder), read_info(tiny_of_every_family)
    assert changed[changed.index("open questions") :] == whole[whole.index("open questions") :]


def test_a_split_without_files_is_one_error(tiny_of_every_family: Path, tmp_path: Path) -> None:
    folder = change_record(tiny_of_every_family, tmp_path / "data", {})
    (folder / "documents" / "noise_05.parquet").unlink()
    with pytest.raises(DatasetError, match=r"documents/noise_05\.parquet"):
        read_info(folder)


def change_record(source: Path, folder: Path, change: dict[str, Any]) -> Path:
    """Copy a dataset, with other values in the family's record of its manifest."""
    shutil.copytree(source, folder)
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["families"]["personabench"] |= change
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder
