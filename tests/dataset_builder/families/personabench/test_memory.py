"""``personamem memory`` over private documents."""

import json
from pathlib import Path

import pytest
from calling import call
from tiny_communities import write_communities

pytestmark = pytest.mark.system


def test_documents_are_measured_at_a_noise_level(tmp_path: Path) -> None:
    source, path = write_communities(tmp_path / "communities"), tmp_path / "figures.json"
    options = ("--system", "oracle", "--budget", "900", "--json", path)
    done = call("memory", source, "--split", "noise_05", *options)
    assert done.returncode == 0, done.stderr
    figures = json.loads(path.read_text())
    assert (figures["budgets"][0]["recall"], figures["costs"][0]["sessions"]) == (1.0, 21)
    done = call("memory", source, "--split", "noise_07", *options)
    assert done.returncode == 2
    assert "Accepted: 0.0, 0.5." in " ".join(done.stderr.split())
