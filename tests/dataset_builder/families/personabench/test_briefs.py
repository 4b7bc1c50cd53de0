"""Briefs of documents: the embedded writer's outline, what has to stand where, and what nowhere."""

from dataclasses import replace

import pytest

from personamem.dataset_builder.families.personabench.briefs import DocumentBrief, brief_documents
from personamem.dataset_builder.families.personabench.graph import build_community
from personamem.dataset_builder.families.personabench.records import Archive, Session
from personamem.dataset_builder.families.personabench.rows import OpenTables, make_tables
from personamem.dataset_builder.families.personabench.wording import RELATION_WORDS, contains_words
from personamem.loaders.personabench.schema import Utterance


@pytest.fixture(scope="module")
def briefs() -> dict[str, DocumentBrief]:
    return {brief.session_id: brief for brief in brief_documents(0, 0)}


@pytest.fixture(scope="module")
def sessions(archives: list[Archive]) -> dict[str, Session]:
    return {session.session_id: session for archive in archives[:3] for session in archive.sessions}


def test_talks_and_chats_have_briefs_signal_and_noise(
    briefs: dict[str, DocumentBrief], sessions: dict[str, Session]
) -> None:
    talks = {s.session_id for s in sessions.values() if s.kind == "conversation"}
    assert talks <= set(briefs)
    for identifier, session in sessions.items():
        kinds = {part.matter.kind for turn in session.outline for part in turn.parts}
        unrelated = kinds <= {"unrelated", "frame"}
        if session.kind == "purchase_history" or unrelated:
            assert identifier not in briefs
        else:
            assert (briefs[identifier].kind, briefs[identifier].time) == (
                session.kind,
                session.time,
            )


def test_a_brief_has_the_messages_of_its_document(
    briefs: dict[str, DocumentBrief], sessions: dict[str, Session]
) -> None:
    for identifier, brief in briefs.items():
        messages = sessions[identifier].messages
        assert [(t.role, t.embedded) for t in brief.turns] == [
            (m.role, m.content) for m in messages
        ]
        for turn in brief.turns:
            assert " ".join(part.text for part in turn.parts) == turn.embedded
            assert sum(p.step == "say" for p in turn.parts) <= 1


def test_the_embedded_words_name_what_is_planned_and_nothing_else(
    briefs: dict[str, DocumentBrief],
) -> None:
    named = 0
    for brief in briefs.values():
        for turn in brief.turns:
            said = turn.said
            planned: set[str] = set()
            if said is not None and said.matter.kind in ("reveal", "others"):
                planned = {value.casefold() for value in said.matter.values}
                named += len(planned)
                assert all(contains_words(turn.embedded, value) for value in said.matter.values)
                assert all(name in turn.embedded for name in said.matter.people)
            if not turn.fixed and all(part.matter.kind != "event" for part in turn.parts):
                found = {value.casefold() for value in brief.guarded.watch.find(turn.embedded)}
                assert found & brief.guarded.words <= planned
    assert named > 300


def test_every_fact_that_is_asked_for_has_its_place(
    briefs: dict[str, DocumentBrief], archives: list[Archive]
) -> None:
    placed = {
        (identifier, value)
        for identifier, brief in briefs.items()
        for turn in brief.turns
        if (said := turn.said) is not None and said.matter.kind == "reveal"
        for value in said.matter.values
    }
    for archive in archives[:3]:
        bought = {s.session_id for s in archive.sessions if s.kind == "purchase_history"}
        for question in archive.questions:
            ask = question.ask
            golds = question.gold[1:] if ask.form == "two_hop" else question.gold
            for entry, gold in zip(ask.entries, golds, strict=True):
                value = entry.plain if ask.attribute else ask.relation
                for identifier in set(gold.session_ids) - bought:
                    assert (identifier, value) in placed


def test_two_hops_are_kept_apart(briefs: dict[str, DocumentBrief], archives: list[Archive]) -> None:
    asks = [q for archive in archives[:3] for q in archive.questions if q.ask.form == "two_hop"]
    assert asks
    for question in asks:
        who, *what = question.gold
        for identifier in who.session_ids:
            assert {e.plain for e in question.ask.entries} <= set(briefs[identifier].apart)
        for gold in what:
            for identifier in gold.session_ids:
                assert question.ask.relation in briefs[identifier].apart


def test_what_is_guarded_and_what_tempts(briefs: dict[str, DocumentBrief]) -> None:
    names = {member.name for member in build_community(0, 0).members}
    for brief in briefs.values():
        assert set(RELATION_WORDS) <= brief.guarded.words
        assert set(brief.guarded.members) == names
        tempting = set(map(str.casefold, brief.tempting))
        assert tempting <= brief.guarded.words
        planned = {v.casefold() for t in brief.turns for p in t.parts for v in p.matter.values}
        assert not tempting & planned


def test_filling_in_leaves_fixed_messages_alone(briefs: dict[str, DocumentBrief]) -> None:
    brief = next(iter(briefs.values()))
    first, *rest = brief.turns
    brief = replace(brief, turns=(replace(first, fixed=True), *rest))
    texts = [f"Text {n}." for n, turn in enumerate(brief.turns) if not turn.fixed]
    filled = brief.fill(texts)
    assert [m.role for m in filled] == [turn.role for turn in brief.turns]
    for turn, message in zip(brief.turns, filled, strict=True):
        assert turn.fixed == (message.content == turn.embedded)


def test_written_documents_stand_in_every_level(one_community: OpenTables) -> None:
    signal = next(row for row in one_community.documents["noise_0"] if row["messages"])
    identifier = signal["session_id"]
    tables = make_tables(0, 1, {identifier: (Utterance("user", "Written anew."),)})
    changed = 0
    for split, rows in tables.documents.items():
        for row, before in zip(rows, one_community.documents[split], strict=True):
            if row["session_id"] == identifier:
                assert row["messages"] == [{"role": "user", "content": "Written anew."}]
                changed += 1
            else:
                assert row == before
    assert changed == len(tables.documents)
    assert tables.questions == one_community.questions
