"""The runner: every session once, nothing before its time, every failure counted."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from personamem.loaders import PersonaMem
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.memory.controls import CONTROLS, NoMemory, make_control
from personamem.loaders.memory.protocol import DatedMessage, Memory, MemoryFailure
from personamem.loaders.memory.runner import ContextRun, iterate_scores, run_memory
from personamem.loaders.memory.systems import make_system
from personamem.loaders.memory.timeline import AskStep, list_steps, name_user

pytestmark = pytest.mark.system


class Recorder(NoMemory):
    """Notes what it is told, in order."""

    def __init__(self) -> None:
        self.added: list[tuple[str, str, Sequence[DatedMessage]]] = []
        self.asked: list[tuple[str, str, str, int]] = []
        self.flushed = self.closed = 0

    def add(self, user: str, session_id: str, messages: Sequence[DatedMessage]) -> None:
        self.added.append((user, session_id, messages))

    def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
        self.asked.append((user, query, as_of, len(self.added)))
        return []

    def flush(self) -> None:
        self.flushed += 1

    def close(self) -> None:
        self.closed += 1


def test_a_memory_knows_what_a_question_sees_and_nothing_later(data: PersonaMem) -> None:
    recorder = Recorder()
    run_memory(data, recorder, [100])
    assert len(recorder.asked) == len(data.questions)
    asked = [
        step
        for context_id in data.context_ids
        for step in list_steps(data, context_id)
        if isinstance(step, AskStep)
    ]
    for step, (user, query, as_of, added) in zip(asked, recorder.asked, strict=True):
        assert (user, query) == (step.user, step.question.user_question_or_message)
        known = [m for name, _, texts in recorder.added[:added] if name == user for m in texts]
        seen = data.messages_for(step.question)
        assert [m["content"] for m in known] == [m["content"] for m in seen]
        assert max(m["timestamp"][:10] for m in known) <= as_of


def test_every_session_is_added_once_with_its_date(data: PersonaMem) -> None:
    recorder = Recorder()
    runs = run_memory(data, recorder, [100, 200])
    assert len({(user, session) for user, session, _ in recorder.added}) == len(recorder.added)
    assert sum(run.adds for run in runs) == len(recorder.added)
    for context_id in data.context_ids:
        last = max(q.end_index_in_shared_context for q in data.questions_of(context_id))
        user = name_user(data.questions_of(context_id)[0])
        mine = [texts for name, _, texts in recorder.added if name == user]
        assert len(mine) == sum(start < last for start in data.session_starts(context_id))
        dates = data.session_dates(context_id)
        assert [texts[0]["timestamp"][:10] for texts in mine] == list(dates[: len(mine)])
        stamps = [texts[0]["timestamp"] for texts in mine]
        assert stamps == sorted(set(stamps))
    assert recorder.flushed
    assert recorder.closed == 1


def test_controls_come_in_the_order_that_they_must(data: PersonaMem) -> None:
    def recall(name: str) -> float:
        runs = run_memory(data, make_control(name, data), [1_000])
        found = [score.recall for score in iterate_scores(runs, 1_000)]
        return sum(value or 0 for value in found) / len(found)

    by_name = {name: recall(name) for name in ("oracle", "bm25", "random", "none")}
    assert by_name["oracle"] == 1
    assert by_name["oracle"] > by_name["bm25"] > by_name["random"] > by_name["none"] == 0


def test_texts_of_other_users_and_tokens_beyond_the_budget_are_counted(data: PersonaMem) -> None:
    runs = run_memory(data, make_control("broken", data), [300])
    scores = list(iterate_scores(runs, 300))
    assert sum(score.foreign for score in scores)
    assert all(score.tokens <= 300 for score in scores)
    assert sum(score.over for score in scores) > 1_000


def test_without_sources_recall_is_told_by_the_text(data: PersonaMem) -> None:
    class Silent:
        def __init__(self) -> None:
            self.inner = make_control("oracle", data)
            self.add = self.inner.add

        def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
            return [Memory(m.text) for m in self.inner.search(user, query, as_of, max_tokens)]

    runs = run_memory(data, Silent(), [2_000])
    found = [score.recall or 0 for score in iterate_scores(runs, 2_000)]
    assert sum(found) / len(found) > 0.95


def test_a_search_that_fails_finds_nothing_and_is_counted(data: PersonaMem) -> None:
    class Failing(NoMemory):
        def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
            raise RuntimeError("index lost")

    runs = run_memory(data, Failing(), [500], data.context_ids[:1])
    (run,) = runs
    assert len(run.failures) == run.searches == len(run.scores[500])
    assert "search failed (RuntimeError: index lost)" in run.failures[0]
    assert {score.recall for score in run.scores[500]} == {0.0}


def test_an_add_that_fails_ends_the_run(data: PersonaMem) -> None:
    class Full(Recorder):
        def add(self, user: str, session_id: str, messages: Sequence[DatedMessage]) -> None:
            raise OSError("disk full")

    system = Full()
    with pytest.raises(MemoryFailure, match=r"session s0: add failed \(OSError: disk full\)"):
        run_memory(data, system, [500])
    assert system.closed == 1


@pytest.mark.parametrize("budgets", [[], [0], [500, -1]])
def test_a_budget_of_nothing_is_refused(data: PersonaMem, budgets: list[int]) -> None:
    with pytest.raises(InvalidInputError, match=r"budget .*Accepted: 1 token or more"):
        run_memory(data, NoMemory(), budgets)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bm52", r"Unknown memory system 'bm52'. Did you mean 'bm25'"),
        ("nowhere.at.all:make", r"nowhere.at.all cannot be imported"),
        ("json:nothing", r"no attribute 'nothing'"),
        ("collections:OrderedDict", r"OrderedDict is no memory. Accepted: an object with"),
        ("cmd:no-such-program-anywhere", r"cannot be started"),
        ("cmd:", r"names no program"),
    ],
)
def test_systems_that_do_not_exist_are_named(data: PersonaMem, name: str, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        make_system(name, data)


def test_every_control_can_be_made(data: PersonaMem) -> None:
    for name in set(CONTROLS) - {"minilm"}:
        make_control(name, data)


def test_progress_is_told_context_by_context(data: PersonaMem) -> None:
    told: list[ContextRun] = []
    report: Callable[[ContextRun], None] = told.append
    run_memory(data, NoMemory(), [10], report=report)
    assert [run.context_id for run in told] == list(data.context_ids)


def test_the_command_prints_a_table_and_writes_scores(data: PersonaMem, tmp_path: Path) -> None:
    from calling import call

    path = tmp_path / "scores.json"
    options = ("--split", "4k", "--system", "oracle", "--system", "none", "--budget", "900")
    done = call("memory", data.source, *options, "--json", path, "--fail-under", "0.5")
    assert done.returncode == 1
    assert "none at 900 tokens: recall 0.000, under 0.5." in " ".join(done.stderr.split())
    assert "oracle" in done.stdout
    assert '"recall": 1.0' in path.read_text()
