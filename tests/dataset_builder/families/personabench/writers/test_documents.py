"""Documents that a model writes: what is accepted, what is refused."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from document_writing import spoil, write_document
from pydantic import TypeAdapter
from writing_server import pack_turns

from personamem.dataset_builder.core.config import ModelSettings
from personamem.dataset_builder.families.personabench.attributes import attribute_packs
from personamem.dataset_builder.families.personabench.audit.check import check_communities
from personamem.dataset_builder.families.personabench.briefs import (
    DocumentBrief,
    TurnBrief,
    brief_documents,
)
from personamem.dataset_builder.families.personabench.rows import make_tables
from personamem.dataset_builder.families.personabench.writers.items import DocumentItem
from personamem.dataset_builder.llm.writing.prose import RejectedTextError
from personamem.dataset_builder.llm.writing.prose import ValidationIssue as Issue
from personamem.loaders.personabench.schema import Utterance

Turns = list[dict[str, Any]]
Edit = Callable[[Turns], object]

FIXTURE = Path(__file__).parents[4] / "fixtures" / "written_documents.yaml"
SETTINGS = ModelSettings(name="scripted")

FOODS = {"falafel", "pad thai", "minestrone"}
OWN, UPDATE, RELATION = "000000000043", "000000000126", "000001000055"
HOP, CHAT, NOISE = "000000000071", "000000000016", "000000000001"


@pytest.fixture(scope="module")
def pieces() -> dict[str, DocumentItem]:
    """Six pieces as they once were, since what was written by hand keeps to their briefs."""
    guarded = {
        brief.person: replace(brief.guarded, words=brief.guarded.words | FOODS)
        for brief in brief_documents(0, 0)
    }
    turns = TypeAdapter(tuple[TurnBrief, ...])
    briefs = json.loads(FIXTURE.with_name("written_documents_briefs.json").read_text("utf-8"))
    return {
        identifier: DocumentItem(
            DocumentBrief(
                session_id=identifier,
                kind=brief["kind"],
                time=datetime.fromisoformat(brief["time"]),
                person=brief["person"],
                partner=brief["partner"],
                turns=turns.validate_python(brief["turns"]),
                apart=tuple(brief["apart"]),
                tempting=tuple(brief["tempting"]),
                guarded=guarded[brief["person"]],
            ),
            SETTINGS,
        )
        for identifier, brief in briefs.items()
    }


@pytest.fixture(scope="module")
def by_hand(pieces: dict[str, DocumentItem]) -> dict[str, Turns]:
    """Six documents that were written by hand from their prompts."""
    return {
        identifier: [
            {"role": turn.role, "content": text}
            for turn, text in zip(
                (turn for turn in pieces[identifier].brief.turns if not turn.fixed),
                texts,
                strict=True,
            )
        ]
        for identifier, texts in yaml.safe_load(FIXTURE.read_text("utf-8")).items()
    }


def read(piece: DocumentItem, turns: Turns) -> tuple[Utterance, ...]:
    return piece.read(pack_turns(turns))


def prompt_of(piece: DocumentItem) -> str:
    return piece.request().messages[1]["content"]


def test_documents_written_by_hand_are_accepted(
    pieces: dict[str, DocumentItem], by_hand: dict[str, Turns]
) -> None:
    assert len(by_hand) == 6
    written = {name: read(pieces[name], turns) for name, turns in by_hand.items()}
    for name, messages in written.items():
        left = iter(by_hand[name])
        for turn, message in zip(pieces[name].brief.turns, messages, strict=True):
            expected = turn.embedded if turn.fixed else next(left)["content"]
            assert message == Utterance(turn.role, expected)
    assert len(written[CHAT]) == 10


def put(number: int, old: str, new: str) -> Edit:
    """Replace words of a message, counted from 1."""

    def edit(turns: Turns) -> None:
        content = turns[number - 1]["content"]
        assert old in content
        turns[number - 1]["content"] = content.replace(old, new)

    return edit


def add(number: int, text: str) -> Edit:
    def edit(turns: Turns) -> None:
        turns[number - 1]["content"] += f" {text}"

    return edit


REFUSED: dict[str, tuple[str, Edit, Issue, str]] = {
    "no value": (OWN, put(7, "organic chemistry", "chemistry"), Issue.MISSING, "organic chem"),
    "part of a word": (
        OWN, put(7, "organic chemistry", "inorganic chemistry"), Issue.MISSING, "organic chem"
    ),
    "no former value": (UPDATE, put(3, "pad thai", "one dish"), Issue.MISSING, "pad thai"),
    "no relation": (RELATION, put(3, "a colleague", "a guide"), Issue.MISSING, "colleague"),
    "nobody in that relation": (
        RELATION, put(3, "Kevin Clarke", "Kevin"), Issue.MISSING, "Kevin Clarke"
    ),
    "nobody else": (NOISE, put(3, "only Emeka", "only them"), Issue.MISSING, '"Emeka"'),
    "nobody else by name": (NOISE, put(3, "only Emeka", "only emeka"), Issue.MISSING, '"Emeka"'),
    "another holds a neighbour's value": (
        NOISE, put(3, "dipping candles", "singing"), Issue.MISSING, "dipping candles"
    ),
    "no event": (HOP, put(4, "World Poetry Day", "a feast"), Issue.MISSING, "World Poetry Day"),
    "which value holds": (
        UPDATE,
        lambda turns: turns[2].update(
            content="They knew me for pad thai, and for minestrone I would get up at night."
        ),
        Issue.MISSING,
        'plain that "pad thai"',
    ),
    "another value of the attribute": (UPDATE, add(3, "Or falafel."), Issue.FOREIGN, "falafel"),
    "a former value elsewhere": (UPDATE, add(7, "With pad thai."), Issue.FOREIGN, "pad thai"),
    "the listener repeats it": (UPDATE, add(4, "Minestrone!"), Issue.FOREIGN, "minestrone"),
    "another person's value": (HOP, add(5, "I dream of minestrone."), Issue.FOREIGN, "minestrone"),
    "the other hop": (HOP, add(3, "You are a good friend."), Issue.FOREIGN, "friend"),
    "how others are related": (NOISE, add(5, "Ask my mum."), Issue.FOREIGN, "mum"),
    "somebody else": (UPDATE, add(5, "Ethan Ellis says so."), Issue.FOREIGN, "Ethan Ellis"),
    "being it": (
        OWN,
        put(7, "Lecture notes, would", "I am organic chemistry, would"),
        Issue.FLAT,
        "I am organic chemistry",
    ),
    "owning it": (UPDATE, add(3, "My dish is minestrone."), Issue.FLAT, "My dish is minestrone"),
    "a favourite": (UPDATE, add(3, "It's my favourite."), Issue.FLAT, "my favourite"),
    "one message less": (OWN, lambda turns: turns.pop(), Issue.FORM, 'lacked the field "10 '),
    "one speaks twice": (
        OWN, lambda turns: turns[1].update(role="Isla Brooks"), Issue.FORM, 'lacked the field "2 '
    ),
    "too long": (OWN, add(8, "It is what it is, as they say. " * 90), Issue.LENGTH, "too long"),
    "too short": (
        CHAT,
        lambda turns: [turn.update(content="In the United States it is so.") for turn in turns],
        Issue.LENGTH,
        "too short",
    ),
    "html": (NOISE, add(9, "<b>Bye</b>"), Issue.MARKUP, "markup"),
    "jinja": (NOISE, add(9, "{{ 7 * 7 }}"), Issue.MARKUP, "markup"),
    "german": (
        CHAT,
        lambda turns: [
            turn.update(content="Das ist eine wirklich schöne Geschichte gewesen") for turn in turns
        ],
        Issue.LANGUAGE,
        "English",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_variant_is_refused_with_the_reason(
    pieces: dict[str, DocumentItem], by_hand: dict[str, Turns], name: str
) -> None:
    identifier, edit, flaw, reason = REFUSED[name]
    turns = [dict(turn) for turn in by_hand[identifier]]
    edit(turns)
    with pytest.raises(RejectedTextError) as refused:
        read(pieces[identifier], turns)
    assert refused.value.flaw is flaw
    assert reason in refused.value.reason


def test_numbers_of_days_and_clocks_are_no_ages() -> None:
    piece, age = next(
        (DocumentItem(brief, SETTINGS), str(number))
        for community in range(5)
        for brief in brief_documents(0, community)
        for number in range(19, 31)
        if str(number) in brief.guarded.words and not brief.apart
    )
    turns = write_document(prompt_of(piece))
    turns[-1]["content"] += f" On {age} March, or March {age}, at 9:{age}."
    read(piece, turns)
    turns[-1]["content"] += f" There were {age} of them."
    with pytest.raises(RejectedTextError, match=age):
        read(piece, turns)


def reveals(brief: DocumentBrief, value: str) -> bool:
    said = [turn.said.matter for turn in brief.turns if turn.said]
    found = any(matter.reveal and value in matter.values for matter in said)
    return found and value.casefold() in brief.guarded.words


@pytest.mark.parametrize(
    ("value", "instead"),
    [("synth-pop", "synth pop"), ("French", "French horn")],
    ids=["spelt otherwise", "within another value"],
)
def test_a_value_is_found_as_the_check_of_a_dataset_finds_it(value: str, instead: str) -> None:
    briefs = (b for n in range(40) for b in brief_documents(0, n) if reveals(b, value))
    brief = next(briefs)
    piece = DocumentItem(brief, SETTINGS)
    turns = write_document(prompt_of(piece))
    read(piece, turns)
    for turn in turns:
        turn["content"] = turn["content"].replace(value, instead)
    with pytest.raises(RejectedTextError, match=f'did not hold "{value}" literally'):
        read(piece, turns)


def test_what_would_join_two_hops_is_looked_for_within_other_values(
    pieces: dict[str, DocumentItem], by_hand: dict[str, Turns]
) -> None:
    piece = replace(pieces[NOISE], brief=replace(pieces[NOISE].brief, apart=("jumble",)))
    with pytest.raises(RejectedTextError, match="jumble"):
        read(piece, by_hand[NOISE])


def test_an_assistant_may_repeat_what_it_was_told(
    pieces: dict[str, DocumentItem], by_hand: dict[str, Turns]
) -> None:
    assert "United States" in by_hand[CHAT][1]["content"]
    read(pieces[CHAT], by_hand[CHAT])


def test_the_prompt_says_what_is_checked(pieces: dict[str, DocumentItem]) -> None:
    prompt = prompt_of(pieces[UPDATE])
    assert 'name: "pad thai" and "minestrone"' in prompt
    assert "Exactly 12 messages" in prompt
    not_named = prompt.partition("Not to be used at all")[2].splitlines()[0]
    assert "falafel" in not_named
    assert "minestrone" not in not_named
    again = pieces[UPDATE].request(2 * ["Message 3 was dull."])
    assert again.messages[1]["content"].count("- Message 3 was dull.") == 2
    assert again.key != pieces[UPDATE].request(["Message 3 was dull."]).key


def test_no_document_that_is_accepted_makes_a_world_unsound() -> None:
    chance = random.Random(7)
    values = [value for pack in attribute_packs().values() for value in pack.all_values()]
    written, spoilt = {}, {}
    for brief in brief_documents(0, 0):
        piece = DocumentItem(brief, SETTINGS)
        turns = write_document(prompt_of(piece))
        guarded = [*sorted(brief.guarded.words), *brief.guarded.members, *brief.apart]
        for _ in range(3):
            attempt = spoil(turns, values if chance.random() < 0.5 else guarded, chance)
            spoilt[brief.session_id] = tuple(
                Utterance(turn["role"], turn["content"]) for turn in attempt
            )
            try:
                written[brief.session_id] = read(piece, attempt)
                break
            except RejectedTextError:
                pass
    assert len(written) > 100
    tables = make_tables(0, 1, written)
    assert check_communities(0, [0], tables.documents, tables.questions) == []
    # Without reading them, many would have been violations.
    tables = make_tables(0, 1, spoilt)
    assert len(check_communities(0, [0], tables.documents, tables.questions)) > 20
