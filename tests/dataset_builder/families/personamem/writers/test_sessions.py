"""Sessions as a strong model writes them, and what must not pass for one.

The fixtures were written by hand to the outlines of real requests.
"""

import json
from pathlib import Path

import pytest

from personamem.dataset_builder.core.config import ModelSettings
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.texts import lay_out_sessions
from personamem.dataset_builder.families.personamem.world.facts import Relation
from personamem.dataset_builder.families.personamem.writers.model.items import SessionItem
from personamem.dataset_builder.families.personamem.writers.model.meaning import meanings, words_of
from personamem.dataset_builder.llm.writing.prose import RejectedTextError, ValidationIssue

FOLDER = Path(__file__).parents[4] / "fixtures" / "written_sessions"
PLACES = {
    "events_and_ideas": 0,
    "habits": 1,
    "tastes": 3,
    "turning_towards": 4,
    "changes": 6,
    "staying_away": 12,
}
AUCTIONS = "insolvency auctions for bed linen and towels"
BREAKFAST = "over a late Saturday breakfast"


@pytest.fixture(scope="module")
def pieces() -> list[SessionItem]:
    config = PersonaMemConfig(seed=0, sizes=("4k",), personas=4, is_written_by_model=True)
    return [piece for _, piece in lay_out_sessions(config, ModelSettings(name="hand"))]


def load(name: str) -> dict[str, str]:
    talk: dict[str, str] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return talk


@pytest.mark.parametrize("name", PLACES)
def test_natural_prose_passes(pieces: list[SessionItem], name: str) -> None:
    talk = load(name)
    written = pieces[PLACES[name]].read(f"Here you are:\n```json\n{json.dumps(talk)}\n```")
    assert [message["content"] for message in written.messages[1:]] == [*talk.values()]


@pytest.mark.parametrize(
    ("name", "message", "instead"),
    [
        ("events_and_ideas", 2, "I took a seller to an arbitration board and won, and why not?"),
        ("events_and_ideas", 4, "I have never tried local classifieds, believe it or not."),
        ("events_and_ideas", 6, "As for click-and-collect, I do that every week with joy."),
        (
            "events_and_ideas",
            10,
            "My choir friend Beatriz and I got a refund by answering in a limerick.",
        ),
        ("events_and_ideas", 12, "I never read a complaint aloud on local radio."),
        ("events_and_ideas", 12, "I nearly read a complaint aloud on local radio."),
        ("events_and_ideas", 12, "Maybe I read a complaint aloud on local radio."),
        ("events_and_ideas", 12, "My sister read a complaint aloud on local radio."),
        ("habits", 0, "I would never reserve the best seats as soon as booking opens."),
        ("habits", 6, "People at work are right: I walk into whichever film starts next."),
        ("tastes", 0, f"My cousin Femke doesn't enjoy painter biopics {BREAKFAST}."),
        ("tastes", 0, f"Femke and I both love painter biopics {BREAKFAST}."),
        (
            "tastes",
            2,
            f"I tried architecture documentaries {BREAKFAST}; not bad, I really like it.",
        ),
        ("tastes", 6, f"Vampire films {BREAKFAST}? Why not! I love the idea of that."),
        ("tastes", 8, f"I don't really like mountaineering dramas {BREAKFAST}."),
        ("tastes", 8, f"I used to love mountaineering dramas {BREAKFAST}."),
        ("tastes", 8, f"I might like mountaineering dramas {BREAKFAST}."),
        ("tastes", 9, "So you do not like mountaineering dramas, I will remember that."),
        ("changes", 0, f"You once suggested vampire films {BREAKFAST}, and I still want them."),
        (
            "changes",
            2,
            f"I have never given up mountaineering dramas {BREAKFAST}, although everybody around "
            "me talked of nothing else and I had enough.",
        ),
        ("changes", 4, f"My cousin Femke no longer picks painter biopics {BREAKFAST}, as before."),
        ("changes", 8, f"These days I do not like architecture documentaries {BREAKFAST}."),
        ("turning_towards", 0, f"I never liked {AUCTIONS}, and now I hate the very idea of that."),
        ("staying_away", 0, f"I still like {AUCTIONS}, and nothing about that has changed."),
        ("staying_away", 0, f"I do not like {AUCTIONS}, I have just found that out today."),
    ],
)
def test_a_message_with_another_meaning_is_refused(
    pieces: list[SessionItem], name: str, message: int, instead: str
) -> None:
    talk = load(name)
    talk[list(talk)[message]] = instead
    with pytest.raises(
        RejectedTextError, match=f"Message {message + 1} did not say its matter"
    ) as refused:
        pieces[PLACES[name]].read(json.dumps(talk))
    assert refused.value.flaw is ValidationIssue.MEANING


def test_every_relation_has_a_meaning_in_words_that_are_text() -> None:
    assert set(meanings()) == set(Relation)
    for meaning in meanings().values():
        for name in (*meaning.cues, *meaning.bars, *meaning.undenied):
            assert name == "value" or all(type(word) is str for word in words_of(name))
