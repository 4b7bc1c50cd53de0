"""Loading: every layout gives the same data, and contexts are read once."""

import json
from pathlib import Path
from types import ModuleType

import pytest

from personamem.loaders import PersonaMem, load_personamem
from personamem.loaders.formats.errors import (
    DatasetError,
)
from personamem.loaders.formats.schema import UNKNOWN_PERSONA
from personamem.loaders.personamem.dataset import CACHED_CONTEXTS
from personamem.loaders.personamem.files import list_splits


def count_reads(data: PersonaMem, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    reads: list[str] = []
    read = data._contexts.read

    def counting(identifier: str):
        reads.append(identifier)
        return read(identifier)

    monkeypatch.setattr(data._contexts, "read", counting, raising=True)
    return reads


def test_ours_and_official_files_of_the_same_rows_load_alike(ours: Path, official: Path) -> None:
    first, second = load_personamem(ours, "4k"), load_personamem(str(official), "4k")
    assert first.questions == second.questions
    assert list(first.pairs()) == list(second.pairs())
    assert (first.split, first.source) == ("4k", str(ours))


def test_the_older_columns_load_alike_but_for_the_persona(
    tiny: ModuleType, tmp_path: Path, official: Path
) -> None:
    older = load_personamem(tiny.write_official(tmp_path / "older", older=True), "4k")
    newer = load_personamem(official, "4k")
    assert {question.persona_id for question in older.questions} == {UNKNOWN_PERSONA}
    for old, new in zip(older.questions, newer.questions, strict=True):
        assert old.user_question_or_message == new.user_question_or_message
        assert old.options == new.options


def test_messages_are_the_contexts_own_up_to_the_end_index(ours: Path, tiny: ModuleType) -> None:
    data = load_personamem(ours, "4k")
    question = data.questions[2]
    messages = data.messages_for(question)
    assert messages == tiny.make_messages(1)[:7]
    context = data.context(question.shared_context_id)
    assert all(message is context[index] for index, message in enumerate(messages))


@pytest.mark.parametrize("layout", ["ours", "official"])
def test_pairs_are_ordered_and_parse_each_context_once(
    layout: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = load_personamem(request.getfixturevalue(layout), "4k")
    reads = count_reads(data, monkeypatch)
    monkeypatch.setattr("personamem.loaders.personamem.dataset.CACHED_CONTEXTS", 1)
    order = [
        (data.context_ids.index(question.shared_context_id), question.end_index_in_shared_context)
        for question, messages in data.pairs()
        if len(messages) == question.end_index_in_shared_context
    ]
    assert len(order) == 8
    assert order == sorted(order)
    assert reads == list(data.context_ids)


def test_a_cached_context_is_not_read_again_and_the_cache_is_small(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("personamem.loaders.personamem.dataset.CACHED_CONTEXTS", 2)
    data = load_personamem(tiny.write_official(tmp_path / "o"), "4k")
    reads = count_reads(data, monkeypatch)
    zero, one, two = data.context_ids
    for identifier in (zero, one, zero, two, zero, one):
        data.context(identifier)
    assert reads == [zero, one, two, one]
    assert CACHED_CONTEXTS >= 2


def test_evidence_and_sessions(ours: Path, official: Path) -> None:
    ours_data, official_data = load_personamem(ours, "4k"), load_personamem(official, "4k")
    evidence = ours_data.evidence_for(ours_data.questions[3])
    assert evidence is not None
    assert (evidence.question_id, evidence.evidence_message_indices) == ("q03", (1,))
    assert official_data.evidence_for(official_data.questions[3]) is None
    for data in (ours_data, official_data):
        assert data.session_starts(data.context_ids[0]) == (0, 6)


def test_the_official_specimen_loads(tiny: ModuleType, tmp_path: Path, specimen: Path) -> None:
    folder = tiny.write_official(tmp_path / "o", split="32k")
    (folder / "shared_contexts_32k.jsonl").write_bytes(specimen.read_bytes())
    identifier = next(iter(json.loads(specimen.read_text(encoding="utf-8"))))
    path = folder / "questions_32k.csv"
    text = path.read_text(encoding="utf-8")
    for context_id in tiny.CONTEXT_IDS:
        text = text.replace(context_id, identifier)
    path.write_text(text, encoding="utf-8", newline="")
    data = load_personamem(folder, "32k")
    assert len(data.context(identifier)) == 183
    assert data.session_starts(identifier) == (0, 47, 78, 109, 154)


def test_splits_are_listed_smallest_first(ours: Path, official: Path, tiny: ModuleType) -> None:
    for split in ("1M", "32k"):
        tiny.write_ours(ours, split)
        tiny.write_official(official, split)
    assert list_splits(ours) == list_splits(str(official)) == ["4k", "32k", "1M"]
    with pytest.raises(DatasetError, match="is not a dataset"):
        list_splits(ours.parent)
    (ours / "manifest.json").unlink()
    with pytest.raises(DatasetError, match="half-written"):
        list_splits(ours)
