"""Reading and checking documents that a model wrote: one that keeps to its brief, or why not.

All that ``community.check`` looks for in a whole dataset is looked for here, so that no document
can make a build fail. That a sentence gives a value away as its brief means is otherwise left to
the model.
"""

import re
from collections.abc import Sequence, Set

from personamem.dataset_builder.core.calendar_words import MONTHS
from personamem.dataset_builder.families.personabench.briefs import DocumentBrief, TurnBrief
from personamem.dataset_builder.families.personabench.outline import Segment
from personamem.dataset_builder.families.personabench.wording import contains_words, find_flat
from personamem.dataset_builder.families.personabench.writers.document_prompts import (
    UPDATE_CUES,
    bound_tokens,
    list_open_turns,
    name_fields,
)
from personamem.dataset_builder.llm.writing.prose import (
    RejectedTextError,
    ValidationIssue,
    check_prose,
    clean,
)
from personamem.dataset_builder.llm.writing.response_schemas import read_fields
from personamem.loaders.formats.tokens import count_tokens
from personamem.loaders.personabench.schema import Utterance

_MONTH = "|".join(MONTHS)
_WHEN = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTH})\b|\b(?:{_MONTH}) \d{{1,2}}\b|\d:\d\d\b"
)
"""Days and times of the clock: their numbers are no ages."""


def read_document(brief: DocumentBrief, text: str) -> tuple[Utterance, ...]:
    """Return the document in a model's answer, with the fixed messages in their places.

    Raises:
        RejectedTextError: the answer is not a document that keeps to ``brief``.
    """
    turns = list_open_turns(brief)
    texts = [clean(content) for content in read_fields(text, name_fields(brief))]
    # In a messenger "why" is a message.
    check_prose("Message", texts, least_words=1)
    planned = _list_planned(brief)
    for number, (turn, content) in enumerate(zip(turns, texts, strict=True), start=1):
        if turn.said is not None:
            _check_said(number, turn.said, content, brief)
        _check_foreign(number, turn, content, brief, planned)
    _check_events(turns, texts)
    _check_changes(turns, texts)
    _check_length(brief, texts)
    return brief.fill(texts)


def _check_said(number: int, said: Segment, content: str, brief: DocumentBrief) -> None:
    matter, reveal = said.matter, said.matter.reveal
    if matter.kind == "event":
        return
    for person in matter.people:
        # Names are looked for in capitals, as the check of a dataset does.
        if not re.search(rf"\b{re.escape(person)}\b", content):
            raise RejectedTextError(
                ValidationIssue.MISSING, f'Message {number} did not hold "{person}" literally.'
            )
    found = {value.casefold() for value in brief.guarded.watch.find(content)}
    for value in matter.values:
        guarded = value.casefold() in brief.guarded.words
        if not contains_words(content, value) or (guarded and value.casefold() not in found):
            raise RejectedTextError(
                ValidationIssue.MISSING, f'Message {number} did not hold "{value}" literally.'
            )
    if reveal is None or not reveal.attribute:
        return
    for value in matter.values:
        if flat := find_flat(content, value):
            raise RejectedTextError(
                ValidationIssue.FLAT,
                f'Message {number} stated "{value}" flatly ("{flat}"); let it come up in '
                "something that happens.",
            )


def _check_changes(turns: Sequence[TurnBrief], texts: Sequence[str]) -> None:
    """Check that what is dropped is said to be, in a message of the thread that names it."""
    said = [
        (turn.said.matter.reveal, content)
        for turn, content in zip(turns, texts, strict=True)
        if turn.said is not None
    ]
    for reveal in dict.fromkeys(reveal for reveal, _ in said):
        if reveal is None or reveal.former is None:
            continue
        telling = [content for each, content in said if each == reveal]
        if not any(contains_words(content, cue) for content in telling for cue in UPDATE_CUES):
            raise RejectedTextError(
                ValidationIssue.MISSING,
                f'No message made plain that "{reveal.former.plain}" no longer holds.',
            )


def _list_planned(brief: DocumentBrief) -> set[str]:
    """Return all that any message is to name."""
    matters = [part.matter for turn in brief.turns for part in turn.parts]
    return {name for matter in matters for name in (*matter.people, *matter.values)}


def _check_foreign(
    number: int, turn: TurnBrief, content: str, brief: DocumentBrief, planned: Set[str]
) -> None:
    """Check that no value, relation or person stands where the brief has none."""
    allowed = _list_allowed(turn, brief)
    # What stands within another planned name is not meant: that of an event, of somebody else.
    rest = _WHEN.sub(" | ", content)
    for name in sorted(planned, key=lambda name: (-len(name), name)):
        if name.casefold() not in brief.guarded.words and name.casefold() in rest.casefold():
            rest = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " | ", rest, flags=re.IGNORECASE)
    for value in brief.guarded.watch.find(rest):
        if value.casefold() in brief.guarded.words and value.casefold() not in allowed:
            raise RejectedTextError(
                ValidationIssue.FOREIGN,
                f'Message {number} named "{value}", which it was not to name.',
            )
    for value in brief.apart:
        if contains_words(content, value):
            raise RejectedTextError(
                ValidationIssue.FOREIGN,
                f'Message {number} named "{value}", which it was not to name.',
            )
    for name in brief.guarded.members:
        if name not in {brief.person, brief.partner, *planned} and name in content:
            raise RejectedTextError(
                ValidationIssue.FOREIGN,
                f"Message {number} spoke of {name}, who has no part in the outline.",
            )


def _list_allowed(turn: TurnBrief, brief: DocumentBrief) -> set[str]:
    """Return the guarded words a message may hold, in small letters.

    An assistant may repeat what it was told, and whoever hears of a sister may call her that.
    Other values a listener does not repeat: they may be asked about that attribute as well.
    """
    allowed: set[str] = set()
    for part in turn.parts:
        is_relation = part.matter.reveal is not None and not part.matter.reveal.attribute
        if part.step == "say" or (part.step == "reply" and (brief.partner is None or is_relation)):
            allowed.update(map(str.casefold, part.matter.values))
    return allowed


def _check_events(turns: Sequence[TurnBrief], texts: Sequence[str]) -> None:
    """Check that events are named, by whoever comes to speak of them first."""
    for turn in turns:
        if turn.said is not None and turn.said.matter.kind == "event":
            for event in turn.said.matter.values:
                if not any(contains_words(content, event) for content in texts):
                    raise RejectedTextError(
                        ValidationIssue.MISSING, f'No message held "{event}" literally.'
                    )


def _check_length(brief: DocumentBrief, texts: Sequence[str]) -> None:
    tokens = sum(map(count_tokens, texts))
    least, most = bound_tokens(brief)
    if tokens > most:
        raise RejectedTextError(
            ValidationIssue.LENGTH,
            f"The messages were too long together; write at most {most / tokens:.0%} of that.",
        )
    if tokens < least:
        raise RejectedTextError(
            ValidationIssue.LENGTH, "The messages were much too short together."
        )
