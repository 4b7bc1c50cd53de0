"""Faults of one message: a close look at what a quick filter has picked."""

import re
from collections.abc import Callable, Iterable, Iterator

from personamem.dataset_builder.core.text.articles import find_wrong
from personamem.dataset_builder.core.text.prose import blank_code, blank_quotes

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
    ARTICLES: "'a' before a vowel sound or 'an' before a consonant sound, by spelling, with "
    "numbers and initialisms; where both are in use neither is wrong",
    CASING: "a sentence that starts in lower case after a word and '.', '?' or '!'; a message of "
    "the system or the assistant that does (people type so); 'i' for 'I'",
    SPACING: "a space between a word and ',', ';', '.', '?' or '!'",
    PUNCTUATION: "'..', ',,', ';;', ',.', '?.' and the like; '...', '?!' and '!!' are right",
    BRACKETS: "unequal numbers of opening and closing brackets or quotation marks in a message",
}
"""Kinds, and what is looked for outside code, tables, data rows, links and quotations."""

_DOUBLED_IN_USE = """
again big blah bye chop dear far fine ha had haha happy her hey hi ho hot hush knock la long many
more much my never nice night no now oh ok okay old poor pretty quick quite real really slow so
sorry sure tap tell that there thank too tut twenty very wait way well what yeah yes yum
"""
_ABBREVIATED = """
al approx apt art assn ave avg cf ch co col corp dept dr ed eds eq esp est etc excl feat fig ft gen
gov hr hrs inc incl int jr kg lb lbs ln ltd max min misc mr mrs ms mt no nos oz ph pl pop pp prof
pt pts ref resp rev sec sq sr st str tbsp temp tsp univ vol vols vs yd yr yrs
"""
_DOUBLES_IN_USE = frozenset(_DOUBLED_IN_USE.split())
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())

_SLOT = re.compile(
    r"\{\{.*?\}\}|\{%.*?%\}|\$?\{[A-Za-z_][\w.:]*\}|<[A-Z][A-Z_]{2,}>|<[a-z]+_[a-z_]+>|<\|\w+\|>"
    r"|\[[A-Z][A-Z_ ]{2,}\]|\[(?:[Yy]our|[Ii]nsert|[Uu]ser) [\w ]+\]|\[name\]|%\(\w+\)[sdf]"
    r"|(?<![\d%])(?<!\d )%[sd](?!\w)"
    r"|\bTODO\b|\bFIXME\b|\b[Ll]orem ipsum\b|\bNaN\b"
    r"|(?<=[a-z,] )None(?=[,.;!?]|$| [a-z])(?! of\b)"
    r"|(?<=[a-z] )(?<![Mm]y )nan(?=[,.;!?]|$| (?:of|and)\b)"
)
_DOUBLE = re.compile(r"(?<![\w'\u2019.\-@#])([A-Za-z]++) (?=((?i:\1))(?![\w'\u2019\-@]))")
_ARTICLE = re.compile(
    r"(?:(?<=[a-z,;:(\u2014] )a|(?<![^\s(])(?:A|[Aa]n)|^a) (?P<word>[A-Za-z0-9][\w,-]*)", re.M
)
_SENTENCE = re.compile(
    r"(?P<last>(?<![\w.@/'-])[A-Za-z][a-z'\u2019-]*[a-z]|[a-z]\))[.!?] +"
    r"(?P<next>[a-z]{2,}|a(?= [a-z]))(?![\w.(=/:@])"
)
_OPENING = re.compile(r"(?:\A|[.!?\n:])\s*\Z")
_LOWER_START = re.compile(r"(?:\*\*)?(?:an?|the) [a-z]|[a-z]{2,}(?![\w=(/._:-]| =)")
_LOWER_I = re.compile(
    r"(?<![\w.'\u2019\"(/-])i(?=['\u2019](?:m|ve|d|ll)\b"
    r"| (?:am|was|have|had|do|did|don|think|would|will|can|could|like|love|need|want|feel|know)\b)"
)
_SPACED = re.compile(r"(?<=[A-Za-z]) [,;!?.](?=\s|\Z)")
_PUNCTUATION = re.compile(
    r"(?<=[\w)\]%])\.\.(?![.\d/\w])|,[,.;:](?!\d)|;[;,.]|(?<=\w):[,.](?!\d)|[?!][.,](?!\w)"
    r"|(?<=[a-z]{5})(?<!approx)\.,"
)
PAIRS = (("(", ")"), ("[", "]"), ("\u201c", "\u201d"))
_LONE_CLOSING = re.compile(r"(?:^|(?<=\s))(?:\d{1,2}|[A-Za-z]|[ivx]{2,4})\)|[:;8]-?\)", re.M)
"""Marks of a list, "a)", and faces."""

