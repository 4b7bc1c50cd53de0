"""JSON of a given form out of what models write."""

from contextlib import suppress
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from personamem.dataset_builder.llm.errors import UnreadableAnswerError
from personamem.loaders.formats.model_text import find_json, strip_reasoning
from personamem.loaders.formats.transport import shorten

Form = TypeVar("Form", bound=BaseModel)

_SHOWN_ERRORS = 3


def read_json(text: str, form: type[Form]) -> Form:
    """Return the first JSON value in ``text`` that has the form of a pydantic model.

    Reasoning is skipped, and so are words around the value; see ``find_json`` for what is read.

    Raises:
        UnreadableAnswerError: there is none; the message names what the first value lacks, which is
            the outermost one and the likeliest to be meant.
    """
    reply = strip_reasoning(text)
    problem = "it ends within its reasoning" if reply is None else ""
    # A text with too many brackets to try them all.
    with suppress(ValueError):
        for found in find_json(reply or ""):
            try:
                return form.model_validate(found.value)
            except ValidationError as error:
                problem = problem or _describe(error)
    raise UnreadableAnswerError(
        f"The answer cannot be read: {problem or 'it holds no JSON'}. It begins {shorten(text)}"
    )


def _describe(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_input=False, include_context=False)
    parts = [
        f"{'.'.join(map(str, entry['loc'])) or 'the whole'}: {entry['msg']}"
        for entry in found[:_SHOWN_ERRORS]
    ]
    more = len(found) - len(parts)
    return "; ".join(parts) + (f"; and {more} more" if more > 0 else "")
