"""Metrics as the tasks declare them, once, in Python."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from personamem.loaders.personamem.metrics import average_recall

Aggregation = Callable[[Sequence[Any]], float | None]


@dataclass(frozen=True, slots=True)
class Metric:
    """A score of a task: its name, how values of documents become one, and which way is better.

    ``aggregation`` is a function, or "mean": only of lm-eval's own mean does lm-eval compute a
    standard error without resampling.
    """

    name: str
    aggregation: Aggregation | str = "mean"
    higher_is_better: bool = True


RECALL = Metric("evidence_recall", average_recall)
"""Of what a memory found; its values say more, for reports."""

class_metric = "acc_{}".format


def spread_accuracy(
    accuracy: float, own: Collection[str | None], classes: Iterable[str]
) -> dict[str, tuple[str, float]]:
    """Return a document's values for the accuracies of all classes; ``own`` are those it is in."""
    return {class_metric(name): (name if name in own else "", accuracy) for name in classes}


def describe_metrics(metrics: Iterable[Metric]) -> list[dict[str, Any]]:
    """Return metrics as the ``metric_list`` of a task's configuration."""
    return [
        {
            "metric": metric.name,
            "aggregation": metric.aggregation,
            "higher_is_better": metric.higher_is_better,
        }
        for metric in metrics
    ]
