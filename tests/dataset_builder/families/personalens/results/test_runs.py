"""Dialogues of a scripted server, killed on the way: every figure is known beforehand."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from calling import call
from lens_process import make_job, run_lens, start_lens, wait_for
from lens_release import make_reference, write_users
from lens_server import LensServer, draw, grade, serve_lens
from preloaded_programs import kill_run

from personamem.dataset_builder.families.personalens.results.reading import read_runs
from personamem.dataset_builder.families.personalens.results.records import DIMENSIONS, LensRun
from personamem.dataset_builder.families.personalens.results.report import describe_runs
from personamem.tasks.personalens.dialogues.settings import SETTINGS

pytestmark = pytest.mark.system

USERS, KILLS = 2, 1
INTENTS = {
    "SD": {f"SD-{name}-task-1": f"Choose {name}." for name in ("Books", "Games")},
    "MD": {"MD-task-1": "Choose several."},
}
DIALOGUES = USERS * 3 * len(SETTINGS)


@dataclass(frozen=True)
class Held:
    """Logs of all settings, and the server that the runs asked."""

    logs: Path
    server: LensServer
    in_flight: int


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    """All dialogues, by a run that was killed while it had requests under way."""
    folder = tmp_path_factory.mktemp("lens")
    source = write_users(folder / "release", USERS)
    in_flight = 0
    with serve_lens() as server:
        job = make_job(source, folder / "out", server.url, settings=tuple(SETTINGS))
        for kill in range(KILLS):
            process = start_lens(folder / "log", **job)
            goal = (kill + 1) * 150
            assert wait_for(lambda goal=goal: server.seen.total() >= goal, process), (
                folder / "log"
            ).read_text()
            kill_run(process)
            in_flight += job["concurrency"] * 3
        assert run_lens(folder / "log", **job) == 0, (folder / "log").read_text()
        yield Held(folder / "out" / "logs", server, in_flight)


@pytest.fixture(scope="module")
def runs(held: Held) -> dict[tuple[str, str], LensRun]:
    return {(run.kind, run.setting): run for run in read_runs([held.logs])}


def list_references(kind: str) -> list[str]:
    return [
        make_reference(f"user{user}", intent)
        for user in range(USERS)
        for intent in INTENTS[kind].values()
    ]


def count_pairs(reference: str) -> int:
    """The pairs until the stop word, and the last reply."""
    return draw(reference, "turns", 3) + 2


def test_every_dialogue_was_held_once_and_no_reply_paid_twice(
    held: Held, runs: dict[tuple[str, str], LensRun]
) -> None:
    assert len(runs) == 2 * len(SETTINGS)
    assert sum(len(run.dialogues) for run in runs.values()) == DIALOGUES
    replies = sum(
        2 * count_pairs(reference) + len(DIMENSIONS)
        for kind in INTENTS
        for reference in list_references(kind)
    ) * len(SETTINGS)
    # What was under way when a run was killed has to be asked again, and nothing else.
    assert replies <= held.server.seen.total() <= replies + held.in_flight


def test_scores_ends_and_lengths_are_those_of_the_script(
    runs: dict[tuple[str, str], LensRun],
) -> None:
    report = describe_runs(list(runs.values()))
    found = {(run["kind"], run["setting"]): run for run in report.data["runs"].values()}
    for (kind, setting), run in found.items():
        references = list_references(kind)
        pairs = sum(map(count_pairs, references))
        assert (run["pairs"], run["messages"]) == (pairs, 2 * pairs)
        assert run["ended"] == {"stop word": len(references)}
        for dimension in DIMENSIONS:
            assert_score(
                run["scores"][dimension],
                [grade(reference, setting, dimension) for reference in references],
            )
            unreadable = [r for r in references if grade(r, setting, dimension) is None]
            assert sum(run["unreadable"][dimension].values()) == len(unreadable)


def test_domains_have_scores_of_both_kinds(runs: dict[tuple[str, str], LensRun]) -> None:
    report = describe_runs([runs["SD", "all"], runs["MD", "all"]])
    found = {run["kind"]: run["domains"] for run in report.data["runs"].values()}
    assert list(found["SD"]) == ["Books", "Games"]
    assert list(found["MD"]) == ["Books", "Games"]
    for domain in ("Books", "Games"):
        for kind, intent in (("SD", f"Choose {domain}."), ("MD", "Choose several.")):
            references = [make_reference(f"user{user}", intent) for user in range(USERS)]
            assert_score(
                found[kind][domain]["personalization"],
                [grade(reference, "all", "personalization") for reference in references],
            )


def test_settings_are_compared_on_what_both_have(
    runs: dict[tuple[str, str], LensRun],
) -> None:
    report = describe_runs([runs["SD", "all"], runs["SD", "vanilla"], runs["MD", "base"]])
    [difference] = report.data["differences"]
    for dimension in DIMENSIONS:
        pairs = [
            (grade(reference, "all", dimension), grade(reference, "vanilla", dimension))
            for reference in list_references("SD")
        ]
        both = [one - other for one, other in pairs if one is not None and other is not None]
        assert difference["dimensions"][dimension]["total"] == len(both)
        assert difference["dimensions"][dimension]["mean"] == pytest.approx(sum(both) / len(both))


def test_the_command_writes_all_figures(held: Held, tmp_path: Path) -> None:
    rated = tmp_path / "rated.csv"
    lines = ["dialogue,setting,rater,dimension,value"]
    for user, task in ((0, "Books"), (0, "Games"), (1, "Books"), (1, "Games")):
        reference = make_reference(f"user{user}", f"Choose {task}.")
        value = grade(reference, "all", "coherence_user") or 3
        for rater, given in (("ann", value), ("bo", value)):
            lines.append(f"user{user}/SD-{task}-task-1,all,{rater},coherence_user,{given}")
    rated.write_text("\n".join(lines))
    options = ("--html", tmp_path / "page.html", "--json", tmp_path / "figures.json")
    done = call("lens-report", held.logs, "--annotations", rated, *options)
    assert done.returncode == 0, done.stderr
    assert "Beside published settings, tasks of several domains" in done.stdout
    figures = json.loads((tmp_path / "figures.json").read_text("utf-8"))
    assert len(figures["runs"]) == 2 * len(SETTINGS)
    [people] = figures["people"].values()
    assert (people[0]["cohen"], people[0]["fleiss"]) == (1.0, 1.0)
    assert "assistant, SD all" in (tmp_path / "page.html").read_text("utf-8")


def assert_score(found: dict[str, Any], values: list[int | None]) -> None:
    known = [value for value in values if value is not None]
    assert found["total"] == len(known)
    if known:
        assert found["mean"] == pytest.approx(sum(known) / len(known))
        assert found["low"] <= found["mean"] <= found["high"]
