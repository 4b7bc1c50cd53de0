"""A memory that a model writes behind a server, read by a model that shares prefixes."""

import json
from pathlib import Path

import pytest
from calling import call
from evaluation_process import run_evaluation
from transformers_server import serve_model


@pytest.mark.model
def test_an_agentic_memory_is_written_kept_and_read(
    ours: Path, tasks_folder: Path, short_model_dir: Path, tmp_path: Path
) -> None:
    # Two layers write no sense: this shows that every part understands the others.
    runs = tmp_path / "runs"
    with serve_model(short_model_dir, tmp_path / "server.log") as url:
        options = {"llm": short_model_dir.name, "llm_server": url, "llm_tokens": 16}
        words = [
            word
            for name, value in options.items()
            for word in (f"--{name}".replace("_", "-"), value)
        ]
        done = call(
            *("memory", ours, "--split", "4k", "--system", "agentic", "--budget", "200"),
            *words,
            *("--out", runs, "--json", tmp_path / "figures.json"),
        )
        assert done.returncode == 0, done.stderr
    (cost,) = json.loads((tmp_path / "figures.json").read_text("utf-8"))["costs"]
    calls = cost["add"]["calls"]  # A part of a session with a system message alone asks nothing.
    assert 0 < calls <= cost["sessions"]
    assert 0 < cost["add"]["completion_tokens"] <= 16 * calls
    metadata = {
        "dataset": str(ours),
        "memory": "agentic",
        "budget": 200,
        "memory_folder": str(runs / "agentic"),
        "memory_options": options,
    }
    run_evaluation(
        *("--model", "hf-shared", "--model_args", f"pretrained={short_model_dir}"),
        *("--tasks", "personamem_4k_memory_ll", "--include_path", tasks_folder),
        *("--apply_chat_template", "--metadata", json.dumps(metadata)),
        *("--output_path", tmp_path / "out", "--log_samples"),
        log=tmp_path / "log.txt",
    )
    # The server is gone by then: what the memory found comes from the folder.
    call("report", tmp_path / "out", "--json", tmp_path / "report.json")
    (report,) = json.loads((tmp_path / "report.json").read_text("utf-8")).values()
    (figures,) = (run["memory"] for run in report.values())
    assert figures["system"] == "agentic at 200"
    assert figures["calls"] == calls
