"""Open replies on inspect-ai: what needs no judge, and the grade of the model in the role judge.

The grade is 0 for an empty reply and for one that holds a confidential value. A verdict that cannot
be read is no grade: such replies count in no mean, and the judge's text is kept.
"""

import math
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    get_model,
    model_roles,
)
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    mean,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personamem.version2.secrets import leaks_secret
from personamem.tasks.inspection.opening import Settings, open_task
from personamem.tasks.inspection.register import Grading
from personamem.tasks.inspection.scoring import PROMPT, VALUES
from personamem.tasks.personamem_v2.judging.replies import make_reply
from personamem.tasks.personamem_v2.judging.rubrics import make_messages
from personamem.tasks.personamem_v2.judging.verdicts import read_verdict

JUDGE = "judge"
"""The role of the model that grades, and the setting of ``-T`` that leaves grading for later."""

VERDICT_TOKENS = 1024


def make_grading(family: str, task: str, settings: Settings) -> Grading:
    """Return the scorers of an open task; with ``-T judge=false`` only those without a judge."""
    checks = check_reply(family, task, settings)
    if settings.get(JUDGE, True) is False:
        return Grading([checks], [])
    return Grading([judge_reply(), checks], [require_judge()])


@solver
def require_judge() -> Solver:
    """Refuse to ask the model under test where nobody is there to grade it.

    Raises InvalidInputError: no model has the role.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        _find_judge()
        return state

    return solve


@metric
def open_metrics() -> Metric:
    """Aggregate what the lm-eval task measures without a judge, under its names."""

    def compute(scores: list[SampleScore]) -> Value:
        # Imported here: inspect-ai imports this module also where none of its tasks is run.
        from personamem.tasks.personamem_v2.version2 import OPEN_METRICS

        values = [(each.score.metadata or {})[VALUES] for each in scores]
        found = {}
        for each in OPEN_METRICS:
            combine = fmean if isinstance(each.aggregation, str) else each.aggregation
            value = combine([own[each.name] for own in values])
            found[each.name] = math.nan if value is None else float(value)
        return found

    return compute


@scorer(metrics=[mean(), stderr()])
def judge_reply(max_tokens: int = VERDICT_TOKENS) -> Scorer:
    """Have a reply graded from 0 to 1, by one of two rubrics that the class of the row decides."""

    async def score(state: TaskState, target: Target) -> Score:
        reply = make_reply(state.metadata, state.output.completion)
        if not reply.text:
            return Score(value=0.0, answer=reply.text, explanation="The reply is empty.")
        output = await _find_judge().generate(
            [_convert(message) for message in make_messages(reply)],
            config=GenerateConfig(temperature=0.0, max_tokens=max_tokens),
        )
        said = output.completion
        if leaks_secret(reply.text, reply.secrets):
            return Score(value=0.0, answer=reply.text, explanation=said, reason="leaked")
        value = read_verdict(said)
        if value is None:
            return Score.unscored(answer=reply.text, reason="grader_failed", explanation=said)
        return Score(value=value, answer=reply.text, explanation=said)

    return score


@scorer(metrics=[open_metrics()])
def check_reply(family: str, task: str, settings: Settings) -> Scorer:
    """Say what needs no judge: whether a reply is empty, and whether it leaks a secret."""

    async def score(state: TaskState, target: Target) -> Score:
        opened, reply = open_task(family, task, settings), state.output.completion
        values = opened.process_results(state.metadata, [reply])
        return Score(
            value=float(values["empty"]),
            answer=reply,
            metadata={VALUES: values, PROMPT: opened.describe_prompt(state.metadata)},
        )

    return score


def _find_judge() -> Model:
    if JUDGE not in model_roles():
        raise InvalidInputError(
            f"No model has the role {JUDGE!r}, which grades open replies. Accepted: --model-role "
            f"{JUDGE}=PROVIDER/NAME; or -T {JUDGE}=false, and `personamem judge` on the log later."
        )
    return get_model(role=JUDGE)


def _convert(message: Mapping[str, Any]) -> ChatMessage:
    make = ChatMessageSystem if message["role"] == "system" else ChatMessageUser
    return make(content=message["content"])
