"""Requests for documents: what a model is told of a brief, from a template in a file.

The embedded writer's words go along as a sketch: they say how a fact can come up without being
stated, and keep documents apart that would otherwise be asked for with the same words.
"""

from collections.abc import Iterator, Sequence

from personamem.dataset_builder.core.config import ModelSettings
from personamem.dataset_builder.families.personabench.attributes import attribute_packs
from personamem.dataset_builder.families.personabench.briefs import DocumentBrief, TurnBrief
from personamem.dataset_builder.families.personabench.outline import Segment, Topic
from personamem.dataset_builder.families.personabench.wording import contains_words
from personamem.dataset_builder.families.personabench.writers.prompts import PROMPTS
from personamem.dataset_builder.llm import Request
from personamem.dataset_builder.llm.writing.response_schemas import (
    JSON_TOKENS,
    WORDS_PER_TOKEN,
    name_messages,
)
from personamem.loaders.formats.tokens import count_tokens

LEAST_SHARE, MOST_SHARE = 0.6, 3.0
"""Bounds of a document's tokens, as shares of the embedded writer's. Official documents have 2.7
times as many."""

UPDATE_CUES = (
    "no longer",
    "any more",
    "anymore",
    "no more",
    "used to",
    "stopped",
    "gave up",
    "given up",
    "giving up",
    "done with",
    "through with",
    "went off",
    "gone off",
    "had enough",
    "instead",
    "in place of",
    "these days",
    "nowadays",
    "now",
)
"""One of them tells which of two values holds."""

_MESSAGE_TOKENS = 35
"""What a document may have at least for each of its messages; short threads leave little else."""

_MESSAGE_WORDS = 20
"""What a message may have at least."""


def list_open_turns(brief: DocumentBrief) -> list[TurnBrief]:
    """Return the messages that a model writes."""
    return [turn for turn in brief.turns if not turn.fixed]


def name_fields(brief: DocumentBrief) -> tuple[str, ...]:
    """Return the field of each message that a model writes."""
    return name_messages([turn.role for turn in list_open_turns(brief)])


def bound_tokens(brief: DocumentBrief) -> tuple[int, int]:
    """Return the fewest and the most o200k_base tokens of what a model writes."""
    tokens = sum(count_tokens(turn.embedded) for turn in list_open_turns(brief))
    most = max(round(MOST_SHARE * tokens), _MESSAGE_TOKENS * len(list_open_turns(brief)))
    return round(LEAST_SHARE * tokens), most


def request_document(
    brief: DocumentBrief, settings: ModelSettings, faults: Sequence[str] = ()
) -> Request:
    """Return the request for a document; ``faults`` are what earlier attempts got wrong, in order.

    Every attempt is another request, even after the same fault twice.
    """
    turns = list_open_turns(brief)
    fields = name_fields(brief)
    least, most = bound_tokens(brief)
    most_words = round(WORDS_PER_TOKEN * most)
    prompt = PROMPTS.render(
        "document.jinja",
        person=brief.person,
        partner=brief.partner,
        time=f"{brief.time:%A}, {brief.time.day} {brief.time:%B %Y, %H:%M}",
        turns=[
            {"field": field, "tasks": list(_word_tasks(turn))}
            for field, turn in zip(fields, turns, strict=True)
        ],
        message_words=max(_MESSAGE_WORDS, round(most_words / len(turns))),
        least_words=round(least),
        most_words=most_words,
        tempting=brief.tempting,
        faults=list(faults),
    )
    most_tokens = 2 * most + JSON_TOKENS * (len(turns) + 4)
    return PROMPTS.make_request(settings, prompt, most_tokens, fields, "document_system.jinja")


def _word_tasks(turn: TurnBrief) -> Iterator[str]:
    is_chat = turn.role in ("user", "assistant")
    for part in turn.parts:
        matter = part.matter
        if part.step == "lead":
            yield f"leads up to what is said next. Sketch: {_fold(part.text)}{_word_names(part)}"
        elif part.step == "reply":
            yield "answers helpfully and correctly" if is_chat else "reacts to it"
        else:
            yield f"{_word_matter(matter)}. Sketch: {_fold(part.text)}{_word_names(part)}"


def _fold(text: str) -> str:
    """Return a text on one line, as each sketch stands on one."""
    return " ".join(text.split())


def _word_matter(matter: Topic) -> str:
    if matter.kind == "others":
        return f"tells something of {matter.people[0]}, and of nobody else"
    if matter.kind == "event":
        return "speaks of a public event"
    if matter.kind != "reveal" or matter.reveal is None:
        return "speaks or asks about it in general, and gives nothing away about anybody"
    if not matter.reveal.attribute:
        who = f"{matter.people[0]}, and who that is to them," if matter.people else "somebody"
        return f"brings up {who} in passing"
    question = attribute_packs()[matter.reveal.attribute].questions.first[0]
    if matter.reveal.former is None:
        return f'tells something that happened, which gives away an answer to "{question}"'
    told = {
        matter.reveal.former.plain: "is no answer any more",
        matter.reveal.entry.plain: "is one now",
    }
    changes = " and ".join(f'"{value}" {told[value]}' for value in matter.values if value in told)
    cues = ", ".join(UPDATE_CUES)
    return f'shows in passing that to "{question}" {changes} (by one of: {cues})'


def _word_names(part: Segment) -> str:
    matter = part.matter
    if part.step == "say" or matter.kind == "event":
        names = [*matter.people, *matter.values]
        if matter.kind == "event":
            names = [name for name in names if contains_words(part.text, name)]
        if names:
            return " name: " + " and ".join(f'"{name}"' for name in names)
    return ""
