"""Reading and checking chats that a model wrote: one that keeps to its brief, or why not.

A build refuses residue of templates and personal data in a context, and so does this, by the same
means. Whether an answer is right is left to the model.
"""

import re
from collections.abc import Sequence

from personamem.dataset_builder.core.text.messages import MessageTexts
from personamem.dataset_builder.core.text.personal import find_personal
from personamem.dataset_builder.core.text.places import Hits
from personamem.dataset_builder.core.text.residue import find_residue
from personamem.dataset_builder.families.personamem.lives.lexicon import find_term
from personamem.dataset_builder.families.personamem.writers.briefs import ChatBrief
from personamem.dataset_builder.families.personamem.writers.chat_prompts import name_fields
from personamem.dataset_builder.fillers import Chat
from personamem.dataset_builder.fillers.cleaning import MARKER
from personamem.dataset_builder.llm.writing.prose import (
    RejectedTextError,
    ValidationIssue,
    check_prose,
    clean,
)
from personamem.dataset_builder.llm.writing.response_schemas import read_fields
from personamem.loaders.formats.tokens import count_tokens

LEAST_TOKENS = 6
"""Of a message, on average over a chat."""

_MACHINE = re.compile(
    r"\b(?:knowledge cut-?off|training data|i(?:'m| am) (?:just |only )?(?:an ai|a bot|a chatbot)"
    r"|i (?:cannot|can't) (?:browse|access) the (?:internet|web))\b",
    re.IGNORECASE,
)

_RELATIVES = (
    "wife|husband|spouse|fianc[e\u00e9]e?|boyfriend|girlfriend|partner|kids?|child|children|sons?"
    "|daughters?|mother|father|mum|mom|dad|parents|brothers?|sisters?|grand(?:mother|father|ma|pa)"
)
_IDENTITY = re.compile(
    rf"\b(?:my (?:name|birthday|age|religion|nationality|home ?town|{_RELATIVES})|years old|call me"
    r"|i (?:was born|live|grew up|work (?:as|for)|studied|married)|i(?:'m| am) (?:from|\d+|retired"
    r"|married|divorced|pregnant))\b",
    re.IGNORECASE,
)


def read_chat(brief: ChatBrief, text: str) -> Chat:
    """Return the chat in a model's answer.

    Raises:
        RejectedTextError: the answer is not a chat that keeps to ``brief``.
    """
    messages = [clean(content) for content in read_fields(text, name_fields(brief))]
    check_prose("Message", messages)
    _check_repeats(messages)
    for number, content in enumerate(messages, start=1):
        _check_message(number, content, brief)
    _check_text(messages)
    _check_length(brief, messages)
    key = re.sub(r"\W", "_", f"chat_{brief.code}".lower())
    return Chat(key=key, messages=tuple(messages), is_form=False)


def fold_message(text: str) -> str:
    """Return what two messages have in common that read the same."""
    return " ".join(text.lower().split())


def _check_repeats(messages: Sequence[str]) -> None:
    first: dict[str, int] = {}
    for number, content in enumerate(messages, start=1):
        before = first.setdefault(fold_message(content), number)
        if before != number:
            raise RejectedTextError(
                ValidationIssue.REPEATED,
                f"Message {number} said the same as message {before}, word by word.",
            )


def _check_message(number: int, content: str, brief: ChatBrief) -> None:
    if MARKER.search(content) or brief.code in content:
        raise RejectedTextError(
            ValidationIssue.MARKUP, f"Message {number} held a marker that is no part of a chat."
        )
    if found := _MACHINE.search(content):
        raise RejectedTextError(
            ValidationIssue.MACHINE, f'Message {number} spoke of the assistant, by "{found[0]}".'
        )
    if number % 2 and (found := _IDENTITY.search(content)):
        raise RejectedTextError(
            ValidationIssue.PERSONAL,
            f'Message {number} told something of the user, by "{found[0]}".',
        )
    if words := find_term(content, brief.unnamed):
        raise RejectedTextError(
            ValidationIssue.FOREIGN,
            f'Message {number} held "{words}", which the chat may not name; write about something '
            "else.",
        )


def _check_text(messages: Sequence[str]) -> None:
    texts = MessageTexts("", messages, ["user", "assistant"] * (len(messages) // 2))
    for flaw, found in (
        (ValidationIssue.MARKUP, find_residue(texts, slips=True)),
        (ValidationIssue.PERSONAL, find_personal(texts)),
    ):
        for kind, hits in found.items():
            _refuse_hits(flaw, kind, hits)


def _refuse_hits(flaw: ValidationIssue, kind: str, hits: Hits) -> None:
    for place in hits.places:
        raise RejectedTextError(
            flaw, f'Message {place.message + 1} held {kind}, at "{place.excerpt}".'
        )


def _check_length(brief: ChatBrief, messages: Sequence[str]) -> None:
    tokens = sum(map(count_tokens, messages))
    if tokens > brief.most_tokens:
        share = brief.most_tokens / tokens
        raise RejectedTextError(
            ValidationIssue.LENGTH,
            f"The messages were too long together; write at most {share:.0%} of that.",
        )
    if tokens < LEAST_TOKENS * len(messages):
        raise RejectedTextError(
            ValidationIssue.LENGTH, "The messages were much too short together."
        )
