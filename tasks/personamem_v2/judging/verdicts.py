r"""Reading a judge's verdict: a number from 0 to 1, in the forms in which models write it.

Read are, in this order, and of several of a form the last: a JSON object with ``score``,
``\boxed{0.5}``, "Score: 0.5", and a reply that is a number. A number outside of 0 to 1 is no
verdict, and neither is "7/10" or "70 %": it is counted as unreadable and never guessed.
"""

import re
from collections.abc import Iterator
from contextlib import suppress

from personamem.loaders.formats.model_text import find_json, strip_reasoning

_NUMBER = r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))"
_END = r"(?![\d.]*\d)(?!\s*(?:/|%|out of))"
_FORMS = (
    re.compile(rf"\\boxed\s*\{{\s*{_NUMBER}\s*\}}"),
    re.compile(rf"\bscore\b[\s*_`\"']*[:=][\s*_`\"']*{_NUMBER}{_END}", re.IGNORECASE),
)
_WHOLE = re.compile(rf"[\s*_`\"']*{_NUMBER}{_END}[\s*_`\"'.]*")


def read_verdict(text: str) -> float | None:
    """Return the score in a judge's reply; None if there is none from 0 to 1."""
    reply = strip_reasoning(text)
    if not reply:
        return None
    for found in (list(_find_scores(reply)), *(form.findall(reply) for form in _FORMS)):
        if found:
            return _check(found[-1])
    whole = _WHOLE.fullmatch(reply)
    return _check(whole[1]) if whole else None


def _find_scores(reply: str) -> Iterator[str]:
    with suppress(ValueError):  # A reply with too many brackets to try them all.
        for found in find_json(reply, "{", inside=True):
            if isinstance(found.value, dict) and "score" in found.value:
                yield str(found.value["score"])


def _check(number: str) -> float | None:
    try:
        value = float(number)
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None
