"""Models that misbehave: each dialogue ends, is counted, and stops no other."""

import re
from collections.abc import Iterator

import pytest
from lens_process import make_job, run_lens
from lens_release import write_users
from lens_server import play, play_assistant, serve_lens

from personamem.dataset_builder.families.personalens.results.reading import read_runs
from personamem.dataset_builder.families.personalens.results.records import LensRun
from personamem.dataset_builder.families.personalens.results.report import describe_runs

pytestmark = pytest.mark.system


def misbehave(system: str, text: str) -> str:
    """Have users 0 to 3 meet an odd judge, an odd assistant and odd users."""
    country = re.search(r"Country (\d)", text)
    who = int(country[1]) if country else -1
    if who == 0 and not system:
        return "The dialogue was pleasant on the whole, and most of it went well."
    if who == 1 and system.startswith("You are a personal assistant"):
        return f"TERMINATE {play_assistant(system)} TERMINATE"
    if system.startswith("You play a person") and "Write the first message" not in text:
        if who == 2:
            return "And one more thing."
        if who == 3:
            return " \n"
    return play(system, text)


def refuse(text: str) -> int:
    """Hang up on whatever is said about user 4."""
    return -1 if "Country 4" in text else 0


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LensRun]:
    folder = tmp_path_factory.mktemp("faults")
    source = write_users(folder / "release", 5)
    with serve_lens(play=misbehave, refuse=refuse) as server:
        job = make_job(source, folder / "out", server.url, kinds=("MD",), max_pairs=4)
        # Some dialogues failed, and the run went on.
        assert run_lens(folder / "log", **job) == 1
        [found] = read_runs([folder / "out" / "logs"])
        yield found


def test_every_dialogue_says_why_it_ended(run: LensRun) -> None:
    assert {each.user_id: each.ended for each in run.dialogues} == {
        "user0": "stop word",
        "user1": "stop word",
        "user2": "turn limit",
        "user3": "empty user",
        "user4": "failed",
    }


def test_prose_is_counted_apart_and_never_false(run: LensRun) -> None:
    by_user = {each.user_id: each for each in run.dialogues}
    assert by_user["user0"].scores == {}
    reasons = {given[0].reason for given in by_user["user0"].verdicts.values()}
    assert reasons == {"no verdict"}
    [found] = describe_runs([run]).data["runs"].values()
    assert found["unreadable"]["task_completion"]["no verdict"] >= 1
    assert found["scores"]["task_completion"]["total"] <= 3


def test_the_stop_word_of_an_assistant_ends_nothing_and_is_counted(run: LensRun) -> None:
    by_user = {each.user_id: each for each in run.dialogues}
    assert by_user["user1"].stop_words == by_user["user1"].pairs >= 2
    assert by_user["user1"].scores
    assert by_user["user2"].pairs == 4
    assert by_user["user2"].messages == 9
    assert by_user["user3"].pairs == 1


def test_a_server_that_hangs_up_fails_a_dialogue_and_its_error_is_told(run: LensRun) -> None:
    report = describe_runs([run])
    [found] = report.data["runs"].values()
    [error] = found["errors"]
    assert "gave no reply in 1 attempts" in error
    [row] = next(t.rows for t in report.tables if t.title == "Why dialogues failed")
    assert "(TransportError: the connection ended (RemoteProtocolError: " in row[0]
