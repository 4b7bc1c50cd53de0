"""Shallow policies: they see question, options and context, and understand nothing of it.

They match words and count, so their accuracy says how much of a benchmark is left to memory. Each
gives every option a score and takes the highest, as blind policies do. All are deterministic and
look at nothing beyond a question's end index.

Words are as in ``postings``. BM25 has the messages of the prefix as documents, k1 = 1.5, b = 0.75.
An option's *distinctive words* are those that no other option of the question has. It is
*mentioned* where a message holds at least half as much idf weight of them as the message that holds
most: so three of five words of a phrase count, and its "with" or "for" alone does not.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from personamem.dataset_builder.audit.prefix_bm25 import Postings, Prefix, find_words
from personamem.dataset_builder.core.items import READ_LETTERS, Item, Scores
from personamem.loaders.formats.schema import Message

MENTION_SHARE = 0.5
RETRIEVED = 5

_NEVER = -1.0
"""The index of a last mention that does not exist: before all that do."""

_PEOPLE = (
    "he|she|his|hers?|him|they|their|them|friends?|aunt|uncle|cousin|brother|sister|mother"
    "|father|neighbours?|colleague|flatmate|relative|people|some(?:body|one)|others"
)
_DENIAL = (
    "not|no|never|nothing|hardly|\\w+n't|without|disliked?|hate|stopped|gave|former|formerly"
    "|longer|instead|off|used|once"
)
_CUE = re.compile(rf"\b(?:{_PEOPLE}|{_DENIAL})\b")
_PEOPLE_CUE = re.compile(rf"\b(?:{_PEOPLE})\b")
_DENIAL_CUE = re.compile(rf"\b(?:{_DENIAL})\b")

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class _View:
    """A question with what its policies share: words, the prefix, and where options occur.

    ``mentions`` and ``user_mentions`` hold the message indices of each option, ascending.
    """

    messages: Sequence[Message]
    prefix: Prefix
    question: Sequence[str]
    options: Sequence[Sequence[str]]
    distinctive: Sequence[Sequence[str]]
    mentions: Sequence[NDArray[np.int64]]
    user_mentions: Sequence[NDArray[np.int64]]


def score_highest(view: _View) -> list[float]:
    """Prefer the option whose best message has the highest BM25 score."""
    return [_max(view.prefix.score(option)) for option in view.options]


def score_lowest(view: _View) -> list[float]:
    """Prefer the option whose best message has the lowest BM25 score."""
    return [-score for score in score_highest(view)]


def score_last(view: _View) -> list[float]:
    """Prefer the option mentioned most recently; one that never was comes last."""
    return [float(places[-1]) if len(places) else _NEVER for places in view.mentions]


def score_last_by_user(view: _View) -> list[float]:
    """Prefer the option mentioned most recently by the user."""
    return [float(places[-1]) if len(places) else _NEVER for places in view.user_mentions]


def score_stale(view: _View) -> list[float]:
    """Prefer the option whose last mention is longest ago."""
    return [-score for score in score_last(view)]


def score_first(view: _View) -> list[float]:
    """Prefer the option mentioned first of all; one that never was comes last."""
    size = view.prefix.size
    return [-float(places[0]) if len(places) else -float(size) for places in view.mentions]


def score_first_by_user(view: _View) -> list[float]:
    """Prefer the option that the user mentioned first of all."""
    size = view.prefix.size
    return [-float(places[0]) if len(places) else -float(size) for places in view.user_mentions]


def score_often(view: _View) -> list[float]:
    """Prefer the option mentioned in most messages."""
    return [float(len(places)) for places in view.mentions]


def score_often_by_user(view: _View) -> list[float]:
    """Prefer the option that the user mentioned in most messages."""
    return [float(len(places)) for places in view.user_mentions]


def score_seldom(view: _View) -> list[float]:
    """Prefer the option mentioned in fewest messages."""
    return [-score for score in score_often(view)]


def score_retrieved_one(view: _View) -> list[float]:
    """Prefer the option with most idf weight in the best message for the question, by BM25."""
    return _score_retrieved(view, 1)


def score_retrieved_five(view: _View) -> list[float]:
    """Prefer the option with most idf weight in the five best messages taken together."""
    return _score_retrieved(view, RETRIEVED)


def score_joint(view: _View) -> list[float]:
    """Prefer the option that, joined to the question as one query, finds the best message."""
    return [_max(view.prefix.score([*view.question, *option])) for option in view.options]


def score_keywords(view: _View) -> list[float]:
    """Prefer the option whose last mention by the user names nobody else and denies nothing.

    Counts words of two short lists in the sentence that mentions it (within the first
    ``READ_LETTERS`` of the message). This is the simplest reader there is rather than a matcher of
    words, so it is reported apart.
    """
    return [-count for count in _count_all_cues(view, _CUE, -1)]


def score_denied_first(view: _View) -> list[float]:
    """Prefer the option that the user denied most at its first mention: what came to be liked."""
    return _prefer_counted(_count_all_cues(view, _DENIAL_CUE, 0))


def score_foreign_first(view: _View) -> list[float]:
    """Prefer the option that was most somebody else's at its first mention: what was taken over."""
    return _prefer_counted(_count_all_cues(view, _PEOPLE_CUE, 0))


