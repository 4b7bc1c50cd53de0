"""Runs: every session once, nothing before its time, every failure counted."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from memories import Making, Recorder

from personamem.loaders import PersonaMem
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.memory.controls import CONTROLS, FullMemory, NoMemory
from personamem.loaders.memory.protocol import DatedMessage, Memory
from personamem.loaders.memory.records import ContextRun, iterate_scores
from personamem.loaders.memory.runs import run_memory
from personamem.loaders.memory.steps import AskStep, name_user
from personamem.loaders.memory.systems import MemoryFactory, read_models
from personamem.loaders.memory.timeline import list_steps

pytestmark = pytest.mark.system


def record(data: PersonaMem, **options: Any) -> tuple[list[Recorder], list[ContextRun]]:
    recorders: list[Recorder] = []

    def make() -> Recorder:
        recorders.append(Recorder())
        return recorders[-1]

    return recorders, run_memory(data, Making(make), [100], **options)


@pytest.mark.parametrize("side_by_side", [1, 4])
def test_a_memory_knows_what_a_question_sees_and_nothing_later(
    data: PersonaMem, side_by_side: int
) -> None:
    recorders, runs = record(data, side_by_side=side_by_side)
    assert [run.context_id for run in runs] == list(data.context_ids)
    steps = {
        (step.user, step.query, step.as_of): step
        for context_id in data.context_ids
        for step in list_steps(data, context_id)
        if isinstance(step, AskStep)
    }
    questions = {question.question_id: question for question in data.questions}
    asked = 0
    for recorder in recorders:
        for user, query, as_of, added in recorder.asked:
            step = steps[user, query, as_of]
            known = [m for name, _, texts in recorder.added[:added] if name == user for m in texts]
            seen = data.messages_for(questions[step.question_id])
            assert [m["content"] for m in known] == [m["content"] for m in seen]
            assert max(m["timestamp"][:10] for m in known) <= as_of
            asked += 1
    assert asked == len(data.questions)


def test_every_session_is_added_once_with_its_date(data: PersonaMem) -> None:
    recorders, runs = record(data)
    assert len(recorders) == len(data.context_ids) / 2
    added = [session for recorder in recorders for session in recorder.added]
    assert len({(user, session) for user, session, _ in added}) == len(added)
    assert sum(run.adds for run in runs) == len(added)
    for context_id in data.context_ids:
        last = max(q.end_index_in_shared_context for q in data.questions_of(context_id))
        user = name_user(context_id)
        mine = [texts for name, _, texts in added if name == user]
        assert len(mine) == sum(start < last for start in data.session_starts(context_id))
        dates = data.session_dates(context_id)
        assert [texts[0]["timestamp"][:10] for texts in mine] == list(dates[: len(mine)])
        stamps = [texts[0]["timestamp"] for texts in mine]
        assert stamps == sorted(set(stamps))
    assert all(recorder.flushed and recorder.closed == 1 for recorder in recorders)


def test_controls_come_in_the_order_that_they_must(data: PersonaMem) -> None:
    def recall(name: str) -> float:
        runs = run_memory(data, MemoryFactory(name, data), [1_000])
        found = [score.recall for score in iterate_scores(runs, 1_000)]
        return sum(value or 0 for value in found) / len(found)

    by_name = {name: recall(name) for name in ("oracle", "bm25", "random", "none")}
    assert by_name["oracle"] == 1
    assert by_name["oracle"] > by_name["bm25"] > by_name["random"] > by_name["none"] == 0


def test_texts_of_other_users_and_tokens_beyond_the_budget_are_counted(data: PersonaMem) -> None:
    scores = list(iterate_scores(run_memory(data, MemoryFactory("broken", data), [300]), 300))
    assert sum(score.foreign for score in scores)
    assert all(score.tokens <= 300 for score in scores)
    assert sum(score.over for score in scores) > 1_000


def test_without_sources_recall_is_told_by_the_text(data: PersonaMem) -> None:
    class Silent(FullMemory):
        def search(self, *arguments: Any) -> Sequence[Memory]:
            return [Memory(memory.text) for memory in super().search(*arguments)]

    def recall(system: type[FullMemory]) -> float:
        scores = iterate_scores(run_memory(data, Making(system), [900]), 900)
        return sum(score.recall or 0 for score in scores)

    assert recall(Silent) == pytest.approx(recall(FullMemory), rel=0.05)


def test_of_texts_that_a_memory_writes_itself_nobody_can_tell_the_recall(data: PersonaMem) -> None:
    class Rewriting(NoMemory):
        rewrites = True

        def search(self, *arguments: Any) -> Sequence[Memory]:
            return [Memory("The user lives by the sea.")]

    scores = list(iterate_scores(run_memory(data, Making(Rewriting), [50]), 50))
    assert {(score.recall, score.written, score.stale) for score in scores} == {(None, None, None)}


def test_what_was_never_written_is_told_from_what_was_not_found(data: PersonaMem) -> None:
    class Forgetful(FullMemory):
        def add(self, user: str, session_id: str, messages: Sequence[DatedMessage]) -> None:
            if int(session_id[1:].split("-")[0]) % 2:
                super().add(user, session_id, messages)

    scores = list(iterate_scores(run_memory(data, Making(Forgetful), [300]), 300))
    assert {0.0, 1.0} <= {score.written for score in scores}
    assert all((score.recall or 0) <= (score.written or 0) for score in scores)


def test_a_search_that_fails_finds_nothing_and_is_counted(data: PersonaMem) -> None:
    class Failing(NoMemory):
        def search(self, *arguments: Any) -> Sequence[Memory]:
            raise RuntimeError("index lost")

    (run,) = run_memory(data, Making(Failing), [500], contexts=data.context_ids[:1])
    assert len(run.failures) == len(run.searches)
    assert "search failed (RuntimeError: index lost)" in run.failures[0]
    assert {search.score.recall for search in run.searches} == {0.0}


def test_a_context_that_cannot_be_added_fails_and_the_others_go_on(data: PersonaMem) -> None:
    made: list[Recorder] = []

    class Full(Recorder):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

        def add(self, user: str, session_id: str, messages: Sequence[DatedMessage]) -> None:
            if len(made) == 1 and len(self.added) == 2:
                raise OSError("disk full")
            super().add(user, session_id, messages)

    runs = run_memory(data, Making(Full), [500])
    assert [run.is_complete for run in runs] == [False] + [True] * 7
    assert "add failed (OSError: disk full)" in runs[0].failures[0]
    assert len(runs[0].failures) == 1 + len(runs[0].searches)
    assert {search.score.recall for search in runs[0].searches} == {0.0}
    assert all(system.closed == 1 for system in made)


@pytest.mark.parametrize("budgets", [[], [0], [500, -1]])
def test_a_budget_of_nothing_is_refused(data: PersonaMem, budgets: list[int]) -> None:
    with pytest.raises(InvalidInputError, match=r"budget .*Accepted: 1 token or more"):
        run_memory(data, Making(NoMemory), budgets)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bm52", r"Unknown memory system 'bm52'. Did you mean 'bm25'"),
        ("nowhere.at.all:make", r"nowhere.at.all cannot be imported"),
        ("json:nothing", r"no attribute 'nothing'"),
        ("collections:OrderedDict", r"OrderedDict is no memory. Accepted: an object with"),
        ("cmd:no-such-program-anywhere", r"cannot be started"),
        ("cmd:", r"names no program"),
        ("agentic", r"asks a chat model. Give llm \(its name\) and llm_server"),
        ("mem0-extract", r"asks a chat model"),
        ("langgraph", r"does not have it \(ModuleNotFoundError.*pip install langgraph-checkpoint"),
    ],
)
def test_systems_that_do_not_exist_are_named(data: PersonaMem, name: str, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        run_memory(data, MemoryFactory(name, data), [100])


def test_options_of_a_system_are_checked(tmp_path: Path) -> None:
    assert read_models({"llm": "m", "llm_server": "http://x/v1"}).llm == "m"
    with pytest.raises(InvalidInputError, match=r"'lm'. Did you mean 'llm'"):
        read_models({"lm": "m"})
    with pytest.raises(InvalidInputError, match=r"llm is 7. Accepted: a text"):
        read_models({"llm": 7})
    factory = MemoryFactory("agentic", None, read_models({"llm": "m", "llm_server": "here"}))
    with pytest.raises(InvalidInputError, match=r"llm_server 'here'. Accepted: the address"):
        factory.make(tmp_path)
    for tokens in (0, 2_049, "many"):
        with pytest.raises(InvalidInputError, match=r"llm_tokens is .*Accepted: a whole number"):
            read_models({"llm_tokens": tokens})


def test_every_control_can_be_made(data: PersonaMem, tmp_path: Path) -> None:
    for name in CONTROLS:
        MemoryFactory(name, data).make(tmp_path)


def test_progress_is_told_context_by_context(data: PersonaMem) -> None:
    told: list[ContextRun] = []
    run_memory(data, Making(NoMemory), [10], report=told.append)
    assert [run.context_id for run in told] == list(data.context_ids)


def test_an_adapter_is_named_by_module_and_class(data: PersonaMem) -> None:
    with pytest.raises(InvalidInputError, match=r"adapter 'nothing'. Accepted: module:Class"):
        run_memory(data, MemoryFactory("amb:nothing", data), [100])


def test_two_contexts_of_one_persona_are_two_users(data: PersonaMem) -> None:
    """In official releases a persona has several: what is said in one is no past of the other."""
    alone = data.keep([replace(question, persona_id=0) for question in data.questions])
    users = {step.user for each in data.context_ids for step in list_steps(alone, each)}
    assert len(users) == len(data.context_ids)


def test_what_a_memory_keeps_is_listed_once_as_long_as_nothing_is_added(data: PersonaMem) -> None:
    listed: list[int] = []

    class Listing(Recorder):
        def list(self, user: str) -> Sequence[Memory]:
            listed.append(len(self.added))
            return []

    run_memory(data, Making(Listing), [50, 100, 200], contexts=data.context_ids[:1])
    assert listed
    assert len(set(listed)) == len(listed)


def test_a_memory_that_cannot_close_is_named(data: PersonaMem) -> None:
    class Stuck(NoMemory):
        def close(self) -> None:
            raise OSError("busy")

    (run,) = run_memory(data, Making(Stuck), [50], contexts=data.context_ids[:1])
    assert run.failures == [f"{run.context_id}: close failed (OSError: busy)"]
