"""Requests for sessions: what a model is told, from templates in files.

Facts are put as the embedded writer words their values, so that the checks find them again. The
templates run sandboxed, and what a model wrote comes into them as data only.
"""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from personamem.dataset_builder.answers import Request
from personamem.dataset_builder.config import ModelSettings
from personamem.dataset_builder.packs import load_topic
from personamem.dataset_builder.sessions import Brief
from personamem.dataset_builder.world.facts import Fact
from personamem.dataset_builder.world.people import PRONOUNS
from personamem.dataset_builder.writers.model.meaning import meanings, words_of
from personamem.dataset_builder.writers.model.outline import Turn, outline
from personamem.dataset_builder.writers.model.templating import (
    make_request,
    render,
    render_text,
)
from personamem.dataset_builder.writers.surfaces import (
    REASON_RELATIONS,
    express_reason,
    surfaces,
)

WORDS_PER_TOKEN = 0.72
"""Of everyday English, rather too few: what the prompt allows should fit into the brief."""

JSON_TOKENS = 40
"""What the form of the answer adds to each message."""

_TASKS = {
    "say": "tells {label} and names it.",
    "ask": "asks for a suggestion{when}. It names nothing.",
    "suggest": "suggests {value}{when}, naming it.",
    "decline": "turns down {value}{when}, naming it.",
}


class TalkTurn(BaseModel):
    """One message as the model hands it in."""

    model_config = ConfigDict(extra="forbid")

    role: str
    content: str
    fact_ids: list[str]


class Talk(BaseModel):
    """The answer that a session is read from."""

    model_config = ConfigDict(extra="forbid")

    turns: list[TalkTurn]


def request_session(brief: Brief, settings: ModelSettings, faults: Sequence[str] = ()) -> Request:
    """Return the request for a session; ``faults`` are what earlier attempts got wrong, in order.

    Every attempt is another request, even after the same fault twice.
    """
    turns = outline(brief.plan)
    words = {role: _words_of(brief, role) for role in ("user", "assistant")}
    prompt = render(
        "session.jinja",
        title=load_topic(brief.plan.topic).title,
        said_on=brief.plan.said_on.isoformat(),
        background=brief.embedded.messages[0]["content"],
        facts=[_describe(turn, brief) for turn in turns if turn.task in ("say", "suggest")],
        turns=[
            {
                "role": turn.role,
                "task": _word_task(turn),
                "label": turn.label,
                "carries": turn.carries,
            }
            for turn in turns
        ],
        user_words=words["user"],
        assistant_words=words["assistant"],
        most_words=int(WORDS_PER_TOKEN * brief.most_talk_tokens),
        faults=list(faults),
    )
    most = 2 * brief.most_talk_tokens + JSON_TOKENS * (len(turns) + 4)
    return make_request(settings, prompt, most, Talk)


def pick_value(fact: Fact, brief: Brief) -> str:
    """Return the value of ``fact`` in the words in which the embedded session has it."""
    return _pick(surfaces(fact), fact, brief)


def _pick(texts: Sequence[str], fact: Fact, brief: Brief) -> str:
    messages = brief.embedded.messages
    said = " ".join(messages[index]["content"] for index in brief.embedded.carriers[fact.fact_id])
    found = [text for text in texts if text.lower() in said.lower()]
    return max(found or texts, key=len)


def _describe(turn: Turn, brief: Brief) -> dict[str, str]:
    fact = turn.fact
    value = f'"{pick_value(fact, brief)}"'
    reason = value if fact.relation in REASON_RELATIONS else ""
    if fact.reason:
        reason = f'"{_pick(express_reason(fact), fact, brief)}"'
    slots = {"value": value, "reason": reason, "when": f'"{fact.when}"' if fact.when else ""}
    if fact.contact:
        who = fact.contact.phrase.replace(fact.contact.name, f'"{fact.contact.name}"')
        slots |= {"who": who, **PRONOUNS[fact.contact.sex]}
    meaning = meanings()[fact.relation]
    says = render_text(meaning.says, **slots)
    return {
        "label": turn.label,
        "says": " ".join(says.split()),
        "cues": _word_cues(meaning.cues),
    }


def _word_cues(names: Sequence[str]) -> str:
    """Return which words the message needs; one of each list."""
    lists = "; and by one of these: ".join(", ".join(words_of(name)) for name in names)
    return f" (Make this plain by one of these words: {lists}.)" if lists else ""


def _word_task(turn: Turn) -> str:
    if turn.task == "reply":
        named = f"replies, names the value of {turn.label} once" if turn.names_value else ""
        return f"{named or 'takes note, does not name the value of ' + turn.label}."
    when = f' "{turn.fact.when}"' if turn.fact.when else ""
    return _TASKS[turn.task].format(label=turn.label, value=f'"{turn.fact.value}"', when=when)


def _words_of(brief: Brief, role: str) -> str:
    """Return the range of lengths that messages of a role should have."""
    lengths = [
        len(message["content"].split())
        for message in brief.embedded.messages
        if message["role"] == role
    ]
    mean = sum(lengths) / len(lengths)
    return f"{max(5, round(0.6 * mean))} to {max(10, round(mean))}"
