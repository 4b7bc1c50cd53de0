"""The scorer and the metrics: those of the lm-eval task of the same name."""

import math
from collections.abc import Mapping
from typing import Any

from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    accuracy,
    mean,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from personamem.tasks.inspection.opening import Settings, open_task

VALUES, PROMPT = "values", "prompt"
"""Keys of a score's metadata: the value of every metric, and what the prompt was made of."""


@scorer(metrics=[accuracy(), stderr()])
def score_reply(family: str, task: str, settings: Settings, headline: str) -> Scorer:
    """Score a reply as the lm-eval task does; ``headline`` is the metric that counts."""

    async def score(state: TaskState, target: Target) -> Score:
        opened, reply = open_task(family, task, settings), state.output.completion
        values = opened.process_results(state.metadata, [reply])
        return Score(
            value=float(values[headline]),
            answer=reply,
            metadata={VALUES: values, PROMPT: opened.describe_prompt(state.metadata)},
        )

    return score


@metric
def lm_eval_metrics(family: str, task: str, settings: Settings) -> Metric:
    """Aggregate every metric of the lm-eval task, by its functions and under its names."""

    def compute(scores: list[SampleScore]) -> Value:
        opened = open_task(family, task, settings)
        aggregations = opened.aggregation()
        values = [_read_values(each.score) for each in scores]
        names = list(dict.fromkeys(name for each in values for name in each))
        found = {name: aggregations[name]([each[name] for each in values]) for name in names}
        return {name: math.nan if value is None else float(value) for name, value in found.items()}

    return compute


def list_metrics(family: str, task: str, settings: Settings, headline: str) -> list[Any]:
    """Return the metrics of a task: the headline with its standard error, and those of lm-eval."""
    first = accuracy() if headline == "acc" else mean()
    return [first, stderr(), lm_eval_metrics(family, task, settings)]


def _read_values(score: Score) -> Mapping[str, Any]:
    values: Mapping[str, Any] = (score.metadata or {})[VALUES]
    return values
