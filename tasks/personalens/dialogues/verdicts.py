"""Reading a judge's verdict: True or False, or a whole number of a scale, however it is written.

Read are, in this order: values behind the label that was asked for ("Naturalness Score: 4"), values
behind a general one ("rating = 4"), and a first line that is a value and nothing else. Case, bold,
quotes, brackets, tags and line breaks do not matter, and reasoning before the reply is left out.
Nothing is guessed: of several verdicts that differ, of a number off the scale or between grades, of
"3 or 4", "7/10", "partly true" and prose there is no verdict but a reason why.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from personamem.loaders.formats.model_text import strip_reasoning

Reason = Literal["empty", "no verdict", "off the scale", "several verdicts"]

LONGEST_REPLY = 40_000
"""Characters of a reply that are read, far more than a verdict has."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict, or why there is none: exactly one of both is None."""

    value: int | None
    reason: Reason | None = None


NONE = Verdict(None, "no verdict")
SEVERAL = Verdict(None, "several verdicts")
OFF_SCALE = Verdict(None, "off the scale")

_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_TRUTH = {"true": 1, "yes": 1, "false": 0, "no": 0}

_SCORE_WORD = r"(?:score|rating|grade)"
_DIMENSIONS = ("personalization", "personalisation", "naturalness", "coherence")

_TAG = re.compile(r"<(/?)([a-z][\w \-]*)>", re.IGNORECASE)
_LABEL_TAG = re.compile(rf"verdict|{_SCORE_WORD}|{'|'.join(_DIMENSIONS)}", re.IGNORECASE)
_MARKS = re.compile(r"[*_`#\"'“”\u2018\u2019\[\]{}|\\$]+|^[ \t]*>+", re.MULTILINE)
# "(1-5)", "[out of 4]", "(True/False)", "(assistant)": between a label and its value.
_ASIDE = re.compile(
    r"[(\[]\s*(?:(?:scale\s*:?\s*|from\s+|range\s*:?\s*)?\d\s*(?:-|\u2013|to)\s*\d"
    r"|(?:out\s+of|max\.?|of)\s+\d|true\s*(?:/|or)\s*false|yes\s*(?:/|or)\s*no"
    r"|(?:the\s+)?(?:user|assistant)(?:'?s?\s+side)?)\s*[)\]]",
    re.IGNORECASE,
)

# What may stand between a label and its value. A minus that touches a number is a sign.
_BETWEEN = (
    r"(?:\s+(?:of|for)\s+(?:the\s+)?(?:user|assistant)(?:\s?s)?(?:\s+side)?)?"
    r"(?P<between>\s*(?:(?:[:=\uff1a→]|[-\u2013—]+>|[-\u2013—](?=\s)|\b(?:is|of|was)\b)\s*)+"
    r"|[ \t]+)"
    r"(?:(?:level|grade)\s+)?\(?\s*"
)
_NUMBER = r"(?P<value>[-+\u2212]?\d+(?:[.,]\d+)*|(?:one|two|three|four|five)\b)"
_TRUTH_WORD = r"(?P<value>(?:true|false|yes|no)\b)"
# What another value beside the first looks like: "/5", "out of 5", "or 4", "-4", ", 4", "½".
_BESIDE = (
    r"(?P<beside>[ \t]*(?:(?P<part>/|out\s+of|of)|,|[-\u2013—]+>?|→|to|or|and|[ \t]|&)[ \t]*"
    r"(?P<other>\d+(?:\.\d+)?\b|(?:one|two|three|four|five|true|false|yes|no|a\s+half|half)\b))?"
    r"(?P<rest>\s*(?:%|percent\b|½)|[\w+:]\d|\w|[./]\d|\+|-(?=[a-z]|\s*$|\s*\n)|\?)?"
)
_HEDGE = re.compile(
    r"\W*(?:but\s+)?(?:only|in\s+part|partly|partially|mostly|for\s+the\s+most|except|if\b)",
    re.IGNORECASE,
)


def read_truth(text: str) -> Verdict:
    """Return 1 for True and 0 for False, as a judge of task completion replies."""
    labels = (
        r"\b(?:verdict|task\s+complet(?:ion|ed))(?:\s+verdict)?\b",
        r"\b(?:final\s+)?(?:answer|judge?ment|result)\b",
    )
    return _read(_clean(text), labels, 0, 1)


