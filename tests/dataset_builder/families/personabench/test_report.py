"""The command ``report``."""

import subprocess
import sys
from pathlib import Path

from result_files import write_other_task, write_retrieval, write_run

COMMAND = [sys.executable, "-c", "from personamem.dataset_builder.cli import main; main()"]


def report(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "report", *map(str, arguments)], capture_output=True, text=True, timeout=300
    )


def test_tables_on_the_terminal_and_a_page(tmp_path: Path) -> None:
    write_run(tmp_path / "results", noise="noise_0", score=0.75)
    write_run(tmp_path / "results", noise="noise_05", score=0.25)
    page = tmp_path / "pages/report.html"
    done = report(tmp_path / "results", write_retrieval(tmp_path), "--html", page)
    assert done.returncode == 0, done.stderr
    for text in ("tiny, full", "recall 0.5", "0.750", "social two hop", "Radar", "bm25, k = 5"):
        assert text in done.stdout
    assert "<svg" in page.read_text("utf-8")
    assert "report.html" in done.stderr


def test_bad_input_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path, part in (
        (tmp_path / "empty", "holds no results of open questions"),
        (write_other_task(tmp_path / "other"), "but of hellaswag"),
        (tmp_path / "none", "does not exist"),
    ):
        done = report(path, "--html", tmp_path / "page.html")
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
        assert part in " ".join(done.stderr.split())
        assert not (tmp_path / "page.html").exists()
