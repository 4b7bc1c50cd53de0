"""mem0 and the store of langgraph: the real packages, in an environment of their own."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from replaying_server import read_text, serve_replies

from personamem.loaders import PersonaMem
from personamem.loaders.memory.contract import check_memory, make_session
from personamem.loaders.memory.protocol import call_optional
from personamem.loaders.memory.records import ContextRun, iterate_scores
from personamem.loaders.memory.runs import run_memory
from personamem.loaders.memory.systems import MemoryFactory, Models

PYTHON = Path(sys.prefix) / "memories" / "bin" / "python"

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(not PYTHON.exists(), reason=f"{PYTHON} is missing: make test installs it"),
]

RAW = ("mem0", "langgraph")
Make = Callable[..., MemoryFactory]


@pytest.fixture
def make(data: PersonaMem) -> Make:
    def open_factory(name: str, llm_server: str = "") -> MemoryFactory:
        models = Models("scripted" if llm_server else "", llm_server, python=str(PYTHON))
        return MemoryFactory(name, data, models)

    return open_factory


def test_nothing_of_ours_is_in_their_environment() -> None:
    for module in ("personamem", "datasets", "torch"):
        found = subprocess.run(
            [PYTHON, "-E", "-c", f"import {module}"], capture_output=True, check=False
        )
        assert b"ModuleNotFoundError" in found.stderr


@pytest.mark.parametrize("name", RAW)
def test_they_keep_the_contract(name: str, make: Make, tmp_path: Path) -> None:
    numbers = iter(range(100))
    with make(name) as factory:
        clauses = check_memory(lambda: factory.make(tmp_path / str(next(numbers))).system)
    assert [clause for clause in clauses if not clause.passed] == []


@pytest.mark.parametrize("name", RAW)
def test_they_find_more_than_chance_and_name_their_sources(
    name: str, make: Make, data: PersonaMem
) -> None:
    def recall(runs: list[ContextRun]) -> float:
        scores = list(iterate_scores(runs, 600))
        return sum(score.recall or 0 for score in scores) / len(scores)

    with make(name) as factory:
        runs = run_memory(data, factory, [600], contexts=data.context_ids[:1])
    random = run_memory(data, MemoryFactory("random", data), [600], contexts=data.context_ids[:1])
    assert recall(runs) > recall(random)
    assert all(search.found[0].sources for run in runs for search in run.searches)
    assert {search.score.written for run in runs for search in run.searches} == {1.0}
    assert sum(run.add_usage.embedded for run in runs) > sum(run.adds for run in runs)
    assert not any(run.add_usage.calls for run in runs)


@pytest.mark.parametrize("name", RAW)
def test_a_state_that_was_saved_is_gone_on_with(name: str, make: Make, tmp_path: Path) -> None:
    query = ("user-ann", "Which model is my gearbox?", "2024-06-01", 500)
    with make(name) as factory:
        first = factory.make(tmp_path / "first").system
        first.add("user-ann", "s0", make_session("user-ann", 0))
        first.add("user-ann", "s1", make_session("user-ann", 1))
        (tmp_path / "state").mkdir()
        call_optional(first, "save", tmp_path / "state")
        found = [memory.text for memory in first.search(*query)]
        first.add("user-ann", "s2", make_session("user-ann", 2))
        call_optional(first, "close")
        second = factory.make(tmp_path / "second").system
        call_optional(second, "load", tmp_path / "state")
        assert [memory.text for memory in second.search(*query)] == found
        call_optional(second, "close")


def test_mem0_extracts_once_a_session_with_its_date(make: Make, tmp_path: Path) -> None:
    def extract(text: str) -> str:
        word = "kiln" if "kiln" in text else "gearbox"
        fact = f"On 2024-05 the user asked about a {word} of the zanzibar model."
        return json.dumps({"memory": [{"id": "0", "text": fact}]})

    with serve_replies(extract) as (url, bodies), make("mem0-extract", url) as factory:
        instance = factory.make(tmp_path)
        for number in range(2):
            instance.system.add("user-ann", f"s{number}", make_session("user-ann", number))
        assert len(bodies) == instance.meter.total.calls == 2
        for number, body in enumerate(bodies):
            assert f"[2024-05-{number + 1:02}]" in read_text(body)
            assert body["model"] == "scripted"
        (found, *_) = instance.system.search("user-ann", "the kiln", "2024-06-01", 100)
        assert "zanzibar" in found.text
        call_optional(instance.system, "reset", "user-ann")
        assert list(instance.system.search("user-ann", "the kiln", "2024-06-01", 100)) == []
        call_optional(instance.system, "close")


def test_an_adapter_for_benchd_runs_unchanged(make: Make, data: PersonaMem, tmp_path: Path) -> None:
    with make("benchd:benchd_harness.adapters.echo:EchoAdapter") as factory:
        clauses = check_memory(lambda: factory.make(tmp_path).system)
        runs = run_memory(data, factory, [600], contexts=data.context_ids[:1])
    # It compares words as they stand, so that "heron?" finds no heron.
    assert {clause.name for clause in clauses if not clause.passed} == {"finding", "dates"}
    assert sum(len(search.found) for run in runs for search in run.searches)


AMB_ADAPTER = """\
class Provider:
    name, description, kind = "plain", "keeps all", "local"

    def prepare(self, store_dir, unit_ids=None):
        self.log, self.kept = store_dir / "log.txt", []

    def ingest(self, documents):
        self.kept += documents

    def retrieve(self, query, k=10, user_id=None, query_timestamp=None):
        words = set(query.lower().split())
        mine = [d for d in self.kept if d.user_id == user_id]
        assert all(d.timestamp[:10] <= query_timestamp for d in mine)
        mine.sort(key=lambda d: -len(words & set(d.content.lower().split())))
        return mine[:k], None

    def cleanup(self):
        self.log.write_text(f"{len(self.kept)} documents")
"""


def test_an_adapter_for_amb_runs_unchanged(
    make: Make, data: PersonaMem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "amb_adapter.py").write_text(AMB_ADAPTER)
    monkeypatch.chdir(tmp_path)
    with make("amb:amb_adapter:Provider") as factory:
        (run,) = run_memory(
            data, factory, [600], contexts=data.context_ids[:1], folder=tmp_path / "run"
        )
        instance = factory.make(tmp_path / "one")
        instance.system.add("user-ann", "s0", make_session("user-ann", 0))
        (found,) = instance.system.search("user-ann", "my kiln", "2024-06-01", 100)
        call_optional(instance.system, "close")
    assert not run.failures
    assert all(search.found[0].sources for search in run.searches)
    assert found.text.startswith("[2024-05-01] user: My kiln is the zanzibar model")
    assert (tmp_path / "one" / "store" / "log.txt").read_text() == "1 documents"
