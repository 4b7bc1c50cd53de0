"""The prompt of a question: the final user turn with the four options, and plain rendering."""

from collections.abc import Iterable, Sequence

from personamem.loaders.formats.schema import LETTERS, Message

INSTRUCTION = (
    "Which of the replies below is the best answer to this message, given everything you know "
    "about me from our conversations? Reply with the letter of that option in parentheses, such "
    "as (a), and nothing else."
)

_SPEAKERS = {"system": "System", "user": "User", "assistant": "Assistant"}


def make_final_turn(question: str, options: Sequence[str]) -> str:
    """Return the last user turn: the question, the instruction, the four options on a line each."""
    listed = "\n".join(
        f"({letter}) {option}" for letter, option in zip(LETTERS, options, strict=True)
    )
    return f"{question}\n\n{INSTRUCTION}\n\n{listed}"


def render_conversation(messages: Iterable[Message]) -> str:
    """Render messages as text, each after the name of who speaks."""
    return "\n\n".join(
        f"{_SPEAKERS[message['role']]}: {message['content']}" for message in messages
    )


def render_plain(messages: Iterable[Message], reply_prefix: str = "") -> str:
    """Render messages without a chat template, ending where the assistant's reply begins.

    ``reply_prefix`` is the start of that reply. The result never ends in whitespace.
    """
    opening = f"Assistant: {reply_prefix}".rstrip()
    return "\n\n".join(filter(None, (render_conversation(messages), opening)))
