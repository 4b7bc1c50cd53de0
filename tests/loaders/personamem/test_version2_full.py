"""The second release in full: every column, both sizes, three tables, snippets found or absent."""

import csv
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hub import run_hub
from hub_loading import LOAD, add_repository, list_fetched, run_loads
from version2_release import Row, change_rows
from version2_specimen import CASES, PHONE, SIZES, write_specimen

from personamem.loaders import load_personamem
from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.memory.steps import AskStep
from personamem.loaders.memory.timeline import list_steps
from personamem.loaders.personamem.files import list_splits
from personamem.loaders.personamem.version2.histories import PART_MESSAGES, HistoryIndex
from personamem.loaders.personamem.version2.records import COLUMNS, KINDS, TABLE
from personamem.loaders.personamem.version2_dataset import load_version2


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_specimen(tmp_path_factory.mktemp("release"))


@pytest.mark.parametrize("size", SIZES)
def test_every_column_is_read_with_its_type(release: Path, size: str) -> None:
    version2 = load_version2(release, size)
    assert list_splits(release) == [*SIZES]
    with (release / TABLE).open(encoding="utf-8", newline="") as stream:
        assert sorted(next(csv.reader(stream))) == sorted(COLUMNS)
    assert len(version2.entries) == 2 * len(CASES)
    row = version2.entries[5].row
    facts = row.histories[size]
    assert (row.number, row.question_id, row.persona_id) == (6, "row-6", 12)
    assert facts.link == f"data/chat_history_{size}/chat_history_12.json"
    assert facts.distance == 4 * SIZES[size] * 40
    assert facts.total_tokens == 9 * SIZES[size] * 40
    assert facts.relevant_tokens == 700
    assert facts.irrelevant_tokens == (0 if size == "32k" else facts.total_tokens - 700)
    assert row.expanded_persona["name"] == "Ida Brandt"
    assert row.incorrect_answers == CASES[5].wrong
    assert (row.who, row.updated, row.prev_pref) == ("self", True, "Travels by plane")
    assert row.sensitive_info is False
    assert row.snippet[0]["content"] == CASES[5].told
    assert row.conversation_scenario == "chat_message"
    assert row.topic_preference == row.topic_query == "travel"


def test_rows_are_told_apart_by_what_a_reply_is_to_do(release: Path) -> None:
    kinds = Counter(entry.row.kind for entry in load_version2(release, "32k").entries)
    assert kinds == dict(zip(KINDS, (10, 2, 2, 2, 2), strict=True))


def test_snippets_are_found_in_the_history_or_counted_as_absent(
    release: Path, tmp_path: Path
) -> None:
    version2 = load_version2(release, "32k")
    for entry in version2.entries:
        history = version2.data.messages_for(entry.question)
        if entry.place is not None:
            found = [history[index] for index in entry.place]
            assert tuple(found) == entry.row.snippet
    assert [entry.row.kind for entry in version2.absent] == ["sensitive"] * 2
    assert version2.unanswerable == version2.absent
    whole = load_version2(write_specimen(tmp_path / "whole", with_secrets=True), "32k")
    assert whole.absent == whole.unanswerable == ()
    assert any(PHONE in m["content"] for m in whole.data.context(whole.data.context_ids[0]))


def test_a_lost_snippet_is_absent_but_its_row_can_be_answered(tmp_path: Path) -> None:
    def lose(rows: list[Row]) -> None:
        rows[0]["related_conversation_snippet"] = '[{"role": "user", "content": "Never said."}]'

    folder = write_specimen(tmp_path / "release")
    change_rows(folder, lose)
    version2 = load_version2(folder, "32k")
    assert len(version2.absent) == 3
    assert len(version2.unanswerable) == 2


