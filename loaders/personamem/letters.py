r"""Reading which of the options (a) to (d) a reply chooses.

The official PersonaMem rule: an answer is correct iff the gold letter is mentioned in parentheses
and no other letter is. ``read_letter`` decides the same wherever exactly one letter stands in
parentheses, and otherwise reads the other forms in which models state a choice. A reply that claims
two letters, or none, is unparsable (None), never a guess.
"""

import re

from personamem.loaders.formats.model_text import strip_reasoning

_LETTER = "[a-dA-D]"
_QUOTES = "*_`\"'\u201c\u201d\u2018\u2019"
_OPEN = rf"[\s{_QUOTES}\[{{(]*"
_CLOSE = rf"[\s{_QUOTES}\]}}).:,;!]*"

_PARENTHESISED = re.compile(rf"\(\s*\**({_LETTER})\**\s*\)")
_BOXED = re.compile(rf"\\boxed\s*\{{\s*(?:\\text(?:bf)?\s*\{{)?\s*\(?({_LETTER})\)?\s*\}}")
_WHOLE = re.compile(
    rf"{_OPEN}(?:(?:option|choice|letter|answer)\b{_OPEN})?({_LETTER}){_CLOSE}", re.IGNORECASE
)
_HEAD = re.compile(rf"{_OPEN}({_LETTER})[*_`]*\s*(?:[.):]|\n|[-\u2013\u2014]\s)")
# The letter of a claim must end the clause, or a reason must follow: else it may be the article,
# as in "the answer is a tart".
_CLAUSE_END = (
    rf"(?=[{_QUOTES}\])}}]*"
    r"(?:[.:,;!?](?:\s|$)|\s*$|\s*\n|\s+(?:because|since|as|for|due|given)\b))"
)
_CLAIM = re.compile(
    r"\b(?:answer|choice|option|choose|pick|select(?:ion)?|letter|reply|response)\b"
    r"(?:\s+(?:is|would\s+be|should\s+be|option|letter|choice))*\s*[:=]?"
    rf"{_OPEN}({_LETTER}){_CLAUSE_END}",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\b(?:option|choice|letter)\s+[*_`\"']*([B-Db-dA])\b")
_NEGATED = re.compile(r"(?:\bnot|n['\u2019]t|\bnever|\bthan|\binstead of)(?:\s+\w+){0,2}\s*$", re.I)


def read_letter(text: str) -> str | None:
    r"""Return the letter a reply chooses, ``"a"`` to ``"d"``; None if missing or ambiguous.

    Read are, in this order: letters in parentheses; ``\boxed{b}``; a reply that is nothing but a
    letter ("b", "B.", "**b**", "Option b"); claims ("The answer is b because ...") and a letter
    that heads the reply ("B. A walk"). Text before ``</think>`` is ignored, and a reply that never
    leaves ``<think>`` is unparsable. The article in "a good idea" is no letter.

    Source of the parentheses rule: the official PersonaMem scoring.
    """
    reply = strip_reasoning(text)
    if reply is None:
        return None
    for pattern in (_PARENTHESISED, _BOXED):
        claimed = {letter.lower() for letter in pattern.findall(reply)}
        if claimed:
            return _single(claimed)
    whole = _WHOLE.fullmatch(reply)
    if whole is not None:
        return whole[1].lower()
    claimed = _claims(reply, _CLAIM) | _claims(reply, _NAMED)
    head = _HEAD.match(reply)
    if head is not None:
        claimed.add(head[1].lower())
    return _single(claimed)


def _claims(reply: str, pattern: re.Pattern[str]) -> set[str]:
    return {
        match[1].lower()
        for match in pattern.finditer(reply)
        if _NEGATED.search(reply, max(0, match.start() - 30), match.start()) is None
    }


def _single(letters: set[str]) -> str | None:
    return letters.pop() if len(letters) == 1 else None
