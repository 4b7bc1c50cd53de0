"""Reading what a checker says of a profile: whether there is a conflict, and the reason.

Read are a JSON object with ``conflict``, and lines such as "Conflict: 1", with 0, 1, true, false,
yes or no. A reply in which these disagree, or that says anything else, is no verdict: it is counted
as unreadable and never guessed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from personamem.loaders.formats.model_text import find_json, strip_reasoning

_LABELS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
_LINE = re.compile(
    r"^[ \t*_`#>-]*conflict[ \t*_`\"']*[:=][ \t*_`\"']*(0|1|true|false|yes|no)\b[*_`\"']*"
    r"(?=[ \t]*$|[.,;](?:\s|$)|[ \t]+\()",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether there is a conflict, and why; the reason is empty where the checker gave none."""

    is_conflict: bool
    reason: str


def read_verdict(text: str) -> Verdict | None:
    """Return the verdict in a checker's reply; None if there is not exactly one."""
    reply = strip_reasoning(text)
    if not reply:
        return None
    try:
        objects = list(_find_objects(reply))
    except ValueError:  # A reply with too many brackets to try them all.
        return None
    labels = [_read_label(found["conflict"]) for found in objects]
    labels += [_read_label(label) for label in _LINE.findall(reply)]
    if not labels or None in labels or len(set(labels)) > 1:
        return None
    reasons = [str(found["reason"]) for found in objects if found.get("reason")]
    is_conflict = bool(labels[0])
    return Verdict(is_conflict, " ".join(reasons[-1].split()) if is_conflict and reasons else "")


def _find_objects(reply: str) -> Iterator[dict[str, Any]]:
    for found in find_json(reply, "{", inside=True):
        if isinstance(found.value, dict) and "conflict" in found.value:
            yield found.value


def _read_label(value: Any) -> bool | None:
    return _LABELS.get(str(value).strip().lower())
