"""Fitting real conversations to chat templates without losing a word.

PersonaMem contexts hold system messages in mid-conversation and two user turns in a row. Chat
templates differ in what they take: some raise, others drop text without a word (keep the first
system message only, say) or move it. ``rules_of`` finds out by rendering tiny conversations and
looking for their texts, in order. ``normalise_messages`` then changes only what must change.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import Message

SYSTEM_NOTE = "[System message]\n{content}\n[End of system message]"
"""How system text looks inside a user turn."""

OPENING = "(The assistant speaks first.)"
"""The user turn put before an assistant turn where a template demands that the user begins."""

TURN_BREAK = "\n\n"

_PROBES = tuple(
    f"probe{word}text" for word in ("one", "two", "three", "four", "five", "six", "ten")
)
_ROLES = {"S": "system", "U": "user", "A": "assistant"}


@dataclass(frozen=True, slots=True)
class TemplateRules:
    """What a chat template takes, keeping all text in order.

    Fields: a system message at the start; system messages anywhere; two user, two assistant
    messages in a row; an assistant message before any user message.
    """

    leading_system: bool
    later_system: bool
    repeated_user: bool
    repeated_assistant: bool
    assistant_first: bool


STRICT_RULES = TemplateRules(
    leading_system=True,
    later_system=False,
    repeated_user=False,
    repeated_assistant=False,
    assistant_first=False,
)
"""One leading system message, then user and assistant in strict turn: what every chat API takes.

For servers, whose templates cannot be probed from here."""


def rules_of(chat_template_apply: Callable[[list[Message]], str]) -> TemplateRules:
    """Find out what a chat template takes, by rendering a dozen conversations of a few words.

    Args:
        chat_template_apply: renders messages to the prompt, generation prompt included.

    Raises:
        InvalidInputError: the template cannot even render a user turn, or user, assistant, user.
    """

    def takes(*shapes: str) -> bool:
        return all(_renders(chat_template_apply, shape) for shape in shapes)

    if not takes("U", "UAU"):
        raise InvalidInputError(
            "The chat template loses text, or fails, on a plain conversation of user and assistant "
            "turns. Accepted: a template that renders every turn, in order."
        )
    leading = takes("SU", "SUAU")
    head = "S" if leading else ""
    return TemplateRules(
        leading_system=leading,
        later_system=leading and takes("SUASU", "SUSAU", "SSUAU", "USUAU"),
        repeated_user=takes(head + "UUAU", head + "UAUU"),
        repeated_assistant=takes(head + "UAAU"),
        assistant_first=takes("AU", head + "AU"),
    )


def normalise_messages(messages: Iterable[Message], accepts: TemplateRules) -> list[Message]:
    """Return a conversation that a template with these rules takes whole.

    System text that may not stand becomes the head of the next user message, in ``SYSTEM_NOTE``
    marks (a user message of its own where the assistant speaks next). Messages of one role in a row
    are joined with a blank line. Messages that may stand are passed on as the same objects.
    """
    result = _fold_system(messages, accepts)
    if not accepts.assistant_first:
        first = next((i for i, message in enumerate(result) if message["role"] != "system"), None)
        if first is not None and result[first]["role"] == "assistant":
            result.insert(first, {"role": "user", "content": OPENING})
    joined_roles = {
        role
        for role, repeats in (
            ("user", accepts.repeated_user),
            ("assistant", accepts.repeated_assistant),
        )
        if not repeats
    }
    return _join_repeated(result, joined_roles)


def find_lost_text(rendered: str, messages: Iterable[Message]) -> int | None:
    """Return the index of the first message whose text is not in a prompt, in order, or None.

    Whitespace around a message does not count: many templates trim it.
    """
    position = 0
    for index, message in enumerate(messages):
        text = message["content"].strip()
        found = rendered.find(text, position)
        if found < 0:
            return index
        position = found + len(text)
    return None


def _fold_system(messages: Iterable[Message], accepts: TemplateRules) -> list[Message]:
    result: list[Message] = []
    notes: list[str] = []
    for message in messages:
        if message["role"] == "system":
            at_start = not result and not notes
            if accepts.later_system or (accepts.leading_system and at_start):
                result.append(message)
            else:
                notes.append(SYSTEM_NOTE.format(content=message["content"]))
        elif notes and message["role"] == "user":
            result.append(_user_turn([*notes, message["content"]]))
            notes = []
        else:
            if notes:
                result.append(_user_turn(notes))
                notes = []
            result.append(message)
    if notes:
        result.append(_user_turn(notes))
    return result


def _join_repeated(messages: Sequence[Message], roles: set[str]) -> list[Message]:
    # Parts are gathered first: joining pairwise would copy a long run again and again.
    runs: list[list[Message]] = []
    for message in messages:
        if runs and message["role"] in roles and runs[-1][0]["role"] == message["role"]:
            runs[-1].append(message)
        else:
            runs.append([message])
    return [run[0] if len(run) == 1 else _join(run) for run in runs]


def _join(run: Sequence[Message]) -> Message:
    return {
        "role": run[0]["role"],
        "content": TURN_BREAK.join(message["content"] for message in run),
    }


def _user_turn(parts: Sequence[str]) -> Message:
    return {"role": "user", "content": TURN_BREAK.join(parts)}


def _renders(apply: Callable[[list[Message]], str], shape: str) -> bool:
    texts = _PROBES[: len(shape)]
    messages: list[Message] = [
        {"role": _ROLES[role], "content": text} for role, text in zip(shape, texts, strict=True)
    ]
    try:
        rendered = apply(messages)
    except Exception:  # A template is a foreign program: it may raise anything to say no.
        return False
    return find_lost_text(rendered, messages) is None
