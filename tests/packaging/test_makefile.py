"""The Makefile: what its targets would run, without running it."""

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def plan(project_root: Path, venv: Path, *words: str) -> list[str]:
    done = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", f"VENV={venv}", *words],
        cwd=project_root,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.replace(f"{venv}/bin/", "").splitlines()


def make_installed(venv: Path) -> Path:
    """Make a folder look as it does after ``make setup``."""
    (venv / "bin").mkdir(parents=True)
    for name in ("bin/python", ".installed", ".linked"):
        (venv / name).touch()
    return venv


def test_setup_installs_the_project_editable_after_torch_and_links_the_tasks(
    project_root: Path, tmp_path: Path
) -> None:
    steps = plan(project_root, tmp_path / "venv", "setup")
    torch, project, link = (
        next(i for i, step in enumerate(steps) if part in step)
        for part in ("install --quiet torch==", '--editable ".[', "personamem link-tasks")
    )
    assert torch < project < link


def test_setup_runs_once(project_root: Path, tmp_path: Path) -> None:
    assert not [
        step
        for step in plan(project_root, make_installed(tmp_path / "venv"), "setup")
        if "pip" in step or "link-tasks" in step
    ]


def test_the_unit_tests_leave_out_systems_and_models(project_root: Path, tmp_path: Path) -> None:
    venv = make_installed(tmp_path / "venv")
    (unit,) = plan(project_root, venv, "test-unit")
    *environment, every = plan(project_root, venv, "test")
    assert any("mem0ai" in step for step in environment)  # Memory systems, for system tests alone.
    assert unit == every.replace("pytest", 'pytest -m "not system and not model"')


def test_lint_checks_types_and_imports_of_everything(project_root: Path, tmp_path: Path) -> None:
    steps = plan(project_root, make_installed(tmp_path / "venv"), "lint")
    assert set(steps) == {
        *("ruff format --check .", "ruff check .", "lint-imports --no-cache"),
        *("mypy", "MYPYPATH=.:src:examples mypy --explicit-package-bases examples bench website"),
    }


def test_help_shows_every_target(project_root: Path) -> None:
    done = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=project_root, capture_output=True, text=True
    )
    shown = {line.split()[0] for line in done.stdout.splitlines()}
    text = (project_root / "Makefile").read_text(encoding="utf-8")
    (phony,) = (line for line in text.splitlines() if line.startswith(".PHONY:"))
    assert shown == set(phony.removeprefix(".PHONY:").split())
