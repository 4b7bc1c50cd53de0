"""Grading a dialogue: a scorer of inspect-ai for each dimension, by one judge or several.

A score is the mean of the verdicts of all judges who gave one. A verdict that cannot be read is no
score: the sample is unscored in that dimension, and the reason is kept beside the judge's text.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from inspect_ai.model import GenerateConfig, Model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import collect

from personamem.tasks.personalens.dialogues.conversation import read_turns
from personamem.tasks.personalens.dialogues.models import (
    JUDGE_ROLE,
    ask,
    find_models,
    make_policy,
)
from personamem.tasks.personalens.dialogues.rubrics import (
    DIMENSIONS,
    ask_personalization_by_turn,
)
from personamem.tasks.personalens.dialogues.scenes import find_scene
from personamem.tasks.personalens.dialogues.settings import MAX_VERDICT_TOKENS
from personamem.tasks.personalens.dialogues.transcript import Turn, count_pairs
from personamem.tasks.personalens.dialogues.verdicts import (
    Verdict,
    read_score,
    read_truth,
    read_turn_scores,
)

BY_TURN = "personalization_by_turn"
"""The scorer that grades the dialogue after each reply; its values are in the metadata."""

_METRICS = [mean(), stderr(cluster="user_id")]


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one judge said: its verdict, or the reason why there is none; and its whole reply."""

    judge: str
    value: int | None
    reason: str | None
    text: str
    turns: tuple[int, ...] = ()


async def grade(
    source: str, state: TaskState, dimension: str, config: GenerateConfig, run: str
) -> Score:
    """Return the score of a dialogue in one dimension."""
    turns = read_turns(state.messages)
    if not count_pairs(turns):
        return Score.unscored(reason="no_response", explanation="The dialogue has no reply.")
    judges = find_models(JUDGE_ROLE)
    opinions = await collect(
        *(_ask_judge(judge, source, state, turns, dimension, config, run) for judge in judges)
    )
    return _summarize(opinions)


async def _ask_judge(
    judge: Model,
    source: str,
    state: TaskState,
    turns: Sequence[Turn],
    dimension: str,
    config: GenerateConfig,
    run: str,
) -> Opinion:
    scene = find_scene(source, state.metadata)
    by_turn = dimension == BY_TURN
    make_prompt = ask_personalization_by_turn if by_turn else DIMENSIONS[dimension].make_prompt
    setting = str(state.metadata["setting"])
    policy = make_policy(run, dialogue=str(state.sample_id), setting=setting, dimension=dimension)
    prompt = make_prompt(scene, turns)
    reply = await ask(judge, [{"role": "user", "content": prompt}], config, policy)
    if reply.is_cut:
        return Opinion(str(judge), None, "the dialogue does not fit the window", "")
    if by_turn:
        scores = read_turn_scores(reply.text, count_pairs(turns), 4)
        reason = None if scores else "no verdict"
        return Opinion(str(judge), scores[-1] if scores else None, reason, reply.text, scores or ())
    verdict = read_verdict(reply.text, dimension)
    return Opinion(str(judge), verdict.value, verdict.reason, reply.text)


def read_verdict(text: str, dimension: str) -> Verdict:
    """Return the verdict in a judge's reply on a dimension of ``DIMENSIONS``."""
    asked = DIMENSIONS[dimension]
    return read_truth(text) if asked.most == 1 else read_score(text, asked.label, asked.most)


def _summarize(opinions: Sequence[Opinion]) -> Score:
    values = [each.value for each in opinions if each.value is not None]
    explanation = "\n\n".join(each.text for each in opinions)
    kept: dict[str, Any] = {"opinions": [asdict(each) for each in opinions]}
    if not values:
        reason = "grader_failed"
        return Score.unscored(reason=reason, explanation=explanation, metadata=kept)
    mean_value = math.fsum(values) / len(values)
    return Score(value=mean_value, explanation=explanation, metadata=kept)


def _make_scorer(source: str, dimension: str, max_tokens: int | None, run: str) -> Scorer:
    config = GenerateConfig(temperature=0.0, max_tokens=max_tokens or MAX_VERDICT_TOKENS)

    async def score(state: TaskState, target: Target) -> Score:
        return await grade(source, state, dimension, config, run)

    return score


@scorer(metrics=_METRICS)
def task_completion(source: str, max_tokens: int | None = None, run: str = "") -> Scorer:
    """Grade whether the goal of the task was reached: 1 or 0."""
    return _make_scorer(source, "task_completion", max_tokens, run)


@scorer(metrics=_METRICS)
def personalization(source: str, max_tokens: int | None = None, run: str = "") -> Scorer:
    """Grade how well the assistant fits its replies to the user, from 1 to 4."""
    return _make_scorer(source, "personalization", max_tokens, run)


@scorer(metrics=_METRICS)
def naturalness_user(source: str, max_tokens: int | None = None, run: str = "") -> Scorer:
    """Grade how natural the user's messages are, from 1 to 5."""
    return _make_scorer(source, "naturalness_user", max_tokens, run)


@scorer(metrics=_METRICS)
def naturalness_assistant(source: str, max_tokens: int | None = None, run: str = "") -> Scorer:
    """Grade how natural the assistant's replies are, from 1 to 5."""
    return _make_scorer(source, "naturalness_assistant", max_tokens, run)


@scorer(metrics=_METRICS)
def coherence_user(source: str, max_tokens: int | None = None, run: str = "") -> Scorer:
    """Grade how coherent the user's messages are, from 1 to 5."""
    return _make_scorer(source, "coherence_user", max_tokens, run)


@scorer(metrics=_METRICS)
def coherence_assistant(source: str, max_tokens: int | None = None, run: str = "") -> Scorer:
    """Grade how coherent the assistant's replies are, from 1 to 5."""
    return _make_scorer(source, "coherence_assistant", max_tokens, run)


@scorer(metrics=_METRICS)
def personalization_by_turn(source: str, max_tokens: int | None = None, run: str = "") -> Scorer:
    """Grade personalization after each reply, from 1 to 4; the value is that of the last."""
    return _make_scorer(source, BY_TURN, max_tokens, run)


SCORERS = (
    task_completion,
    personalization,
    naturalness_user,
    naturalness_assistant,
    coherence_user,
    coherence_assistant,
)
"""One for each of ``DIMENSIONS``, in its order."""
