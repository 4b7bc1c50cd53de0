"""How good answers are: precision, recall and F1 over words and over items, and updating.

The word scores are those of the official evaluation code. It has a defect: where the gold is a
number it goes on with the gold of the question before. Here numbers are scored like texts;
``official_integers`` brings the published figures back. The item scores are this project's.
"""

import math
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personabench.answers import items_of, words_of
from personamem.loaders.personabench.groups import group_questions
from personamem.loaders.personabench.records import Question


@dataclass(frozen=True, slots=True)
class Agreement:
    """Shares between 0 and 1; each is 0 where its denominator is 0."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Outdated:
    """How much of the outdated values is in an answer: the share of their words, and of them."""

    words: float
    items: float


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """One answer's scores; ``outdated`` is None where no value is outdated."""

    question: Question
    words: Agreement
    items: Agreement
    outdated: Outdated | None


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """Means over a group of questions."""

    questions: int
    words: Agreement
    items: Agreement


@dataclass(frozen=True, slots=True)
class Updating:
    """1 - the mean share of outdated values in answers; NaN without questions.

    Words are the official score. Since outdated and current values share words, echoing the gold
    does not quite reach 1 there; over items it does.
    """

    questions: int
    words: float
    items: float


def score_words(gold: object, prediction: object) -> Agreement:
    """Return the official scores: precision, recall and F1 over sets of words.

    Order, case, punctuation and repetition are without effect; a word may come from any item.

    Raises:
        InvalidInputError: a form that is none of an answer's, or no gold.
    """
    return _compare_words(words_of(_require(gold)), words_of(prediction))


def score_items(gold: object, prediction: object) -> Agreement:
    """Return precision, recall and F1 over whole items.

    An item of the prediction is right if it names an item of the gold, and one of the gold is found
    if an item of the prediction names it. Repeated items count once. A prediction that is one text
    is one item, however many values it holds.

    Raises:
        InvalidInputError: a form that is none of an answer's, or no gold.
    """
    wanted, given = items_of(_require(gold)), items_of(prediction)
    right = sum(any(item & other for other in wanted) for item in given)
    found = sum(any(item & other for other in given) for item in wanted)
    return _make_agreement(_share(right, len(given)), _share(found, len(wanted)))


def score_outdated(outdated: object, prediction: object) -> Outdated:
    """Return how much of the outdated values a prediction holds.

    Raises:
        InvalidInputError: a form that is none of an answer's, or no outdated values.
    """
    return Outdated(
        words=score_words(outdated, prediction).recall,
        items=score_items(outdated, prediction).recall,
    )


def score_answers(
    questions: Sequence[Question], predictions: Sequence[object], official_integers: bool = False
) -> list[ScoredAnswer]:
    """Score one prediction per question.

    Args:
        questions: in the order of the release, which matters for ``official_integers`` alone.
        predictions: answers in any form; None or "" scores 0.
        official_integers: compare words with the gold of the question before (Subjective ones not
            counted) where the gold is an integer, as the official code does.

    Raises:
        InvalidInputError: not as many predictions as questions, or one that is no answer.
    """
    if len(questions) != len(predictions):
        raise InvalidInputError(
            f"{len(predictions)} predictions for {len(questions)} questions. Accepted: one each."
        )
    scored = []
    previous: AbstractSet[str] = frozenset()
    for question, prediction in zip(questions, predictions, strict=True):
        gold = words_of(_require(question.answer))
        if question.question_type != "Subjective":
            if official_integers and isinstance(question.answer, int):
                gold = frozenset(previous)
            previous = gold
        scored.append(
            ScoredAnswer(
                question=question,
                words=_compare_words(gold, words_of(prediction)),
                items=score_items(question.answer, prediction),
                outdated=score_outdated(question.outdated_values, prediction)
                if question.outdated_values
                else None,
            )
        )
    return scored


def summarise_answers(scored: Iterable[ScoredAnswer]) -> dict[str, AnswerScores]:
    """Return the mean scores of each group (see ``groups``) that has questions."""
    grouped = group_questions(scored, lambda answer: answer.question)
    return {
        name: AnswerScores(
            questions=len(members),
            words=_average([member.words for member in members]),
            items=_average([member.items for member in members]),
        )
        for name, members in grouped.items()
    }


def score_updating(shares: Iterable[Outdated | None]) -> Updating:
    """Return how well answers leave outdated values out; None are left aside."""
    counted = [share for share in shares if share is not None]
    if not counted:
        return Updating(0, math.nan, math.nan)
    return Updating(
        questions=len(counted),
        words=1 - math.fsum(share.words for share in counted) / len(counted),
        items=1 - math.fsum(share.items for share in counted) / len(counted),
    )


def _compare_words(gold: AbstractSet[str], given: AbstractSet[str]) -> Agreement:
    shared = len(gold & given)
    return _make_agreement(_share(shared, len(given)), _share(shared, len(gold)))


def _make_agreement(precision: float, recall: float) -> Agreement:
    return Agreement(precision, recall, _share(2 * precision * recall, precision + recall))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _average(scores: Sequence[Agreement]) -> Agreement:
    count = len(scores)
    return Agreement(
        math.fsum(score.precision for score in scores) / count,
        math.fsum(score.recall for score in scores) / count,
        math.fsum(score.f1 for score in scores) / count,
    )


def _require(gold: object) -> object:
    if gold is None or gold == "" or gold == [] or gold == () or gold == {}:
        raise InvalidInputError(f"A gold answer is {gold!r}: there is nothing to compare with.")
    return gold