def read_score(text: str, label: str, most: int) -> Verdict:
    """Return the whole number from 1 to ``most`` behind ``label``, such as "Coherence Score"."""
    dimension = label.split()[0].lower()
    own = dimension.replace("z", "[sz]")
    others = "".join(rf"(?<!{name}\s)" for name in _DIMENSIONS if not re.fullmatch(own, name))
    # "Naturalness of 5 turns" is no label.
    labels = (rf"\b{own}(?:\s+{_SCORE_WORD}\b|\b(?!\s+of\b))", rf"{others}\b{_SCORE_WORD}\b")
    return _read(re.sub(r"[ \t]+", " ", _clean(text)), labels, 1, most)


def read_turn_scores(text: str, number: int, most: int) -> tuple[int, ...] | None:
    """Return the scores of turns 1 to ``number`` from lines such as "Turn 1: 3".

    None unless every turn has one, each whole and on the scale.
    """
    found: dict[int, int] = {}
    for line in _clean(text).splitlines():
        match = re.match(r"[\s\-•.]*(?:turn|reply)\s*(\d+)\b", line, re.IGNORECASE)
        if match is None:
            continue
        turn, rest = int(match[1]), re.sub(rf"\b{_SCORE_WORD}\b", "", line[match.end() :])
        value = _read("x" + rest, ("^x",), 1, most).value
        if value is None or found.setdefault(turn, value) != value:
            return None
    if found.keys() != set(range(1, number + 1)):
        return None
    return tuple(found[turn] for turn in range(1, number + 1))


def _read(reply: str, labels: tuple[str, ...], least: int, most: int) -> Verdict:
    """Return the verdict from ``least`` to ``most``; a least of 0 stands for truth."""
    if not reply:
        return Verdict(None, "empty")
    word = _NUMBER if least else _TRUTH_WORD
    for label in labels:
        if found := list(_find(reply, label + _BETWEEN + word + _BESIDE, least, most)):
            return found[0] if len(set(found)) == 1 else SEVERAL
    first = reply.splitlines()[0].strip(" .!:;,()")
    whole = re.fullmatch(word + _BESIDE, first, re.IGNORECASE)
    return _judge(whole, "", least, most) if whole else NONE


def _find(reply: str, pattern: str, least: int, most: int) -> Iterator[Verdict]:
    for match in re.finditer(pattern, reply, re.IGNORECASE):
        after = reply[match.end() :]
        line = after.partition("\n")[0]
        # A number that begins a line may number a list; behind a mere space it may count turns.
        if least and "\n" in match["between"] and not re.fullmatch(r"[\s.)]*", line):
            continue
        if not match["between"].strip() and not re.match(r"\s*(?:$|[.,;:!()\n\u2013—-])", after):
            continue
        yield _judge(match, after, least, most)


def _judge(match: re.Match[str], after: str, least: int, most: int) -> Verdict:
    """Return the verdict of a value with what stands beside and after it."""
    word = match["value"].lower()
    if match["rest"]:
        return OFF_SCALE if match["rest"].strip() in ("%", "½", "+", "percent") else NONE
    if not least:
        if match["beside"]:
            return SEVERAL
        # "No doubt", "true only in part".
        is_loose = word in ("yes", "no") and re.match(r"\s+\w", after.partition("\n")[0])
        return NONE if is_loose or _HEDGE.match(after.partition("\n")[0]) else Verdict(_TRUTH[word])
    if match["beside"]:
        if not match["part"]:
            return SEVERAL
        if match["other"] != str(most):
            return OFF_SCALE
    number = _NUMBERS.get(word)
    value = float(word.replace(",", ".").replace("\u2212", "-") if number is None else number)
    return Verdict(int(value)) if value == int(value) and least <= value <= most else OFF_SCALE


def _clean(text: str) -> str:
    """Return a reply without reasoning and marks; tags and keys of labels become labels."""
    reply = strip_reasoning(text[:LONGEST_REPLY]) or ""
    reply = _TAG.sub(_replace_tag, reply)
    return _MARKS.sub(" ", _ASIDE.sub(" ", reply)).strip()


def _replace_tag(match: re.Match[str]) -> str:
    return f" {match[2]}: " if not match[1] and _LABEL_TAG.search(match[2]) else " "
