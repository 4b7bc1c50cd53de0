"""Reading and checking the options that a model wrote.

Four personas share a quad and each option is right for one of them, so no wording helps whoever
sees question and options alone. What has to hold is that every option claims the same of its own
value: then whoever knows the user finds the one right option, as among the embedded writer's. Since
each option holds what no other may hold, no two of them read the same.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from personamem.dataset_builder.families.personamem.writers.model.option_prompts import FIELDS
from personamem.dataset_builder.families.personamem.writers.model.options import (
    Manner,
    OptionBrief,
    OptionsBrief,
    cues_of,
    manners_of,
    times_of,
)
from personamem.dataset_builder.llm.writing.prose import (
    RejectedTextError,
    ValidationIssue,
    check_prose,
    clean,
)
from personamem.dataset_builder.llm.writing.response_schemas import read_fields
from personamem.loaders.formats.schema import MAX_LENGTH_RATIO

_TAKEN = " | "
"""Stands where something was taken out of a text; no checked text holds a bar."""

_LABEL = re.compile(
    r"^\W*(?:[a-d1-4]|(?:option|reply|answer)\W+\w+)\s*[).:\]]|[(\[][a-d1-4][)\]]"
    r"|\b(?:option|reply) [a-d1-4]\b",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"[*#|_~`^\\<>{}\[\]]|^\".*\"$")


def read_options(brief: OptionsBrief, text: str) -> tuple[str, ...]:
    """Return the four options in a model's answer, in the order of the brief.

    Raises:
        RejectedTextError: the answer is not four options that keep to ``brief``.
    """
    options = tuple(" ".join(clean(option).split()) for option in read_fields(text, FIELDS))
    check_options(brief, options)
    return options


def check_options(brief: OptionsBrief, options: Sequence[str]) -> None:
    """Check that options keep to ``brief``. Raises RejectedTextError with the first thing wrong."""
    _check_lengths(brief, options)
    check_prose("Option", options)
    for number, text in enumerate(options, start=1):
        _check_form(number, text)
    pairs = list(zip(brief.options, options, strict=True))
    drafts = [_take_out(0, option, option.draft, brief.subjects) for option in brief.options]
    replies = [
        _Reply(number, option, _take_out(number, option, text, brief.subjects), draft)
        for number, ((option, text), draft) in enumerate(zip(pairs, drafts, strict=True), start=1)
    ]
    for reply in replies:
        _check_foreign(brief, reply)
        _check_trait(replies, reply)
        _check_times(brief, reply)
    for manner in manners_of(brief.question_type):
        _check_manner(manner, replies)


@dataclass(frozen=True, slots=True)
class _Reply:
    """An option, and the texts of answer and draft without what it has to hold."""

    number: int
    option: OptionBrief
    rest: str
    draft: str


def _check_lengths(brief: OptionsBrief, options: Sequence[str]) -> None:
    lengths = [len(text) for text in options]
    counted = f"The options had {', '.join(map(str, lengths))} letters"
    if min(lengths) < brief.least_letters or max(lengths) > brief.most_letters:
        raise RejectedTextError(
            ValidationIssue.LENGTH,
            f"{counted}; accepted are {brief.least_letters} to {brief.most_letters} each.",
        )
    if max(lengths) > MAX_LENGTH_RATIO * min(lengths):
        raise RejectedTextError(
            ValidationIssue.LENGTH,
            f"{counted}; the longest may have {MAX_LENGTH_RATIO} times the shortest's at most.",
        )


def _check_form(number: int, text: str) -> None:
    if _LABEL.search(text) or _MARKUP.search(text):
        raise RejectedTextError(
            ValidationIssue.MARKUP,
            f"Option {number} held a label, such as (a), or markup or quotes around it.",
        )
    if not text[0].isupper() or text[-1] not in ".?!":
        raise RejectedTextError(
            ValidationIssue.MARKUP,
            f"Option {number} did not begin with a capital and end with a full stop.",
        )


def _take_out(number: int, option: OptionBrief, text: str, subjects: tuple[str, ...]) -> str:
    """Return an option without what it has to hold, and check that it holds that in order."""
    position = 0
    for texts in option.holds:
        found = _find_any(texts).search(text, position)
        if found is None:
            behind = " behind what comes first" if position else ""
            raise RejectedTextError(
                ValidationIssue.MISSING,
                f'Option {number} did not hold "{texts[0]}" literally{behind}.',
            )
        text = text[: found.start()] + _TAKEN + text[found.end() :]
        position = found.start() + len(_TAKEN)
    return _find_any(subjects).sub(_TAKEN, text) if subjects else text


def _check_foreign(brief: OptionsBrief, reply: _Reply) -> None:
    """Check that an option names nothing beside its own: no other value, candidate or person."""
    lowered, draft = reply.rest.lower(), reply.draft.lower()
    held = f"Option {reply.number} held"
    for other in brief.options:
        for text in (text for texts in other.holds for text in texts):
            if text.lower() in lowered:
                more = "once more" if other is reply.option else "of another option"
                raise RejectedTextError(ValidationIssue.FOREIGN, f'{held} "{text}" {more}.')
    foreign = [name for name in brief.barred if name in lowered and name not in draft]
    if foreign:
        raise RejectedTextError(
            ValidationIssue.FOREIGN, f'{held} "{min(foreign)}", which is not its own.'
        )
    if brief.names and (found := _find_name(brief.names).search(reply.rest)):
        raise RejectedTextError(ValidationIssue.FOREIGN, f"{held} a person's name, {found[0]}.")


def _check_trait(replies: Sequence[_Reply], reply: _Reply) -> None:
    if not reply.option.trait:
        return
    cues = cues_of(reply.option.trait)
    if not _list_words(cues, reply.rest):
        listed = ", ".join(cue.replace("*", "...") for cue in cues)
        raise RejectedTextError(
            ValidationIssue.MISSING,
            f"Option {reply.number} was not made plain by one of: {listed}.",
        )
    for other in replies:
        word = _find_added(cues_of(other.option.trait), replies, reply)
        if other is not reply and word:
            raise RejectedTextError(
                ValidationIssue.FOREIGN,
                f'Option {reply.number} held "{word}", which is for another option.',
            )


def _check_times(brief: OptionsBrief, reply: _Reply) -> None:
    times = times_of(brief.question_type)
    if times is None:
        return
    first, last = (list(_find_words(words).finditer(reply.rest)) for words in times)
    if first and last and first[-1].start() > last[0].start():
        raise RejectedTextError(
            ValidationIssue.MANNER,
            f"Option {reply.number} told of the first time behind the last: "
            f'"{last[0][0]}", then "{first[-1][0]}".',
        )


def _check_manner(manner: Manner, replies: Sequence[_Reply]) -> None:
    found = [_find_added(manner.words, replies, reply) for reply in replies]
    holder = next((number for number, word in enumerate(found) if word), None)
    if holder is None:
        return
    held = f'Option {holder + 1} {manner.says}: "{found[holder]}"'
    if manner.is_barred:
        raise RejectedTextError(ValidationIssue.MANNER, f"{held}. None may.")
    if "" in found:
        lacking = found.index("") + 1
        raise RejectedTextError(
            ValidationIssue.MANNER, f"{held}. Option {lacking} does not; write all four alike."
        )


def _find_added(words: tuple[str, ...], replies: Sequence[_Reply], reply: _Reply) -> str:
    """Return the first of ``words`` in a reply, or "".

    A word of its draft alone does not count: it belongs to what the reply is about.
    """
    found = _list_words(words, reply.rest)
    if not found:
        return ""
    shared = set.intersection(*(set(_list_words(words, other.draft)) for other in replies))
    own = set(_list_words(words, reply.draft)) - shared
    return next((word for word in found if word not in own), "")


def _list_words(words: tuple[str, ...], text: str) -> list[str]:
    return [match[0].lower() for match in _find_words(words).finditer(text)]


@lru_cache(maxsize=512)
def _find_any(texts: tuple[str, ...]) -> re.Pattern[str]:
    listed = "|".join(map(re.escape, sorted(texts, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{listed})(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=64)
def _find_name(names: frozenset[str]) -> re.Pattern[str]:
    # With their capitals: a name may be a common word beside.
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")


@lru_cache(maxsize=64)
def _find_words(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for whole words, in which "*" stands for any letters."""
    listed = []
    for word in words:
        pattern = re.escape(word).replace(r"\*", r"\w*")
        # A mark such as "?" has no word's edge.
        listed.append(rf"\b{pattern}\b" if word[-1].isalnum() or word[-1] == "*" else pattern)
    return re.compile("|".join(listed), re.IGNORECASE)