Span = tuple[str, int]
"""A kind of residue, and where in the message it stands."""


def read_closely(
    text: str, typed: bool, kinds: Iterable[str] = tuple(RESIDUE_KINDS)
) -> Iterator[Span]:
    """Yield the residue of one message; ``typed`` if a person typed it, who may skip capitals."""
    unquoted = blank_code(text)
    prose = blank_quotes(unquoted)
    for kind in kinds:
        if kind == BRACKETS:
            starts = _find_unbalanced(unquoted)
        elif kind == CASING:
            starts = _find_casing(prose, typed)
        else:
            starts = _FINDERS[kind](prose)
        yield from ((kind, start) for start in starts)


def _find_slots(prose: str) -> Iterator[int]:
    return (found.start() for found in _SLOT.finditer(prose))


def _find_doubled(prose: str) -> Iterator[int]:
    for found in _DOUBLE.finditer(prose):
        first, second = found.groups()
        if not second.islower() or second in _DOUBLES_IN_USE:
            continue
        if first in (second, second.capitalize()):
            yield found.start()


def _find_articles(prose: str) -> Iterator[int]:
    for found in _ARTICLE.finditer(prose):
        article = "an" if found.group()[1] == "n" else "a"
        # A capital A in the middle of a sentence is a name: "column A is".
        before = prose[max(0, found.start() - 3) : found.start()]
        if found.group()[0] == "A" and not _OPENING.search(before):
            continue
        if find_wrong(article, found["word"].rstrip("-,")):
            yield found.start()


def _find_casing(prose: str, typed: bool) -> Iterator[int]:
    if not typed and _LOWER_START.match(prose):
        yield 0
    for found in _SENTENCE.finditer(prose):
        if found["last"].lower() not in _ABBREVIATIONS:
            yield found.start("next")
    yield from (found.start() for found in _LOWER_I.finditer(prose))


def _find_spaced(prose: str) -> Iterator[int]:
    return (found.start() for found in _SPACED.finditer(prose))


def _find_punctuation(prose: str) -> Iterator[int]:
    return (found.start() for found in _PUNCTUATION.finditer(prose))


def _find_unbalanced(unquoted: str) -> Iterator[int]:
    for opening, closing in PAIRS:
        extra = unquoted.count(closing) - unquoted.count(opening)
        marks = len(_LONE_CLOSING.findall(unquoted)) if extra > 0 and closing == ")" else 0
        if not 0 <= extra <= marks:
            yield max(0, unquoted.rfind(closing if extra > 0 else opening))
            return
    # After a digit the mark may also be an inch or a second.
    if unquoted.count('"') % 2 and not re.search(r"\d\"", unquoted):
        yield max(0, unquoted.rfind('"'))


_FINDERS: dict[str, Callable[[str], Iterator[int]]] = {
    SLOTS: _find_slots,
    DOUBLED: _find_doubled,
    ARTICLES: _find_articles,
    SPACING: _find_spaced,
    PUNCTUATION: _find_punctuation,
}
