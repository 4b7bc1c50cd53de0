"""`personamem build --writer openai`: its options, its errors, and what it costs."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fault_server import Behaviour, serve_faults
from preloaded_programs import find_programs
from writing_server import serve_writer, write_json

from personamem.dataset_builder.cli import main
from personamem.dataset_builder.llm import AnswerStore

pytestmark = pytest.mark.system

KEY = "sk-a-key-that-nobody-may-see"
SMALL = ("build", "--size", "4k", "--personas", "4", "--family", "personamem", "--workers", "1")
SMALL += ("--writer", "openai", "--model", "scripted")
PRICES = ("--price-input", "0", "--price-output", "1000")


class Done(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """A function that runs a command in this process."""

    def run(*words: object) -> Done:
        monkeypatch.setattr("sys.argv", ["personamem", *map(str, words)])
        with pytest.raises(SystemExit) as stopped:
            main()
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Done(int(stopped.value.code or 0), captured.out, " ".join(captured.err.split()))

    return run


Call = Callable[..., Done]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("--store s --out x", "s lacks answers of 'scripted' for 14 of 14 chats"),
        ("--out x", "--writer openai needs --store FILE"),
        ("--store s", "--out is missing"),
        ("--store s --out x --budget 1", "--concurrency and --budget need --base-url"),
        ("--store s --out x --concurrency 4", "--concurrency and --budget need --base-url"),
        ("--store s --out x --base-url u --price-cached 1", "'u' is not an address"),
        ("--store s --out x --engine tgi", "--engine 'tgi' is not known. Accepted: vllm"),
        ("--store s --out x --engine vllm --engine-args a=1,b", "--engine-args has 'b'. Accepted"),
        ("--store s --out x --engine vllm --engine-args a={", "--engine-args has 'a={', whose"),
        ("--store s --out x --engine vllm --budget 1", "--budget belongs to a server, and"),
        ("--store s --out x --replicas 2", "--replicas belongs to an engine. Accepted: --engine"),
        ("--store s --out x --price-cached 1", "--price-cached needs --price-input and"),
        ("--store s --out x --price-input 1", "--price-input and --price-output belong together"),
        (
            "--store s --out x --base-url http://localhost/v1 --budget 1",
            "--budget needs --price-input and --price-output",
        ),
        (
            "--store s --out x --base-url http://localhost/v1 --budget -1 --price-input 1 "
            "--price-output 1",
            "A budget is -1.0. Accepted: above 0",
        ),
        ("--store s --out x --base-url http://me:pass@localhost/v1", "a key goes into OPENAI"),
        ("--store s --out x --base-url http://localhost/v1 --concurrency 0", "concurrency is 0"),
        ("--store s --out x --price-input -1 --price-output 1", "--price-input"),
        ("--store s --out x --temperature 3", "temperature"),
        ("--store s --out x --max-tokens 0", "max_tokens"),
        ("--store s --out x --writer template", "the writer template takes no model"),
        ("--store s --out file", "Output file is a file"),
        ("--store file --out x", "file: not a store of answers, or damaged"),
        ("--store none/s --out x", "none/s: cannot be used as a store of answers"),
    ],
)
def test_options_that_cannot_be_are_one_error(
    call: Call, words: str, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("something of the user's", "utf-8")
    done = call(*SMALL, "--questions", "4", *words.split())
    assert done.code == (1 if "answers, or" in error or "as a store" in error else 2), done.err
    assert error in done.err
    assert "pass" not in done.err.replace("passed", "")
    assert {path.name for path in Path().iterdir()} <= {"file", "s"}
    assert Path("file").read_text("utf-8") == "something of the user's"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("--store s", "--store belongs to the writer openai"),
        ("--base-url http://localhost/v1", "--base-url belongs to the writer openai"),
        ("--plan", "--plan belongs to the writer openai"),
        ("--model m", "the writer template takes no model"),
        ("--writer openai", "needs the settings of a model, at least its name"),
        ("--writer openai --temperature 1", "model.name"),
        ("--writer people", "writer"),
    ],
)
def test_options_of_another_writer_are_refused(
    call: Call, words: str, error: str, tmp_path: Path
) -> None:
    done = call("build", "--size", "4k", "--out", tmp_path / "x", *words.split())
    assert done.code == 2
    assert error in done.err


def test_options_complete_the_model_of_a_file(call: Call, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(
        "families: {personamem: {sizes: [4k], personas: 4}}\n"
        "writer: openai\nmodel: {name: m, seed: 3}\n"
    )
    assert "calls: 14 " in call("build", "--config", config, "--temperature", "0", "--plan").out


def test_a_plan_needs_neither_folder_nor_store_nor_server(call: Call, tmp_path: Path) -> None:
    done = call(*SMALL, "--store", tmp_path / "s", "--plan", *PRICES)
    assert done.code == 0
    assert "calls: 14 (up to 4 times as many" in done.out
    assert "tokens to read: " in done.out
    assert "price: at most " in done.out
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_the_way_is_found_before_anything_is_paid(call: Call, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with serve_writer(write_json) as server:
        done = call(*SMALL, "--store", tmp_path / "s", "--base-url", server.url, "--out", tmp_path)
    assert (done.code, server.prompts) == (2, [])
    assert "is not empty" in done.err


@pytest.mark.parametrize("key", ["", KEY])
def test_a_missing_or_wrong_key_is_an_error_that_does_not_show_it(
    call: Call, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    behaviour = Behaviour(key="another", message=f"Incorrect API key provided: {KEY}")
    build = (*SMALL, "--store", tmp_path / "s", "--out", tmp_path / "x")
    with serve_faults(behaviour) as server:
        done = call(*build, "--base-url", server.url)
    assert done.code == 1
    assert "the server does not accept the API key; set OPENAI_API_KEY" in done.err
    assert "status 401" in done.err
    assert not (tmp_path / "x").exists()
    if key:
        assert KEY not in done.out + done.err
        assert KEY.encode() not in (tmp_path / "s").read_bytes()


def test_an_unknown_host_is_an_error_at_once(call: Call, tmp_path: Path) -> None:
    build = (*SMALL, "--store", tmp_path / "s", "--out", tmp_path / "x")
    done = call(*build, "--base-url", "http://no-such-host.invalid/v1")
    assert done.code == 1
    assert "http://no-such-host.invalid/v1, model 'scripted': no connection" in done.err


def test_a_spent_budget_stops_and_another_goes_on_without_paying_twice(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    build = (*SMALL, "--store", tmp_path / "s", "--out", tmp_path / "x", *PRICES)
    with serve_writer(write_json) as server:
        # Fifty tokens an answer, 0.05 each; what an answer may cost at most is far more.
        words = ("--base-url", server.url, "--concurrency", "2", "--budget")
        done = call(*build, *words, "1")
        assert done.code == 1
        assert "failed: The budget of 1 leaves no room for a request" in done.err
        assert "All answers so far are stored; run again with a budget to go on." in done.err
        assert "text, round 1: " in done.err
        paid = len(server.prompts)
        assert 2 < paid < 14
        assert f"cost {0.05 * paid:.2f}" in done.err
        assert not (tmp_path / "x").exists()
        with AnswerStore(tmp_path / "s") as store:
            assert len(store) == paid
        planned = re.findall(r"calls: (\d+) ", call(*build, "--plan").out)
        assert int(planned[0]) == 14 - paid
        done = call(*build, *words, "100")
        assert done.code == 0
        assert sorted(server.prompts) == sorted(set(server.prompts))
    assert "chats: 14, by the model: 14 " in done.out
    for path in (tmp_path / "s", *(tmp_path / "x").rglob("*")):
        assert path.is_dir() or KEY.encode() not in path.read_bytes()
    assert "calls: 0 " in call(*build, "--plan").out
    assert call(*build, "--overwrite").code == 0


def test_a_full_disk_is_one_error_and_keeps_what_was_paid(
    environment: dict[str, str], tmp_path: Path
) -> None:
    # A limit on the size of files stands for a disk that is full.
    words = [str(find_programs() / "personamem"), *SMALL, "--questions", "28", "--concurrency", "2"]
    words += ["--store", str(tmp_path / "s"), "--out", str(tmp_path / "x")]
    with serve_writer(write_json) as server:
        words += ["--base-url", server.url]
        full = subprocess.run(
            ["bash", "-c", 'ulimit -f 100; exec "$@"', "bash", *words],
            capture_output=True,
            text=True,
            env=environment,
            timeout=300,
        )
        assert full.returncode == 1, full.stderr
        shown = " ".join(full.stderr.split())
        assert "s: an answer cannot be written" in shown
        assert "make room on the disk and run again." in shown
        assert "Traceback" not in shown
        with AnswerStore(tmp_path / "s") as store:
            kept = len(store)
        paid = len(server.prompts)
        assert 1 <= kept <= paid < 14
        again = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=300)
        assert again.returncode == 0, again.stderr
        # Those that were paid when the disk was full could not be kept.
        assert len(server.prompts) - len(set(server.prompts)) <= paid - kept <= 2
