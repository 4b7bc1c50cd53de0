"""The official release from a Hub: only the files that are read are fetched."""

from pathlib import Path
from urllib.parse import unquote

from hub import run_hub
from hub_loading import add_repository, list_fetched, run_loads
from tiny_lens import write_release

LOAD = """
import json, sys
from personamem.loaders.personalens import load_personalens
for source, _, revision in json.loads(sys.argv[1]):
    data = load_personalens(source, revision=revision)
    print(data.source, len(data.profiles), len(data.scenarios), len(data.preference_types))
"""


def test_a_release_is_fetched_and_nothing_else_of_its_repository(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "files" / "data")
    (tmp_path / "files" / "results.bin").write_bytes(b"\0" * 100)
    with run_hub(tmp_path / "hub") as hub:
        add_repository(hub, "own/lens", tmp_path / "files")
        loads = [("own/lens@v1.0.0", "", None)]
        found = run_loads(hub, tmp_path / "home", loads, LOAD)
        assert found == ["own/lens@v1.0.0 2 4 40"]
        names = {
            path.relative_to(tmp_path / "files").as_posix() for path in folder.rglob("*.json*")
        }
        assert set(map(unquote, list_fetched(hub))) == names
