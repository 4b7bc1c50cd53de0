"""Answers as sets: of words, as the official code compares them, and of whole items.

Gold answers and predictions take the same forms: a text, a number, named values such as
``{"cat": "Whiskers"}``, a list of these, or None for no answer.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from personamem.loaders.formats.errors import InvalidInputError

_NOT_OFFICIAL = re.compile(r"[^a-zA-Z0-9\s]")
_WORD = re.compile(r"[^\W_]+")


def words_of(answer: object) -> frozenset[str]:
    """Return the official word set of an answer.

    All but ASCII letters, digits and white space is dropped ("self-employed" is one word, "é" is
    lost), the rest lower-cased and split. Names count as words: ``{"cat": "Whiskers"}`` has two.
    None has no words.

    Raises:
        InvalidInputError: a form that is none of an answer's.
    """
    return frozenset(
        word
        for item in _list_items(answer)
        for word in _NOT_OFFICIAL.sub("", _show(item)).lower().split()
    )


def items_of(answer: object) -> list[frozenset[str]]:
    """Return the items of an answer, each as the normal forms that name it; equal ones once.

    A normal form has words only, of any script, without case, punctuation and the difference
    between compatible characters (NFKC). A named value is one item, and goes by the value alone and
    by name and value in either order ("Whiskers", "cat: Whiskers", "Whiskers (cat)").

    Raises:
        InvalidInputError: a form that is none of an answer's.
    """
    named = (_name_forms(item) for item in _list_items(answer))
    return list(dict.fromkeys(forms for forms in named if forms))


def encode_answer(answer: object) -> str:
    """Return an answer as JSON text, which tells the number 39 from the text "39"."""
    return json.dumps(answer, ensure_ascii=False)


def decode_answer(text: str) -> Any:
    """Return the answer that a JSON text holds; any other text is an answer as it stands.

    JSON that is no answer (``true``, a list of lists) is any other text.
    """
    try:
        answer = json.loads(text)
        _list_items(answer)
    except (json.JSONDecodeError, RecursionError, InvalidInputError):
        return text
    return answer


def _list_items(answer: object) -> list[Any]:
    """Return texts, numbers and mappings with a single pair."""
    if answer is None:
        return []
    if isinstance(answer, Mapping) and all(map(_is_scalar, answer.values())):
        return [{name: value} for name, value in answer.items()]
    if _is_scalar(answer):
        return [answer]
    if isinstance(answer, Sequence) and not isinstance(answer, bytes):
        return [part for item in answer for part in _list_items(_refuse_list(item))]
    raise InvalidInputError(
        f"{answer!r} is no answer. Accepted: a text, a number, an object of named values, a list "
        "of these, or null."
    )


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _refuse_list(item: object) -> object:
    if isinstance(item, Sequence) and not isinstance(item, str):
        raise InvalidInputError(f"{item!r} is no item of an answer: a list within a list.")
    return item


def _show(item: Any) -> str:
    # The official code splits str() of a dict, whose quotes and escapes fall away.
    return str(_plain_number(item))


def _plain_number(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _name_forms(item: Any) -> frozenset[str]:
    if isinstance(item, Mapping):
        ((name, value),) = item.items()
        value = _plain_number(value)
        forms = {_normalise(form) for form in (f"{value}", f"{name} {value}", f"{value} {name}")}
    else:
        forms = {_normalise(_show(item))}
    return frozenset(forms - {""})


def _normalise(text: str) -> str:
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
