"""The scores of ``metrics`` as ``evaluate.Metric`` classes.

Instantiate the class; nothing is fetched. ``evaluate.load`` is not used because it asks the Hub
even for metrics that lie on the disk.
"""

from collections.abc import Sequence
from typing import Any

import datasets
import evaluate

from personamem.loaders.personamem import metrics
from personamem.loaders.personamem.letters import read_letter

_CITATION = """@inproceedings{jiang2025personamem,
  title={Know Me, Respond to Me: Benchmarking LLMs for Dynamic User Profiling and Personalized
         Responses at Scale},
  author={Jiang, Bowen and others},
  booktitle={COLM},
  year={2025}
}"""
_INPUTS = (
    "predictions: replies as text, read by read_letter. references: gold letters, '(b)' or 'b'."
)


class LetterAccuracy(evaluate.Metric):  # type: ignore[misc]
    """``accuracy`` and ``unparsable``, both shares of all answers."""

    def _info(self) -> evaluate.MetricInfo:
        return _make_info("Share of replies that choose the gold letter.")

    def _compute(self, predictions: Sequence[str], references: Sequence[str]) -> dict[str, float]:
        letters = [read_letter(reply) for reply in predictions]
        return {
            "accuracy": metrics.accuracy(_gold_letters(references), letters),
            "unparsable": metrics.unparsable_share(letters),
        }


class LetterF1(evaluate.Metric):  # type: ignore[misc]
    """``f1``, averaged over the letters."""

    def _info(self) -> evaluate.MetricInfo:
        return _make_info("F1 of each letter, averaged with equal weight.")

    def _compute(self, predictions: Sequence[str], references: Sequence[str]) -> dict[str, float]:
        letters = [read_letter(reply) for reply in predictions]
        return {"f1": metrics.macro_f1(zip(_gold_letters(references), letters, strict=True))}


class AccuracyByType(evaluate.Metric):  # type: ignore[misc]
    """``acc_<type>`` for every question type among ``question_types``."""

    def _info(self) -> evaluate.MetricInfo:
        return _make_info("Accuracy per question type.", "question_types")

    def _compute(
        self,
        predictions: Sequence[str],
        references: Sequence[str],
        question_types: Sequence[str],
    ) -> dict[str, float | None]:
        golds = _gold_letters(references)
        items = [
            (question_type, float(read_letter(reply) == gold))
            for question_type, reply, gold in zip(question_types, predictions, golds, strict=True)
        ]
        return {
            f"acc_{name}": metrics.accuracy_of_type(name, items)
            for name in sorted(set(question_types))
        }


def _gold_letters(references: Sequence[str]) -> list[str]:
    return [reference.strip("() ").lower() for reference in references]


def _make_info(description: str, *further_inputs: str) -> evaluate.MetricInfo:
    names = ("predictions", "references", *further_inputs)
    features: dict[str, Any] = {name: datasets.Value("string") for name in names}
    return evaluate.MetricInfo(
        description=description,
        citation=_CITATION,
        inputs_description=_INPUTS,
        features=datasets.Features(features),
    )
