"""A real model plays all three roles: whatever it says, dialogues end and verdicts are counted."""

from pathlib import Path

import pytest
from lens_process import make_job, run_lens
from lens_release import write_users
from transformers_server import read_tail, serve_model

from personamem.dataset_builder.families.personalens.results.reading import read_runs


@pytest.mark.model
def test_a_real_model_holds_and_grades_dialogues(short_model_dir: Path, tmp_path: Path) -> None:
    # Two layers write no sense, so this shows requests, ends and unreadable verdicts.
    name, source = short_model_dir.name, write_users(tmp_path / "release", 1)
    log = tmp_path / "server.log"
    with serve_model(short_model_dir, log) as url:
        short = {"max_pairs": 1, "max_tokens": 3, "kinds": ("MD",), "timeout": 120}
        job = make_job(
            source, tmp_path / "out", url, model=name, user=name, judges=(name,), **short
        )
        assert run_lens(tmp_path / "log", **job) == 0, read_tail(log)
    [run] = read_runs([tmp_path / "out" / "logs"])
    [dialogue] = run.dialogues
    assert dialogue.ended in ("turn limit", "stop word", "empty user")
    assert dialogue.pairs in (0, 1, 2)
    if dialogue.pairs:
        given = [each for found in dialogue.verdicts.values() for each in found]
        assert len(given) == 6
        assert all((each.value is None) != (each.reason is None) for each in given)
