"""The command ``report``."""

import json
from pathlib import Path

from calling import call
from result_files import write_other_task, write_retrieval, write_run


def test_tables_on_the_terminal_and_a_page(tmp_path: Path) -> None:
    write_run(tmp_path / "results", noise="noise_0", score=0.75)
    write_run(tmp_path / "results", noise="noise_05", score=0.25)
    page = tmp_path / "pages/report.html"
    done = call("report", tmp_path / "results", write_retrieval(tmp_path), "--html", page)
    assert done.returncode == 0, done.stderr
    for text in ("tiny, full", "recall 0.5", "0.750", "social two hop", "Radar", "bm25, k = 5"):
        assert text in done.stdout
    assert "<svg" in page.read_text("utf-8")
    assert "report.html" in done.stderr


def test_bad_input_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path, part in (
        (tmp_path / "empty", "holds no results of personamem. Accepted"),
        (write_other_task(tmp_path / "other"), "but of hellaswag"),
        (tmp_path / "none", "does not exist"),
    ):
        done = call("report", path, "--html", tmp_path / "page.html")
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
        assert part in " ".join(done.stderr.split())
        assert not (tmp_path / "page.html").exists()


def test_figures_for_programs_and_bars(tmp_path: Path) -> None:
    write_run(tmp_path / "results", noise="noise_0", score=0.25)
    data, table = tmp_path / "report.json", tmp_path / "report.csv"
    options = ("--json", data, "--csv", table, "--fail-under", "0.5")
    done = call("report", tmp_path / "results", *options)
    assert done.returncode == 1
    assert "tiny, full, noise 0.0 scores 0.250, less than 0.5." in " ".join(done.stderr.split())
    assert json.loads(data.read_text())["PersonaBench: open questions"]["tiny, full"]["0"]
    assert table.read_text().startswith("table,row,column,figure\n")
    assert call("report", tmp_path / "results", "--fail-under", "0.2").returncode == 0
