"""The rules for the words of a need, as far as a machine can check them.

At the level "implied" a context names no choice and shares no content word with the reply that a
choice makes right, so a search for words finds nothing. What a text means is read by readers; here
only words are compared.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from personamem.dataset_builder.families.personamem.lives.need import (
    CONTENT,
    Artefact,
    Choice,
    Need,
)

LETTERS_OF_CONTENT = 4
"""Shorter words carry no content here."""

REPLY_WORDS = range(20, 33)
ASSISTANT_WORDS = range(25, 191)
REASON_WORDS = range(6, 16)
MOST_LENGTH_RATIO = 1.2
"""Of the longest reply of an occasion to the shortest, in characters."""

LEAST_SCENARIOS = 4
"""Different scenarios among the artefacts of a choice."""

SLOTS = frozenset(
    {
        "first_name",
        "other_name",
        "weekday",
        "month",
        "last_month",
        "next_month",
        "day",
        "time",
        "street",
        "price",
        "number",
        "who",
        "Who",
        "name",
        "they",
        "They",
        "them",
        "their",
        "Their",
    }
)

_SLOT = re.compile(r"\{([A-Za-z_]+)(?::[^}]*)?\}")
_BRACES = re.compile(r"\{([^{}]*)\}")
_AMOUNTS = frozenset({"price", "number"})
_KNOWN_SLOT = re.compile(rf"price:\d+|number:\d+|{'|'.join(sorted(SLOTS - _AMOUNTS))}")
_WORD = re.compile(r"[A-Za-zÀ-ÿ]+(?:['\u2019][A-Za-zÀ-ÿ]+)*")
_PHRASES = re.compile(
    r"great question|i'll remember|good call|happy to help|as an ai|certainly!|of course!",
    re.IGNORECASE,
)
_SUFFIXES = (
    *("'s", "iness", "ingly", "edly", "ments", "ment", "nesses", "ness", "ings", "ing", "iest"),
    *("iers", "ier", "ied", "ies", "ers", "est", "ed", "er", "es", "ly", "s", "e", "y", "i"),
)
_STEM_LETTERS = 3
_FUNCTION_WORDS = frozenset((CONTENT / "function_words.txt").read_text("utf-8").split())


def find_problems(need: Need) -> list[str]:
    """Return what breaks a rule, one line each, with the place and the word."""
    names = NameFinder(need)
    return [
        *_check_replies(need, names),
        *_check_choices(need),
        *_check_implied(need, names),
        *_check_others(need, names),
    ]


def list_content_words(text: str) -> dict[str, str]:
    """Return the content words of a text: stem to the word as it stands, in lower case."""
    words = (word.lower().replace("\u2019", "'") for word in _WORD.findall(_SLOT.sub(" ", text)))
    return {
        _stem(word): word
        for word in words
        if len(word) >= LETTERS_OF_CONTENT and word not in _FUNCTION_WORDS
    }


class NameFinder:
    """Finds texts that name a choice of a need."""

    def __init__(self, need: Need) -> None:
        """Compile the terms and names of all choices."""
        self._owners = {
            term.lower(): choice.key for choice in need.choices for term in choice.terms
        }
        # Long terms first: a match is the longest term at its place.
        terms = "|".join(sorted(map(re.escape, self._owners), key=len, reverse=True))
        self._pattern = re.compile(
            rf"(?<![A-Za-z])({terms})(?:s|es|ed|ing|'s)?(?![A-Za-z])", re.IGNORECASE
        )
        self._names = {
            choice.key: list_content_words(f"{choice.name} {choice.phrase}")
            for choice in need.choices
        }

    def find(self, text: str, key: str | None = None) -> Iterator[str]:
        """Yield each way in which ``text`` names a choice.

        A term of any choice counts; a content word of a name or noun phrase counts where the text
        belongs to the choice ``key``, since it leads a search for the name to the right place.
        """
        for term in self._list_terms(text):
            yield f"the term {term!r} of {self._owners[term]}"
        words = list_content_words(text)
        names = self._names.get(key, {}) if key else {}
        for stem in words.keys() & names.keys():
            yield f"{words[stem]!r}, a content word ({names[stem]}) of the name of {key}"

    def find_owners(self, text: str) -> set[str]:
        """Return the choices whose terms a text has."""
        return {self._owners[term] for term in self._list_terms(text)}

    def _list_terms(self, text: str) -> list[str]:
        return list(dict.fromkeys(match[1].lower() for match in self._pattern.finditer(text)))


@cache
def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _STEM_LETTERS:
            word = word[: -len(suffix)]
            break
    return word[:-1] if len(word) > _STEM_LETTERS and word[-1] == word[-2] else word


def _count_words(text: str) -> int:
    return len(text.split())


def _check_replies(need: Need, names: NameFinder) -> Iterator[str]:
    for number, occasion in enumerate(need.occasions):
        place = f"occasions.{number}"
        lengths = {key: len(reply) for key, reply in occasion.replies.items()}
        if max(lengths.values()) > MOST_LENGTH_RATIO * min(lengths.values()):
            yield f"{place}: characters of the replies differ too much: {lengths}"
        openings: dict[str, str] = {}
        for key, reply in occasion.replies.items():
            if _count_words(reply) not in REPLY_WORDS:
                yield f"{place}.{key}: {_count_words(reply)} words"
            opening = " ".join(reply.lower().split()[:2])
            if opening in openings:
                yield f"{place}.{key}: opens like {openings[opening]}: {opening!r}"
            openings[opening] = key
        for named in names.find(occasion.ask):
            yield f"{place}.ask: {named}"
        for key, text in occasion.replies.items():
            for named in names.find(text, key):
                yield f"{place}.{key}: {named}"


def _check_choices(need: Need) -> Iterator[str]:
    for choice in need.choices:
        if len({artefact.scenario for artefact in choice.artefacts}) < LEAST_SCENARIOS:
            yield f"{choice.key}: fewer than {LEAST_SCENARIOS} scenarios"
        for number, ending in enumerate(choice.endings):
            if _count_words(ending.reason) not in REASON_WORDS:
                words = _count_words(ending.reason)
                yield f"{choice.key}.endings.{number}: the reason has {words} words"


def _check_implied(need: Need, names: NameFinder) -> Iterator[str]:
    openings: dict[str, str] = {}
    for choice in need.choices:
        replies = _list_reply_words(need, choice)
        for place, artefact in choice.list_implied():
            text = "\n".join(artefact.list_texts())
            for named in names.find(text, choice.key):
                yield f"{place}: {named}"
            words = list_content_words(text)
            shared = sorted(f"{words[stem]} ({replies[stem]})" for stem in words if stem in replies)
            if shared:
                yield f"{place}: shares words with the replies of its choice: {', '.join(shared)}"
            yield from _check_form(place, artefact, text)
            opening = " ".join(text.lower().split()[:8])
            if opening in openings:
                yield f"{place}: opens like {openings[opening]}"
            openings[opening] = place
    for number, pointer in enumerate(need.pointers):
        for named in names.find("\n".join(pointer.list_texts())):
            yield f"pointers.{number}: {named}"


def _check_others(need: Need, names: NameFinder) -> Iterator[str]:
    """Yield errands on somebody else that do not say whose they are, or what they should name."""
    for choice in need.choices:
        for group in ("others", "others_named", "others_ended"):
            for number, exchange in enumerate(choice.list_texts_of(group)):
                place = f"{choice.key}.{group}.{number}"
                if exchange.ask.count("{who}") != 1:
                    yield f"{place}: {{who}} has to stand in it once, in ask"
                if group == "others_named":
                    owners = names.find_owners("\n".join(exchange.list_texts()))
                    if owners != {choice.key}:
                        yield f"{place}: names {', '.join(sorted(owners)) or 'no choice'}"


def _check_form(place: str, artefact: Artefact, text: str) -> Iterator[str]:
    unknown = sorted(slot for slot in _BRACES.findall(text) if not _KNOWN_SLOT.fullmatch(slot))
    if unknown:
        yield f"{place}: unknown slots {', '.join(unknown)}; accepted: {', '.join(sorted(SLOTS))}"
    if _count_words(artefact.assistant) not in ASSISTANT_WORDS:
        yield f"{place}: the answer has {_count_words(artefact.assistant)} words"
    if found := _PHRASES.search(text):
        yield f"{place}: {found.group()!r} is a phrase of assistants"


def _list_reply_words(need: Need, choice: Choice) -> Mapping[str, str]:
    """Return the content words of a choice's replies that others of their occasion do not have."""
    found: dict[str, str] = {}
    for occasion in need.occasions:
        every = [set(list_content_words(reply)) for reply in occasion.replies.values()]
        common = set.intersection(*every) | set(list_content_words(occasion.ask))
        words = list_content_words(occasion.replies[choice.key])
        found |= {stem: word for stem, word in words.items() if stem not in common}
    return found