def test_messages_of_a_snippet_are_found_in_order_and_empty_ones_find_nothing() -> None:
    index = HistoryIndex(
        [
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "two "},
            {"role": "user", "content": "one"},
            {"role": "user", "content": ""},
        ]
    )
    one, two = {"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}
    empty = {"role": "user", "content": " "}
    assert index.find([one, two, one]) == (0, 1, 2)
    assert index.find([two, empty, one]) == (1, 2)
    assert index.find([one, two, two]) is None
    assert index.find([empty]) is None
    assert index.find([]) is None


def test_a_history_is_read_once_to_load_and_once_for_its_questions(
    release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from personamem.loaders.personamem.version2 import histories

    read: list[str] = []
    real = histories.read_json_file

    def note(path: Path) -> object:
        read.append(path.name)
        return real(path)

    monkeypatch.setattr(histories, "read_json_file", note)
    version2 = load_version2(release, "32k")
    linked = ["chat_history_12.json", "chat_history_47.json"]
    assert sorted(read) == linked
    for question in version2.data.ordered_questions():
        version2.data.messages_for(question)
        version2.profile_for(question)
    assert sorted(read) == sorted(linked * 2)


def test_parts_stand_for_sessions(release: Path) -> None:
    data = load_version2(release, "32k").data
    starts, messages = (read(data.context_ids[0]) for read in (data.session_starts, data.context))
    assert starts[0] == 0
    assert all(messages[start]["role"] == "user" for start in starts[1:])
    assert starts[1] == 1 + PART_MESSAGES
    assert {b - a for a, b in pairwise(starts[1:])} == {PART_MESSAGES}


def test_a_memory_is_scored_by_the_parts_with_the_snippet(release: Path) -> None:
    for data in (load_version2(release, "32k").data, load_personamem(release, "32k")):
        asked = {
            step.question_id: step
            for step in list_steps(data, data.context_ids[0])
            if isinstance(step, AskStep)
        }
        starts = data.session_starts(data.context_ids[0])
        messages = data.context(data.context_ids[0])
        assert asked["row-9"].evidence == ()
        for number, case in enumerate(CASES[:-1], start=1):
            step = asked[f"row-{number}"]
            place = next(i for i, each in enumerate(messages) if each["content"] == case.told)
            assert (f"s{bisect_right(starts, place) - 1}",) in (step.evidence or ())
            assert step.related is None


def test_the_tables_for_training_are_read_too(release: Path) -> None:
    sizes = [len(load_version2(release, "32k", name).entries) for name in ("train", "val")]
    assert sizes == [3, 2]
    with pytest.raises(InvalidInputError, match=r"Unknown table 'test'.*benchmark, train, val"):
        load_version2(release, "32k", "test")
    with pytest.raises(InvalidInputError, match=r"'1M'.*Accepted: 32k, 128k"):
        load_version2(release, "1M")
    with pytest.raises(DatasetError, match="not the second official release"):
        load_version2(release / "data", "32k")


def test_the_profile_is_what_stands_before_the_first_user(release: Path) -> None:
    version2 = load_version2(release, "128k")
    profile = version2.profile_for(version2.entries[0].question)
    assert [m["content"] for m in profile] == ["You talk with Ida Brandt, who likes plain words."]


def put(**cells: str) -> Callable[[list[Row]], None]:
    return lambda rows: rows[3].update(cells)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put(who="friends"), r"row 4: who is 'friends'. Accepted: self, others"),
        (put(updated="maybe"), r"row 4: updated is 'maybe'. Accepted: True, False"),
        (put(sensitive_info="2"), r"row 4: sensitive_info is '2'"),
        (put(expanded_persona="[1]"), r"row 4: expanded_persona is .*a JSON object"),
        (put(related_conversation_snippet="[1]"), r"row 4: related_conversation_snippet is"),
        (put(num_persona_relevant_tokens_128k="x"), r"row 4: num_persona_relevant_tokens_128k"),
        (put(persona_id=""), r"row 4: persona_id is ''. Accepted: an integer"),
    ],
)
def test_a_cell_of_another_type_is_named(
    tmp_path: Path, change: Callable[[list[Row]], None], message: str
) -> None:
    folder = write_specimen(tmp_path / "release")
    change_rows(folder, change)
    with pytest.raises(DatasetError, match=message):
        load_version2(folder, "32k")


LOAD_FULL = LOAD.replace("personamem.loaders import load_personamem", "{} import {} as {}").format(
    "personamem.loaders.personamem.version2_dataset", "load_version2", "load_personamem"
)
LOAD_FULL = LOAD_FULL.replace("revision)\n", "revision or 'benchmark').data\n")


@pytest.mark.system
def test_from_a_hub_only_linked_histories_are_fetched(release: Path, tmp_path: Path) -> None:
    with run_hub(tmp_path / "hub") as hub:
        add_repository(hub, "own/second", release)
        assert run_loads(hub, tmp_path / "home", [("own/second", "32k", None)], LOAD_FULL) == [
            "18 own/second"
        ]
        assert list_fetched(hub) == {
            "benchmark/text/benchmark.csv",
            "data/chat_history_32k/chat_history_12.json",
            "data/chat_history_32k/chat_history_47.json",
        }
        hub.requests.clear()
        loads = [("own/second", "128k", "val"), ("own/second", "32k", "val")]
        lines = run_loads(hub, tmp_path / "home", loads, LOAD_FULL)
        assert lines == ["2 own/second", "2 own/second"]
        assert list_fetched(hub) == {
            "benchmark/text/val.csv",
            "data/chat_history_128k/chat_history_12.json",
        }