_POLICIES: dict[str, Callable[[_View], list[float]]] = {
    "highest BM25": score_highest,
    "lowest BM25": score_lowest,
    "most recently mentioned": score_last,
    "least recently mentioned": score_stale,
    "most recently mentioned by the user": score_last_by_user,
    "first mentioned": score_first,
    "first mentioned by the user": score_first_by_user,
    "most often mentioned": score_often,
    "least often mentioned": score_seldom,
    "most often mentioned by the user": score_often_by_user,
    "retrieval of one message": score_retrieved_one,
    "retrieval of five messages": score_retrieved_five,
    "question and option retrieved": score_joint,
    "denied at its first mention": score_denied_first,
    "somebody else's at its first mention": score_foreign_first,
    "keywords at the last mention": score_keywords,
}

KEYWORD_POLICIES = ("keywords at the last mention",)
"""Policies that read a little, by word lists: informative, not held to a threshold."""

SHALLOW_POLICIES: tuple[str, ...] = tuple(
    name for name in _POLICIES if name not in KEYWORD_POLICIES
)
"""Policies that only match and count words, in a stable order."""


def score_context(
    messages: Sequence[Message], items: Sequence[Item], end_indices: Sequence[int]
) -> dict[str, Scores]:
    """Score all questions of one context by every policy.

    The context is read once; the time is linear in it, and a question costs what the postings of
    its words cost.

    Args:
        messages: the whole context.
        items: its questions.
        end_indices: how many messages each question sees.

    Returns:
        For each of ``SHALLOW_POLICIES`` and ``KEYWORD_POLICIES``: one array a question, one score
        an option, in the order of ``items``.
    """
    questions = [find_words(item.question) for item in items]
    options = [[find_words(option) for option in item.options] for item in items]
    words = {word for question in questions for word in question}
    words.update(word for row in options for option in row for word in option)
    postings = Postings(messages, sorted(words))
    from_user = np.array([message["role"] == "user" for message in messages], dtype=bool)
    scores: dict[str, Scores] = {name: [] for name in _POLICIES}
    for question, row, end_index in zip(questions, options, end_indices, strict=True):
        view = _make_view(messages, postings.cut(end_index), from_user, question, row)
        for name, policy in _POLICIES.items():
            scores[name].append(np.array(policy(view), dtype=np.float64))
    return scores


def _make_view(
    messages: Sequence[Message],
    prefix: Prefix,
    from_user: NDArray[np.bool_],
    question: Sequence[str],
    options: Sequence[Sequence[str]],
) -> _View:
    holders = Counter(word for option in options for word in set(option))
    distinctive = [[word for word in option if holders[word] == 1] for option in options]
    mentions = [_find_mentions(prefix, words) for words in distinctive]
    return _View(
        messages=messages,
        prefix=prefix,
        question=question,
        options=options,
        distinctive=distinctive,
        mentions=mentions,
        user_mentions=[places[from_user[places]] for places in mentions],
    )


def _find_mentions(prefix: Prefix, words: Sequence[str]) -> NDArray[np.int64]:
    weights = prefix.overlap(words)
    return np.flatnonzero((weights > 0) & (weights >= MENTION_SHARE * weights.max(initial=0.0)))


def _score_retrieved(view: _View, number: int) -> list[float]:
    relevance = view.prefix.score(view.question)
    best = np.argsort(-relevance, kind="stable")[:number]
    return [round(view.prefix.held_by(option, best), 9) for option in view.options]


def _count_all_cues(view: _View, cue: re.Pattern[str], which: int) -> list[float]:
    """Count the cues of each option in the sentence of its first (0) or last (-1) user mention."""
    return [
        _count_cues(view, words, places, cue, which)
        for words, places in zip(view.distinctive, view.user_mentions, strict=True)
    ]


def _count_cues(
    view: _View, words: Sequence[str], places: NDArray[np.int64], cue: re.Pattern[str], which: int
) -> float:
    if not len(places):
        return float("inf")
    wanted = set(words)
    text = view.messages[places[which]]["content"][:READ_LETTERS].lower()
    sentences = _SENTENCE_END.split(text)
    return float(len(cue.findall(max(sentences, key=lambda s: len(wanted & {*find_words(s)})))))


def _prefer_counted(counts: Sequence[float]) -> list[float]:
    """Return counts as scores; an option without a mention comes last."""
    return [_NEVER if count == float("inf") else count for count in counts]


def _max(values: NDArray[np.float64]) -> float:
    # Sums of the same weights in another order must stay ties.
    return round(float(values.max(initial=0.0)), 9)
