"""Residue of templates: slots never filled, and joints where two pieces of text do not fit.

A quick filter over the words and characters of a whole context picks the few messages that could
hold a fault; these are then read closely. Every message is looked at.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from personamem.dataset_builder.audit.text.articles import find_wrong, may_be_wrong
from personamem.dataset_builder.audit.text.figures import (
    KEPT_PLACES,
    Hits,
    Place,
    cut_excerpt,
)
from personamem.dataset_builder.audit.text.prose import blank_code, blank_quotes
from personamem.dataset_builder.audit.text.words import ContextWords, hash_text

SLOTS = "unfilled slots"
DOUBLED = "doubled words"
ARTICLES = "wrong articles"
CASING = "bad casing"
SPACING = "spaces before punctuation"
PUNCTUATION = "doubled punctuation"
BRACKETS = "unbalanced brackets and quotation marks"

RESIDUE_KINDS = {
    SLOTS: "{name}, {{name}}, ${name}, <NAME>, [NAME], [your name], %s, %(name)s, {% if %}, "
    "<|end|>, TODO, FIXME, lorem ipsum, None and NaN where a value should be",
    DOUBLED: "a word twice in a row with only a space between, the second in lower case; "
    "'had had', 'that that', 'very very' and the like are right",
    ARTICLES: "'a' before a vowel sound or 'an' before a consonant sound, by spelling, with numbers "
    "and initialisms; where both are in use neither is wrong",
    CASING: "a sentence that starts in lower case after a word and '.', '?' or '!'; a message of the "
    "system or the assistant that does (people type so); 'i' for 'I'",
    SPACING: "a space between a word and ',', ';', '.', '?' or '!'",
    PUNCTUATION: "'..', ',,', ';;', ',.', '?.' and the like; '...', '?!' and '!!' are right",
    BRACKETS: "unequal numbers of opening and closing brackets or quotation marks in a message",
}
"""Kinds of residue, and what is looked for outside code, tables, data rows, links and quotations."""

_DOUBLES_IN_USE = frozenset(
    "again big blah bye chop dear far fine ha had haha happy her hey hi ho hot hush knock la long "
    "many more much my never nice night no now oh ok okay old poor pretty quick quite real really "
    "slow so sorry sure tap tell that there thank too tut twenty very wait way well what yeah yes "
    "yum".split()
)
_ABBREVIATIONS = frozenset(
    "al approx apt art assn ave avg cf ch co col corp dept dr ed eds eq esp est etc excl feat fig "
    "ft gen gov hr hrs inc incl int jr kg lb lbs ln ltd max min misc mr mrs ms mt no nos oz ph pl "
    "pop pp prof pt pts ref resp rev sec sq sr st str tbsp temp tsp univ vol vols vs yd yr yrs".split()
)
_SLOT = re.compile(
    r"\{\{.*?\}\}|\{%.*?%\}|\$?\{[A-Za-z_][\w.:]*\}|<[A-Z][A-Z_]{2,}>|<[a-z]+_[a-z_]+>|<\|\w+\|>"
    r"|\[[A-Z][A-Z_ ]{2,}\]|\[(?:[Yy]our|[Ii]nsert|[Uu]ser) [\w ]+\]|\[name\]|%\(\w+\)[sdf]"
    r"|(?<![\d%])(?<!\d )%[sd](?!\w)"
    r"|\bTODO\b|\bFIXME\b|\b[Ll]orem ipsum\b|\bNaN\b"
    r"|(?<=[a-z,] )None(?=[,.;!?]|$| [a-z])(?! of\b)|(?<=[a-z] )nan(?=[,.;!?]|$| (?:of|and)\b)(?<!my nan)"
)
_DOUBLE = re.compile(r"(?<![\w'\u2019.\-@#])([A-Za-z]+) (?=([a-z]+)(?![\w'\u2019\-@]))")
_ARTICLE = re.compile(
    r"(?:(?<=[a-z,;:(\u2014] )a|(?<![^\s(])(?:A|[Aa]n)|^a) (?P<word>[A-Za-z0-9][\w,-]*)", re.M
)
_SENTENCE = re.compile(
    r"(?P<last>(?<![\w.@/'-])[A-Za-z][a-z'\u2019-]*[a-z]|[a-z]\))[.!?] +(?P<next>[a-z]{2,}|a(?= [a-z]))"
    r"(?![\w.(=/:@])"
)
_LOWER_I = re.compile(
    r"(?<![\w.'\u2019\"(/-])i(?=['\u2019](?:m|ve|d|ll)\b"
    r"| (?:am|was|have|had|do|did|don|think|would|will|can|could|like|love|need|want|feel|know)\b)"
)
_SPACED = re.compile(r"(?<=[A-Za-z]) [,;!?.](?=\s|\Z)")
_PUNCTUATION = re.compile(
    r"(?<=[\w)\]%])\.\.(?![.\d/\w])|,[,.;:](?!\d)|;[;,.]|(?<=\w):[,.](?!\d)|[?!][.,](?!\w)|(?<=[a-z]{5})\.,"
)
_PAIRS = (("(", ")"), ("[", "]"), ("\u201c", "\u201d"))
_LONE_CLOSING = re.compile(r"(?:^|(?<=\s))(?:\d{1,2}|[A-Za-z]|[ivx]{2,4})\)|[:;8]-?\)", re.M)
"""Marks of a list, "a)", and faces."""

_QUICK = (
    re.compile(r"[{<\[%][A-Za-z_{%|(]"),
    re.compile(r"[a-z)][.!?] +[a-z]"),
    re.compile(r"[ \n]i['\u2019 ]"),
    re.compile(r" [,;!?.]\s"),
    re.compile(r"[.,;:!?][.,;:]"),
)
_QUICK_WORDS = ("todo", "fixme", "lorem", "none", "nan")

Span = tuple[str, int]
"""A kind of residue, and where in the message it stands."""


def find_residue(context_id: str, words: ContextWords) -> Mapping[str, Hits]:
    """Return the residue of each kind in the messages of a context, system messages included."""
    places: dict[str, list[Place]] = {kind: [] for kind in RESIDUE_KINDS}
    counts = dict.fromkeys(RESIDUE_KINDS, 0)
    for message in _pick_messages(words):
        text = words.texts[message]
        for kind, start in read_closely(text, typed=words.roles[message] == "user"):
            counts[kind] += 1
            if counts[kind] <= KEPT_PLACES:
                places[kind].append(Place(context_id, message, cut_excerpt(text, start)))
    return {kind: Hits(counts[kind], tuple(places[kind])) for kind in RESIDUE_KINDS}


def read_closely(text: str, typed: bool) -> Iterator[Span]:
    """Yield the residue of one message; ``typed`` if a person typed it, who may skip capitals."""
    unquoted = blank_code(text)
    prose = blank_quotes(unquoted)
    for find in (_find_slots, _find_doubled, _find_articles, _find_casing):
        yield from find(prose)
    if not typed and re.match(r"[a-z]{2,}(?![\w=(/._:])|a [a-z]", prose):
        yield CASING, 0
    yield from ((SPACING, found.start()) for found in _SPACED.finditer(prose))
    yield from ((PUNCTUATION, found.start()) for found in _PUNCTUATION.finditer(prose))
    yield from _find_unbalanced(unquoted)


def _find_slots(prose: str) -> Iterator[Span]:
    return ((SLOTS, found.start()) for found in _SLOT.finditer(prose))


def _find_doubled(prose: str) -> Iterator[Span]:
    for found in _DOUBLE.finditer(prose):
        first, second = found.groups()
        if first.lower() == second and second not in _DOUBLES_IN_USE:
            yield DOUBLED, found.start()


def _find_articles(prose: str) -> Iterator[Span]:
    for found in _ARTICLE.finditer(prose):
        article = "an" if found.group()[1] == "n" else "a"
        # A capital A in the middle of a sentence is a name: "column A is".
        if found.group()[0] == "A" and not re.search(r"(?:\A|[.!?\n:])\s*\Z", prose[: found.start()][-3:]):
            continue
        if find_wrong(article, found["word"].rstrip("-,")):
            yield ARTICLES, found.start()


def _find_casing(prose: str) -> Iterator[Span]:
    for found in _SENTENCE.finditer(prose):
        if found["last"].lower() not in _ABBREVIATIONS:
            yield CASING, found.start("next")
    yield from ((CASING, found.start()) for found in _LOWER_I.finditer(prose))


def _find_unbalanced(unquoted: str) -> Iterator[Span]:
    for opening, closing in _PAIRS:
        extra = unquoted.count(closing) - unquoted.count(opening)
        marks = len(_LONE_CLOSING.findall(unquoted)) if extra > 0 and closing == ")" else 0
        if not 0 <= extra <= marks:
            yield BRACKETS, max(0, unquoted.rfind(closing if extra > 0 else opening))
            return
    # A quotation mark after a digit is an inch or a second.
    if len(re.findall(r"(?<!\d)\"", unquoted)) % 2:
        yield BRACKETS, unquoted.rfind('"')


def _pick_messages(words: ContextWords) -> list[int]:
    """Return the messages that could hold residue, in order."""
    picked = set(_locate(words.ends, _pick_words(words)).tolist())
    for message, text in enumerate(words.texts):
        if (text[:1].islower() and words.roles[message] != "user") or _may_be_unbalanced(text):
            picked.add(message)
    joined = "\n".join(words.texts)
    ends = np.cumsum([len(text) + 1 for text in words.texts])
    for pattern in _QUICK:
        starts = np.array([found.start() for found in pattern.finditer(joined)], dtype=np.int64)
        picked.update(_locate(ends, starts).tolist())
    return sorted(picked)


def _pick_words(words: ContextWords) -> NDArray[np.int64]:
    """Return positions of words that repeat the one before, odd articles, and telling words."""
    hashes = words.hashes
    doubled = np.flatnonzero(hashes[1:] == hashes[:-1])
    telling = np.array([hash_text(word) for word in _QUICK_WORDS], dtype=np.uint64)
    positions = [
        np.array([i for i in doubled if words.tokens[i].isalpha()], dtype=np.int64),
        np.flatnonzero(np.isin(hashes, telling)),
    ]
    for article in ("a", "an"):
        places = np.flatnonzero(hashes[:-1] == np.uint64(hash_text(article)))
        found = [i for i in places if _may_be_wrong(article, words.tokens[i + 1])]
        positions.append(np.array(found, dtype=np.int64))
    return np.concatenate(positions)


_may_be_wrong: Callable[[str, str], bool] = lru_cache(maxsize=1 << 16)(may_be_wrong)


def _locate(ends: NDArray[np.int64], positions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the messages, by the index at which each ends, in which ``positions`` stand."""
    return np.unique(np.searchsorted(ends, positions, side="right"))


def _may_be_unbalanced(text: str) -> bool:
    return text.count('"') % 2 == 1 or any(
        text.count(opening) != text.count(closing) for opening, closing in _PAIRS
    )
