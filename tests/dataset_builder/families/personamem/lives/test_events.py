"""Events of life: what they end, and that nothing which they end goes on."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.lives import events
from personamem.dataset_builder.families.personamem.lives.errands import list_errands
from personamem.dataset_builder.families.personamem.lives.events import (
    find_event_problems,
    list_ended,
    list_events,
    list_reasons,
    list_touched,
    require_read_events,
)
from personamem.dataset_builder.families.personamem.lives.life import Life, make_life
from personamem.dataset_builder.families.personamem.lives.mentions import EVENT, Stance
from personamem.dataset_builder.families.personamem.lives.rendering import render_mention
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import COHORT_SIZE

Configure = Callable[..., PersonaMemConfig]


@pytest.fixture(scope="module")
def lives(configure_lives: Configure) -> list[Life]:
    config = configure_lives(levels=("combined",), personas=40)
    return [
        make_life(config, "32k", group, persona)
        for group in range(10)
        for persona in range(COHORT_SIZE)
    ]


def test_there_are_events_of_many_kinds() -> None:
    assert len(list_events()) >= 12
    assert all(list_ended().values())


def test_no_text_of_an_event_names_what_it_ends() -> None:
    assert find_event_problems() == []


def test_an_event_ends_the_users_own_way_where_evidence_is_combined(lives: list[Life]) -> None:
    found = 0
    for life in lives:
        for story_id, mentions in life.mentions.items():
            story = life.plan.stories[story_id]
            for mention in mentions:
                if mention.source.group.startswith(EVENT):
                    found += 1
                    event = mention.source.group.removeprefix(EVENT)
                    assert mention.stance in (Stance.ENDED, Stance.OTHERS_ENDED)
                    assert (story.need_id, mention.choice) in list_ended()[event]
                    assert event in story.events
    assert found > len(lives) / 4


def test_nothing_goes_on_that_an_event_of_the_life_ended(lives: list[Life]) -> None:
    for life in lives:
        happened = {
            (mention.source.group.removeprefix(EVENT), mention.choice)
            for mentions in life.mentions.values()
            for mention in mentions
            if mention.stance is Stance.ENDED and mention.source.group.startswith(EVENT)
        }
        own = {
            (mention.need_id, mention.choice)
            for mentions in life.mentions.values()
            for mention in mentions
            if mention.stance in (Stance.OWN, Stance.POINTED)
        }
        errands = {(m.need_id, m.choice) for m in list_errands(life) if m.stance is Stance.OWN}
        for event, choice in happened:
            assert {key for _, key in own & list_touched()[event]} <= {choice}
            assert not errands & list_touched()[event]


def test_an_event_happens_once_in_a_life(lives: list[Life]) -> None:
    for life in lives:
        texts = [
            render_mention(life.config.seed, mention, life.speaker)[0]["content"]
            for mentions in life.mentions.values()
            for mention in mentions
            if mention.source.group.startswith(EVENT)
        ]
        assert len(set(texts)) == len(texts)


def test_the_reason_of_an_event_takes_the_place_of_an_ending(lives: list[Life]) -> None:
    story = next(
        story for life in lives for story in life.plan.stories.values() if any(story.events)
    )
    reasons = list_reasons(story.need_id, story.candidates, story.endings, story.events)
    for event, reason in zip(story.events, reasons, strict=True):
        assert (reason in {known.reason for known in list_events().values()}) == bool(event)


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ([], "small_room ends nothing. Accepted: one choice or more"),
        (["onlineShopping/clothes/knitting"], "ends 'onlineShopping/clothes/knitting', which does"),
        (["onlineShopping"], "ends 'onlineShopping', which does not exist"),
    ],
)
def test_ends_that_cannot_be_are_refused(
    ends: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events.json"
    known = json.loads(events.ENDS.read_text())
    path.write_text(json.dumps({**known, "ends": {**known["ends"], "small_room": ends}}))
    monkeypatch.setattr(events, "ENDS", path)
    list_ended.cache_clear()
    try:
        with pytest.raises(InvalidInputError, match=said):
            list_ended()
    finally:
        list_ended.cache_clear()


def test_a_text_that_was_changed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events.yaml"
    path.write_text(events.TEXTS.read_text().replace("hotplate", "stove"))
    monkeypatch.setattr(events, "TEXTS", path)
    list_events.cache_clear()
    try:
        with pytest.raises(
            InvalidInputError, match=r"events\.yaml: events\.\w+\.\d: nobody has read"
        ):
            require_read_events()
    finally:
        list_events.cache_clear()
