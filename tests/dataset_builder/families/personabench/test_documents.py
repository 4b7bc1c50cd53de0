"""Documents: dated sessions of three kinds, nested noise levels, proof of every question."""

import re
from collections import Counter
from itertools import pairwise

import pytest

from personamem.dataset_builder.families.personabench.documents import build_archives, sessions_at
from personamem.dataset_builder.families.personabench.drafts import LAST_DAY, count_noise
from personamem.dataset_builder.families.personabench.people import FIRST_DAY
from personamem.dataset_builder.families.personabench.records import Archive
from personamem.dataset_builder.families.personabench.shared_content import load_content
from personamem.loaders.personabench.schema import NOISE_SPLITS


@pytest.mark.parametrize(("signal", "ratio", "noise"), [(50, 0.0, 0), (50, 0.5, 50), (42, 0.7, 98)])
def test_how_many_sessions_make_a_ratio(signal: int, ratio: float, noise: int) -> None:
    assert count_noise(signal, ratio) == noise


def test_levels_are_nested_and_share_their_signal(archives: list[Archive]) -> None:
    for archive in archives:
        signal = {s.session_id for s in archive.sessions if s.noise_rank is None}
        lower: set[str] = set()
        for ratio in sorted(NOISE_SPLITS.values()):
            level = {session.session_id for session in sessions_at(archive, ratio)}
            assert signal | lower <= level
            assert len(level) == round(len(signal) / (1 - ratio))
            lower = level
        assert lower == {session.session_id for session in archive.sessions}


def test_sessions_stand_in_the_order_of_the_release(archives: list[Archive]) -> None:
    kinds = ["conversation", "user_ai_interaction", "purchase_history"]
    for archive in archives:
        sessions = sessions_at(archive, 0.5)
        places = [kinds.index(session.kind) for session in sessions]
        assert places == sorted(places)
        for before, after in pairwise(sessions):
            if (before.kind, before.partner) == (after.kind, after.partner):
                assert before.time < after.time
        partners = [s.partner for s in sessions if s.partner]
        changes = sum(a != b for a, b in pairwise(partners))
        assert changes == len(set(partners)) - 1


def test_ids_count_in_the_order_of_time(archives: list[Archive]) -> None:
    for archive in archives:
        times = [session.time for session in archive.sessions]
        assert times == sorted(set(times))
        assert FIRST_DAY <= times[0].date() <= times[-1].date() <= LAST_DAY
        ids = [session.session_id for session in archive.sessions]
        assert [int(identifier[6:]) for identifier in ids] == list(range(len(ids)))


def test_sessions_have_their_form(archives: list[Archive]) -> None:
    lengths: Counter[int] = Counter()
    for archive in archives:
        for session in archive.sessions:
            roles = [message.role for message in session.messages]
            assert not re.search(r"[{}\[\]|]", " ".join(m.content for m in session.messages)) or (
                session.kind == "user_ai_interaction"
            )
            if session.kind == "conversation":
                assert len(set(roles)) == 2
                assert session.partner in roles
                lengths[len(roles)] += 1
            elif session.kind == "user_ai_interaction":
                assert roles == ["user", "assistant"] * (len(roles) // 2)
                assert session.partner is None
            else:
                assert 3 <= len(session.purchases) <= 5
                assert not session.messages
            assert bool(session.purchases) == (session.kind == "purchase_history")
    assert min(lengths) >= 3
    assert max(lengths) <= 32


def test_a_conversation_is_one_thread_or_two(archives: list[Archive]) -> None:
    numbers: Counter[int] = Counter()
    for archive in archives:
        for session in archive.sessions:
            if session.kind == "conversation":
                matters = [part.matter for turn in session.outline for part in turn.parts]
                told = [(matter.kind, matter.theme, matter.reveal) for matter in matters]
                numbers[1 + sum(a != b for a, b in pairwise(told))] += 1
    assert set(numbers) <= {1, 2}
    assert numbers[1] > numbers[2] > 0


def test_a_tenth_of_the_conversations_are_about_an_event(archives: list[Archive]) -> None:
    names = [event.name.lower() for event in load_content().events]
    talks = [s for a in archives for s in a.sessions if s.kind == "conversation"]
    about = [s for s in talks if any(n in m.content.lower() for m in s.messages for n in names)]
    assert len(about) / len(talks) == pytest.approx(0.1, abs=0.01)


def test_noise_is_of_the_kinds_of_the_signal(archives: list[Archive]) -> None:
    for signal in (True, False):
        kinds = Counter(
            s.kind for a in archives for s in a.sessions if (s.noise_rank is None) == signal
        )
        assert kinds["conversation"] > kinds["user_ai_interaction"] > kinds["purchase_history"] > 0
        assert 0.6 < kinds["conversation"] / kinds.total() < 0.85


def test_every_question_needs_five_sessions_at_most(archives: list[Archive]) -> None:
    for archive in archives:
        for question in archive.questions:
            assert 1 <= len({gold.session_ids[0] for gold in question.gold}) <= 5


def test_text_is_varied(archives: list[Archive]) -> None:
    texts = Counter(
        message.content
        for archive in archives
        for session in archive.sessions
        if session.kind == "conversation"
        for message in session.messages
        if len(message.content) > 60
    )
    assert max(texts.values()) <= 8
    assert sum(count - 1 for count in texts.values()) / texts.total() < 0.1


def test_the_same_seed_gives_the_same_documents(archives: list[Archive]) -> None:
    again = build_archives(0, 1)
    assert list(again) == archives[3:]
    assert again[0].sessions != archives[0].sessions
