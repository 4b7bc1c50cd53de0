"""Checks that every generated text has to pass: plain English prose without markup."""

import re
from collections.abc import Sequence
from enum import StrEnum

from personamem.dataset_builder.llm.writing.language import is_english

LEAST_WORDS = 3
"""The least words of a text."""

MOST_REASON = 300
"""Characters of a reason that are sent back to the model."""

# Markup, placeholders, code, control characters, and models about themselves.
_RESIDUE = re.compile(
    r"\{\{|\}\}|\{%|%\}|\{#|<[/!?a-zA-Z][^<>]*>|\[[^\]\n]*\||\{[a-zA-Z_:]+\}|\[[A-Z][^\]\n]*\]"
    r"|```|!!python|&[a-z]+;|[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufffd]"
    r"|\bas an ai\b|\blanguage model\b",
    re.IGNORECASE,
)

_PLAIN = str.maketrans(dict(zip("\u2018\u2019\u201c\u201d\u00a0\u2011", "''\"\" -", strict=True)))


class ValidationIssue(StrEnum):
    """Why a generated text was refused."""

    UNREADABLE = "no readable answer"
    FORM = "form of the answer"
    MARKUP = "markup or placeholders"
    LANGUAGE = "not English"
    LENGTH = "length"
    MISSING = "a planned fact is missing"
    MACHINE = "a remark about the assistant"
    PERSONAL = "personal data"
    FOREIGN = "a fact that is not planned"
    FLAT = "a fact is stated flatly"
    REPEATED = "a message that stands elsewhere too"


class RejectedTextError(Exception):
    """A refused text: the kind of issue, and a reason that is sent back to the model."""

    def __init__(self, flaw: ValidationIssue, reason: str) -> None:
        # No request can hold half of a surrogate pair.
        whole = reason.encode("utf-8", "backslashreplace").decode()
        self.flaw, self.reason = flaw, " ".join(whole.split())[:MOST_REASON]
        super().__init__(self.reason)


def clean(text: str) -> str:
    """Return a text with plain quotes, spaces and hyphens, and no space around it."""
    return text.translate(_PLAIN).strip()


def check_prose(name: str, texts: Sequence[str], least_words: int = LEAST_WORDS) -> None:
    """Check texts for what none may hold; reasons name them ``name`` 1, ``name`` 2, ...

    Raises:
        RejectedTextError: markup, code, placeholders, too few words, or not English.
    """
    for number, text in enumerate(texts, start=1):
        if _RESIDUE.search(text):
            raise RejectedTextError(
                ValidationIssue.MARKUP,
                f"{name} {number} held markup, code, a placeholder or a remark about language "
                "models.",
            )
        if len(text.split()) < least_words:
            raise RejectedTextError(
                ValidationIssue.LENGTH, f"{name} {number} had fewer than {least_words} words."
            )
    if not is_english(texts):
        raise RejectedTextError(
            ValidationIssue.LANGUAGE, f"The {name.lower()}s were not in plain English."
        )
