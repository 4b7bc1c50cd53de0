"""``personamem lens``: what it plans, and what it refuses before anything is sent."""

import json
from pathlib import Path

import pytest
from calling import call
from lens_release import write_users


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_users(tmp_path_factory.mktemp("users"), 2)


def test_the_plan_counts_calls_tokens_and_price(users: Path, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    words = ("--plan", "--setting", "base", "--setting", "all", "--judge", "a", "--judge", "b")
    done = call("lens", users, *words, "--price", "judge=2/8", "--json", path)
    assert done.returncode == 0, done.stderr
    assert "price: " in done.stdout
    plan = json.loads(path.read_text("utf-8"))
    base, everything = plan["tasks"]
    assert base["dialogues"] == 4
    judge = base["roles"]["judge"]
    assert judge["calls"] == 4 * 6 * 2
    assert base["roles"]["assistant"]["calls"] == pytest.approx(4 * 4.74)
    assert base["roles"]["assistant"]["most_calls"] == 4 * 21
    more = everything["roles"]["assistant"]["prompt_tokens"]
    assert more > base["roles"]["assistant"]["prompt_tokens"]
    read, written = judge["prompt_tokens"], judge["reply_tokens"]
    assert plan["price"]["expected"] == pytest.approx(2 * (read * 2 + written * 8) / 1e6, rel=1e-3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--setting", "dis"), "Unknown setting 'dis'. Did you mean"),
        (("--kind", "XD"), "Unknown kind 'XD'"),
        (("--sample", "40"), "Unknown sample '40'"),
        (("--sample", "user9"), "Unknown user 'user9'"),
        (("--price", "judge=2"), "--price is 'judge=2'. Accepted: ROLE=INPUT/OUTPUT"),
        (("--price", "grader=2/8"), "Unknown role in --price 'grader'"),
    ],
)
def test_bad_options_are_one_clear_error(users: Path, words: tuple[str, ...], message: str) -> None:
    done = call("lens", users, "--plan", *words)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


def test_models_are_required_for_a_run(users: Path) -> None:
    done = call("lens", users, "--model", "openai/a")
    assert done.returncode == 2
    assert "--user is required unless --plan is given" in done.stderr
