"""The example workflow: its commands exist, and its checks fail when they should."""

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from answer_files import make_row, write_run
from calling import call

from personamem.dataset_builder.cli.eval_arguments import parse_evaluation

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW: dict[str, Any] = yaml.safe_load(
    (ROOT / "examples/github-workflow.yml").read_text("utf-8")
)


def find_step(job: str, command: str) -> list[str]:
    """Return the words of the step that runs a command, less ``personamem``."""
    variables = {**WORKFLOW["env"], **WORKFLOW["jobs"][job].get("env", {})}
    for step in WORKFLOW["jobs"][job]["steps"]:
        words = shlex.split(step.get("run", ""))
        if words[:2] == ["personamem", *command.split()[:1]] and command.split()[-1] in words:
            for name, value in variables.items():
                words = [word.replace(f"${name}", str(value)) for word in words]
            assert not any("$" in word for word in words), words
            return words[1:]
    raise AssertionError(f"no step runs {command}")


def test_every_step_uses_an_action_or_a_command_of_ours() -> None:
    # YAML takes a bare `on` for a truth value.
    assert {"pull_request"} == set(WORKFLOW.get("on", WORKFLOW.get(True)))
    for job in WORKFLOW["jobs"].values():
        for step in job["steps"]:
            program = step.get("run", "").split()[:1]
            assert "@v" in step.get("uses", "@v")
            assert program in ([], ["pip"], ["personamem"])


@pytest.mark.parametrize("job", WORKFLOW["jobs"])
def test_the_benchmark_is_built_with_options_that_exist(job: str) -> None:
    words = find_step(job, "build")
    assert words[-4:] == ["--seed", "7", "--out", "benchmark"]
    # Options are read before the help is printed.
    assert call(*words, "--help").returncode == 0
    assert call(*words, "--personae", "8", "--help").returncode == 2


@pytest.mark.system
def test_a_memory_is_checked(
    tiny_dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "benchmark").symlink_to(tiny_dataset)
    (tmp_path / "my_memory.py").write_bytes((ROOT / "examples/own_memory.py").read_bytes())
    done = call(*find_step("memory", "memory-check"))
    assert done.returncode == 0, done.stdout
    done = call(*find_step("memory", "memory --json"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "found.json").is_file()
    limit = find_step("memory", "memory --fail-under")
    # The example finds too little of it, and the control that knows the evidence all.
    assert call(*limit).returncode == 1
    oracle = ["oracle" if word.startswith("cmd:") else word for word in limit]
    assert call(*oracle).returncode == 0


def test_the_model_is_scored_with_options_that_exist() -> None:
    evaluation = parse_evaluation(find_step("model", "eval")[1:])
    assert evaluation.tasks == ("personamem_4k",)
    assert evaluation.arguments.log_samples
    assert str(evaluation.config.output_path) == "answers"


@pytest.mark.parametrize(
    ("before", "now", "code"),
    [("aaab", "aaab", 0), ("aaaa", "abab", 1), ("bbbb", "bbbb", 1), ("abab", "aaaa", 0)],
    ids=["as good", "worse than the baseline", "as bad", "better"],
)
def test_results_are_held_to_the_baseline_and_to_a_score(
    before: str, now: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    build = find_step("model", "build")
    personas = int(build[build.index("--personas") + 1])
    for folder, letters in (("baseline", before), ("answers", now)):
        rows = [make_row(n, letters[n // 4 % 4]) for n in range(8 * personas)]
        for number, row in enumerate(rows):
            row["doc"]["persona_id"] = number % personas
        write_run(tmp_path / folder, rows)
    done = call(*find_step("model", "report"))
    assert done.returncode == code, done.stdout + done.stderr
    assert (tmp_path / "report.html").is_file()
