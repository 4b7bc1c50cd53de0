"""``personamem info`` on open questions: their counts, and one error for counts that cannot be."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from personamem.dataset_builder.cli.app import app
from personamem.loaders.formats.errors import DatasetError


def read_info(folder: Path) -> str:
    done = CliRunner().invoke(app, ["info", str(folder)], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_the_counts_are_printed(tiny_of_every_family: Path) -> None:
    printed = read_info(tiny_of_every_family)
    manifest = json.loads((tiny_of_every_family / "manifest.json").read_bytes())
    record = manifest["families"]["personabench"]
    assert f"{record['test_users']} people ask {record['questions']} open questions" in printed
    assert "social_two_hop" in printed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"communities": None}, r"families\.personabench\.communities: .* \(found None\)"),
        ({"splits": {"noise_05": {}}}, r"personabench\.splits\.noise_05\.noise: Field required"),
        ({"categories": {"[/x]": "many"}}, r"personabench\.categories\.\[/x\]: "),
    ],
)
def test_a_record_that_cannot_be_is_one_error(
    tiny_of_every_family: Path, tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    folder = tmp_path / "data"
    shutil.copytree(tiny_of_every_family, folder)
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["families"]["personabench"] |= change
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(DatasetError, match=rf"manifest\.json: .*{words}"):
        read_info(folder)
