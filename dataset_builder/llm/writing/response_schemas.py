"""The form of an answer: one JSON object with one field per text, in order.

With structured output, the model then cannot leave out a text, and each speaker's role precedes the
message.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import RootModel

from personamem.dataset_builder.llm import UnreadableAnswerError, read_json
from personamem.dataset_builder.llm.writing.prose import RejectedTextError, ValidationIssue

WORDS_PER_TOKEN = 0.72
"""Of everyday English, rather too few: what a prompt allows should fit into its limit of tokens."""

JSON_TOKENS = 20
"""Tokens that the form of the answer adds to each message."""


class _Texts(RootModel[dict[str, str]]):
    """Texts by the names of their fields."""


def name_messages(roles: Sequence[str]) -> tuple[str, ...]:
    """Return the field name of each message, like "1 user"."""
    return tuple(f"{number} {role}" for number, role in enumerate(roles, start=1))


def make_schema(fields: Sequence[str]) -> Mapping[str, Any]:
    """Return the JSON schema of an answer with exactly these fields."""
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in fields},
        "required": list(fields),
        "additionalProperties": False,
    }


def read_fields(text: str, fields: Sequence[str]) -> list[str]:
    """Return the texts in an answer, in the order of ``fields``.

    Raises:
        RejectedTextError: no JSON object, a missing field, or an unexpected one.
    """
    try:
        texts = read_json(text, _Texts).root
    except UnreadableAnswerError as error:
        # The model needs the problem, not its own text.
        reason = str(error).partition(" It begins")[0]
        raise RejectedTextError(ValidationIssue.UNREADABLE, reason) from error
    for name in fields:
        if name not in texts:
            raise RejectedTextError(ValidationIssue.FORM, f'The answer lacked the field "{name}".')
    for name in texts:
        if name not in fields:
            raise RejectedTextError(
                ValidationIssue.FORM, f'The answer had a field "{name}", which is not asked for.'
            )
    return [texts[name] for name in fields]
