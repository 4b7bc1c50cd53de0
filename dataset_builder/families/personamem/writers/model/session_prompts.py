"""Requests for sessions: what a model is told, from templates in files.

Facts are put as the embedded writer words their values, so that the checks find them again. The
templates run sandboxed, and what a model wrote comes into them as data only.
"""

from collections.abc import Sequence

from personamem.dataset_builder.core.config import ModelSettings
from personamem.dataset_builder.core.people import PRONOUNS
from personamem.dataset_builder.families.personamem.packs import load_topic
from personamem.dataset_builder.families.personamem.sessions import Brief
from personamem.dataset_builder.families.personamem.world.facts import Fact
from personamem.dataset_builder.families.personamem.writers.model.meaning import meanings, words_of
from personamem.dataset_builder.families.personamem.writers.model.outline import Turn, outline
from personamem.dataset_builder.families.personamem.writers.model.prompts import PROMPTS
from personamem.dataset_builder.families.personamem.writers.surface_forms import (
    REASON_RELATIONS,
    express_reason,
    list_surface_forms,
)
from personamem.dataset_builder.llm import Request
from personamem.dataset_builder.llm.writing.response_schemas import (
    JSON_TOKENS,
    WORDS_PER_TOKEN,
    name_messages,
)


def request_session(brief: Brief, settings: ModelSettings, faults: Sequence[str] = ()) -> Request:
    """Return the request for a session; ``faults`` are what earlier attempts got wrong, in order.

    Every attempt is another request, even after the same fault twice.
    """
    turns = outline(brief.plan)
    fields = name_messages([turn.role for turn in turns])
    words = {role: _words_of(brief, role) for role in ("user", "assistant")}
    prompt = PROMPTS.render(
        "session.jinja",
        title=load_topic(brief.plan.topic).title,
        said_on=brief.plan.said_on.isoformat(),
        background=brief.embedded.messages[0]["content"],
        fields=fields,
        tasks=[_word_task(turn, brief) for turn in turns],
        user_words=words["user"],
        assistant_words=words["assistant"],
        most_words=int(WORDS_PER_TOKEN * brief.most_talk_tokens),
        faults=list(faults),
    )
    most = 2 * brief.most_talk_tokens + JSON_TOKENS * (len(turns) + 4)
    return PROMPTS.make_request(settings, prompt, most, fields, "system.jinja")


def pick_value(fact: Fact, brief: Brief) -> str:
    """Return the value of ``fact`` in the words in which the embedded session has it."""
    return _pick(list_surface_forms(fact), fact, brief)


def _pick(texts: Sequence[str], fact: Fact, brief: Brief) -> str:
    messages = brief.embedded.messages
    said = " ".join(
        messages[index]["content"] for index in brief.embedded.fact_messages[fact.fact_id]
    )
    found = [text for text in texts if text.lower() in said.lower()]
    return max(found or texts, key=len)


def _word_task(turn: Turn, brief: Brief) -> str:
    fact = turn.fact
    value = f'"{fact.value}"'
    when = f' "{fact.when}"' if fact.when else ""
    cues = _word_cues(meanings()[fact.relation].cues)
    if turn.task == "say":
        return f"tells this: {_say(fact, brief)}.{cues}"
    if turn.task == "ask":
        return f"asks for a suggestion{when}, and names nothing."
    if turn.task == "suggest":
        return f"suggests {value}{when}, naming it."
    if turn.task == "decline":
        return f"does not want this and turns it down, naming it: {value}{when}.{cues}"
    if turn.names_value:
        return f'replies, and names "{pick_value(fact, brief)}" once.'
    return "takes note in words of its own, and names nothing."


def _say(fact: Fact, brief: Brief) -> str:
    """Return what the user tells, with quotes around what has to stand there literally."""
    value = f'"{pick_value(fact, brief)}"'
    reason = value if fact.relation in REASON_RELATIONS else ""
    if fact.reason:
        reason = f'"{_pick(express_reason(fact), fact, brief)}"'
    slots = {"value": value, "reason": reason, "when": f'"{fact.when}"' if fact.when else ""}
    if fact.contact:
        who = fact.contact.phrase.replace(fact.contact.name, f'"{fact.contact.name}"')
        slots |= {"who": who, **PRONOUNS[fact.contact.sex]}
    return " ".join(PROMPTS.render_text(meanings()[fact.relation].says, **slots).split())


def _word_cues(names: Sequence[str]) -> str:
    """Return which words the message needs; one of each list."""
    lists = "; and by one of these: ".join(", ".join(words_of(name)) for name in names)
    return f" (Make this plain by one of these words: {lists}.)" if lists else ""


def _words_of(brief: Brief, role: str) -> str:
    """Return the range of lengths that messages of a role should have."""
    lengths = [
        len(message["content"].split())
        for message in brief.embedded.messages
        if message["role"] == role
    ]
    mean = sum(lengths) / len(lengths)
    return f"{max(5, round(0.6 * mean))} to {max(10, round(mean))}"
