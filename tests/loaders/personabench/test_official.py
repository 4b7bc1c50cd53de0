"""The official release, read into records."""

import json
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tiny_release import GOLD, NAMES, QUESTIONS

from personamem.loaders.personabench import load_personabench
from personamem.loaders.personabench.chunks import render_json, render_plain
from personamem.loaders.personabench.records import Relation


def test_people_relations_and_questions(release: Path) -> None:
    (community,) = load_personabench(release).communities
    assert community.name == "community_7"
    assert tuple(person.name for person in community.people) == NAMES
    assert community.people[0].persona == "Ilse Brandt rings bells."
    assert Relation("Ruth Amsel", "Ilse Brandt", "sister", "3 and 1.") in community.relations
    assert Counter(question.person for question in community.questions) == {
        name: len(asked) for name, asked in QUESTIONS.items()
    }


def test_questions_keep_the_form_of_their_answers(release: Path) -> None:
    (community,) = load_personabench(release).communities
    by_text = {question.text: question for question in community.questions}
    assert by_text["Where do I work?"].answer == "Bell foundry"
    assert by_text["How old am I?"].answer == 41
    assert by_text["Which pets do I have?"].answer == ({"cat": "Mull"}, {"dog": "O'Rex"})
    assert by_text["What do I drink?"].outdated_values == ("hot mate",)
    assert by_text["Where do I work?"].outdated_values == ()
    assert [question.category for question in community.questions][:8] == [
        *("basic", "basic", "basic", "preference_easy", "preference_hard", "subjective"),
        *("social", "social"),
    ]


def test_an_archive_has_the_sessions_in_corpus_order_and_grounded_questions(release: Path) -> None:
    first, second = load_personabench(release).archives(0.0)
    assert [archive.person.name for archive in (first, second)] == ["Ilse Brandt", "Omar Said"]
    assert first.noise == 0.0
    # Conversations with one partner, with the other, the chat, the purchases: not by time.
    assert [session.session_id[-1] for session in first.sessions] == ["0", "2", "1", "3", "4"]
    assert [session.session_id[-1] for session in first.in_time_order()] == list("01234")
    conversation, purchase = first.sessions[0], first.sessions[-1]
    assert (conversation.kind, conversation.partner) == ("conversation", "Omar Said")
    assert conversation.time == datetime(2024, 10, 14, 13, 5)
    assert [message.role for message in conversation.messages] == ["Ilse Brandt", "Omar Said"]
    assert (purchase.kind, purchase.partner, purchase.messages) == ("purchase_history", None, ())
    assert purchase.purchases[0].categories == ("Pets", "Cats")
    asked = {grounded.question.text: grounded for grounded in first.questions}
    assert set(asked) == {text for text, *_ in QUESTIONS["Ilse Brandt"]}
    pets = asked["Which pets do I have?"]
    assert [value.value for value in pets.gold] == ["(('dog', \"O'Rex\"),)", "(('cat', 'Mull'),)"]
    assert pets.gold[1].session_ids == ("007000000003", "007000000000")
    assert pets.gold_session_ids == ("007000000002", "007000000003")
    assert {len(asked[text].gold) for text in asked if text in GOLD} == {1, 2, 5}


def test_people_without_documents_are_asked_but_have_no_archive(release: Path) -> None:
    benchmark = load_personabench(release)
    asked = {q.person for community in benchmark.communities for q in community.questions}
    assert asked - {archive.person.name for archive in benchmark.archives(0.5)} == {
        "Ruth Amsel",
        "Piet Vos",
    }


@pytest.mark.parametrize("below", [".", "synthetic_data", ".."])
def test_the_folder_above_and_below_are_accepted(release: Path, below: str) -> None:
    benchmark = load_personabench(release / below)
    assert benchmark.noises == (0.0, 0.5)
    assert len(benchmark.archives(0.5)) == 2


def test_files_are_read_when_asked_for_and_only_once(
    release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []
    open_path = Path.open

    def record(path: Path, *args: Any, **kwargs: Any) -> Any:
        reads.append(path.relative_to(release).as_posix())
        return open_path(path, *args, **kwargs)

    monkeypatch.setattr(Path, "open", record)
    benchmark = load_personabench(release)
    assert reads == []
    benchmark.archives(0.5)
    assert len(reads) == 6
    assert not [name for name in reads if "noise_0.0" in name]
    benchmark.archives(0.0)
    assert len(reads) == 10
    assert benchmark.archives(0.5) is benchmark.archives(0.5)
    assert len(reads) == len(set(reads)) == 10


def test_the_json_form_is_compact_and_ascii(release: Path) -> None:
    (archive, _) = load_personabench(release).archives(0.0)
    conversation, chat, purchase = (archive.sessions[index] for index in (0, 3, 4))
    assert render_json(conversation) == (
        '{"time":"2024/Oct/14/01:05 PM","target_name":"Omar Said","conversation":['
        '{"role":"Ilse Brandt",'
        '"content":"Number 0, \\"\\u0141\\u00f3d\\u017a\\" \\u2014 is it far?"},'
        '{"role":"Omar Said","content":"Not from Ghent; take train 0."}]}'
    )
    assert list(json.loads(render_json(chat))) == ["time", "user_ai_interaction"]
    assert json.loads(render_json(purchase))["purchase_history"] == [
        {
            "title": "Cat tree",
            "description": "Stands firm.",
            "brand": "Miaou",
            "categories": ["Pets", "Cats"],
        }
    ]


def test_the_plain_form_has_a_line_for_the_time_and_each_message(release: Path) -> None:
    (archive, _) = load_personabench(release).archives(0.0)
    assert render_plain(archive.sessions[0]).splitlines() == [
        "2024/Oct/14/01:05 PM",
        'Ilse Brandt: Number 0, "Łódź" — is it far?',
        "Omar Said: Not from Ghent; take train 0.",
    ]
    assert render_plain(archive.sessions[4]).splitlines() == [
        "2024/Oct/18/05:05 PM",
        "Cat tree (Miaou; Pets, Cats): Stands firm.",
    ]
