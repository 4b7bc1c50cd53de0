"""The answer scores as ``evaluate.Metric`` classes; instantiate them, nothing is fetched.

Predictions and references are texts. One that is JSON is read as such, so that lists, numbers and
named values can be given (``answers.encode_answer`` writes them); any other text stands for itself.
"""

import math
from collections.abc import Sequence
from typing import Any, cast, get_args

import datasets
import evaluate

from personamem.loaders.formats.errors import unknown_choice
from personamem.loaders.personabench.answers import decode_answer
from personamem.loaders.personabench.records import Question
from personamem.loaders.personabench.schema import Difficulty, QuestionType
from personamem.loaders.personabench.scoring import (
    ScoredAnswer,
    score_answers,
    score_outdated,
    score_updating,
    summarise_answers,
)

_CITATION = """@article{tan2025personabench,
  title={PersonaBench: Evaluating AI Models on Understanding Personal Information through Accessing
         (Synthetic) Private User Data},
  author={Tan, Juntao and others},
  journal={arXiv preprint arXiv:2502.20616},
  year={2025}
}"""
_INPUTS = "predictions, references: answers as text, or as JSON in the forms of an answer."


class AnswerWords(evaluate.Metric):  # type: ignore[misc]
    """``precision``, ``recall`` and ``f1`` over words, averaged over answers.

    ``compute(..., official_integers=True)`` repeats the official code's defect with numbers; then
    references must be in the order of the release, without Subjective questions.
    """

    def _info(self) -> evaluate.MetricInfo:
        return _make_info("Official PersonaBench precision, recall and F1 over sets of words.")

    def _compute(
        self,
        predictions: Sequence[str],
        references: Sequence[str],
        official_integers: bool = False,
    ) -> dict[str, float]:
        scored = _score(predictions, references, official_integers=official_integers)
        return _average(scored, "words")


class AnswerItems(evaluate.Metric):  # type: ignore[misc]
    """``precision``, ``recall`` and ``f1`` over whole items, averaged over answers."""

    def _info(self) -> evaluate.MetricInfo:
        return _make_info("Precision, recall and F1 over whole items.")

    def _compute(self, predictions: Sequence[str], references: Sequence[str]) -> dict[str, float]:
        return _average(_score(predictions, references), "items")


class AnswersByGroup(evaluate.Metric):  # type: ignore[misc]
    """``<statistic>_<group>`` over words and ``item_<statistic>_<group>`` for groups that occur.

    ``question_types`` and ``difficulties`` are those of the release; groups are ``groups.GROUPS``.
    """

    def _info(self) -> evaluate.MetricInfo:
        return _make_info("Word and item scores per category.", "question_types", "difficulties")

    def _compute(
        self,
        predictions: Sequence[str],
        references: Sequence[str],
        question_types: Sequence[str],
        difficulties: Sequence[str],
        official_integers: bool = False,
    ) -> dict[str, float]:
        scored = _score(predictions, references, question_types, difficulties, official_integers)
        return {
            f"{prefix}{statistic}_{group}": getattr(agreement, statistic)
            for group, scores in summarise_answers(scored).items()
            for prefix, agreement in (("", scores.words), ("item_", scores.items))
            for statistic in ("precision", "recall", "f1")
        }


class InformationUpdating(evaluate.Metric):  # type: ignore[misc]
    """``updating`` over words and ``item_updating``: 1 - the share of outdated values in answers.

    References are lists of outdated values as JSON; answers whose list is empty do not count.
    """

    def _info(self) -> evaluate.MetricInfo:
        return _make_info("How well answers leave values out that no longer hold.")

    def _compute(self, predictions: Sequence[str], references: Sequence[str]) -> dict[str, float]:
        shares = [
            score_outdated(outdated, prediction) if outdated else None
            for outdated, prediction in zip(_decode(references), _decode(predictions), strict=True)
        ]
        updating = score_updating(shares)
        return {"updating": updating.words, "item_updating": updating.items}


def _score(
    predictions: Sequence[str],
    references: Sequence[str],
    question_types: Sequence[str] | None = None,
    difficulties: Sequence[str] | None = None,
    official_integers: bool = False,
) -> list[ScoredAnswer]:
    types = question_types or ["Basic information"] * len(references)
    levels = difficulties or ["easy"] * len(references)
    questions = [
        _make_question(decode_answer(reference), question_type, difficulty)
        for reference, question_type, difficulty in zip(references, types, levels, strict=True)
    ]
    return score_answers(questions, _decode(predictions), official_integers)


def _make_question(answer: Any, question_type: str, difficulty: str) -> Question:
    for kind, value, choices in (
        ("question type", question_type, get_args(QuestionType)),
        ("difficulty", difficulty, get_args(Difficulty)),
    ):
        if value not in choices:
            raise unknown_choice(kind, value, choices)
    return Question(
        question_id="",
        community="",
        person="",
        text="",
        answer=answer,
        question_type=cast(QuestionType, question_type),
        difficulty=cast(Difficulty, difficulty),
        outdated_values=(),
    )


def _decode(texts: Sequence[str]) -> list[Any]:
    return [decode_answer(text) for text in texts]


def _average(scored: Sequence[ScoredAnswer], kind: str) -> dict[str, float]:
    return {
        statistic: math.fsum(getattr(getattr(answer, kind), statistic) for answer in scored)
        / len(scored)
        for statistic in ("precision", "recall", "f1")
    }


def _make_info(description: str, *further_inputs: str) -> evaluate.MetricInfo:
    names = ("predictions", "references", *further_inputs)
    return evaluate.MetricInfo(
        description=description,
        citation=_CITATION,
        inputs_description=_INPUTS,
        features=datasets.Features({name: datasets.Value("string") for name in names}),
    )
