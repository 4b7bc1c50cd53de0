"""Open questions from a Hub: the files of one noise level are fetched."""

from pathlib import Path

from hub import run_hub
from hub_loading import add_repository, list_fetched, run_loads
from tiny_communities import write_communities

LOAD = """
import json, sys
from personamem.loaders.personabench import load_personabench
for source, noise, revision in json.loads(sys.argv[1]):
    data = load_personabench(source, revision)
    print(data.source, [len(archive.sessions) for archive in data.archives(float(noise))])
"""


def test_one_noise_level_is_fetched(tmp_path: Path) -> None:
    folder = write_communities(tmp_path / "open")
    with run_hub(tmp_path / "hub") as hub:
        add_repository(hub, "own/open", folder)
        loads = [("own/open@v1.0.0", "0.5", None)]
        assert run_loads(hub, tmp_path / "home", loads, LOAD) == ["own/open@v1.0.0 [12, 9]"]
        assert list_fetched(hub) == {
            *("manifest.json", "communities.json", "documents/noise_05.parquet"),
            *("open_questions/noise_0.parquet", "open_questions/noise_05.parquet"),
        }
