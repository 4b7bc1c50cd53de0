"""``personamem doctor``: what it finds, on this machine and on ones that lack something."""

import json
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from personamem.dataset_builder.cli import diagnosis
from personamem.dataset_builder.cli.diagnosis import Diagnosis, diagnose
from personamem.dataset_builder.cli.requirements import EXTRAS, Fault, find_faults
from personamem.tasks import linking

Call = Callable[..., Any]
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """A function that makes the metadata of a package that Python finds."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    def make(name: str, version: str, *requires: str, extras: tuple[str, ...] = ()) -> None:
        folder = tmp_path / f"{name.replace('-', '_')}-{version}.dist-info"
        folder.mkdir()
        lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
        lines += [f"Requires-Dist: {each}" for each in requires]
        lines += [f"Provides-Extra: {each}" for each in extras]
        (folder / "METADATA").write_text("\n".join(lines) + "\n")

    return make


def test_requirements_are_held_against_versions(install: Install) -> None:
    install("aaa-main", "1.0", "aaa-new>=2", "aaa-old<2", "aaa-none", "aaa-not; python_version<'3'")
    install("aaa-new", "2.1")
    install("aaa-old", "2.0")
    assert find_faults("aaa-main") == [Fault("aaa-old<2", "2.0"), Fault("aaa-none", None)]
    with pytest.raises(PackageNotFoundError):
        find_faults("aaa-none")


def test_extras_of_requirements_are_followed(install: Install) -> None:
    install("bbb-main", "1", "bbb-part[fast]; extra == 'all'", "bbb-none", extras=("all", "more"))
    install("bbb-part", "1", "bbb-quick; extra == 'fast'", "bbb-slow; extra == 'slow'")
    assert find_faults("bbb-main", "all") == [Fault("bbb-quick", None)]
    assert find_faults("bbb-main", "more") == []


def test_here_everything_that_is_required_is_there() -> None:
    found = {each.name: each for each in diagnose()}
    assert found["personamem"].state == "ok", found["personamem"]
    assert found["extra hf"].state == "ok"
    assert {f"extra {extra}" for extra in EXTRAS} <= set(found)
    for each in found.values():
        assert each.what
        assert (each.state == "ok") == (not each.mend), each


def test_a_version_that_does_not_fit_is_broken_and_what_is_missing_absent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    faults = {"hf": [Fault("torch>=2", "1.0")], "ray": [Fault("ray>=2", None)]}
    monkeypatch.setattr(diagnosis, "find_faults", lambda package, extra="": faults.get(extra, []))
    found = {each.name: each for each in diagnose()}
    assert found["extra hf"].state == "broken"
    assert "torch>=2 (1.0)" in found["extra hf"].what
    assert found["extra ray"].state == "absent"
    assert found["extra ray"].mend == 'pip install "personamem[ray]"'
    assert found["extra rag"].state == "ok"


@pytest.mark.parametrize(
    ("made", "linked", "state"),
    [(False, False, "absent"), (True, False, "broken"), (True, True, "ok")],
)
def test_links_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, made: bool, linked: bool, state: str
) -> None:
    folder = tmp_path / "personamem"
    if made:
        folder.mkdir()
    monkeypatch.setattr(linking, "find_links_folder", lambda: folder)
    monkeypatch.setattr(linking, "are_linked", lambda place: linked)
    found = {each.name: each for each in diagnose()}["lm_eval tasks"]
    assert (found.state, found.mend) == (state, "" if linked else "personamem link-tasks")


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = diagnosis.shutil.disk_usage("/")
    monkeypatch.setattr(diagnosis.shutil, "disk_usage", lambda place: usage._replace(free=2**20))
    found = [each for each in diagnose() if each.name.startswith("disk ")]
    assert [each.state for each in found] == ["absent"] * 3
    assert all("little" in each.what for each in found)


@pytest.mark.parametrize(("state", "code"), [("ok", 0), ("absent", 0), ("broken", 1)])
def test_the_command_fails_for_what_is_broken_alone(
    call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, state: str, code: int
) -> None:
    checks = [Diagnosis("thing", state, "how it is", "mend [it]" * (state != "ok"))]  # type: ignore[arg-type]
    monkeypatch.setattr(diagnosis, "diagnose", lambda: iter(checks))
    done = call("doctor", "--json", tmp_path / "checks.json")
    assert done.code == code
    assert ("mend [it]" in done.out) == (state != "ok")
    assert ("Broken: thing." in done.err) == (code == 1)
    (written,) = json.loads((tmp_path / "checks.json").read_text())
    assert written["state"] == state


def test_no_secret_is_shown(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_verysecret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-verysecret")
    done = call("doctor")
    assert "verysecret" not in done.out + done.err
