"""The same tasks through lm-eval and inspect-ai, answered by a script that saw the messages.

The reply to a prompt depends on all of it, so equal replies mean equal prompts.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import lm_eval
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from lm_eval.api.model import LM
from lm_eval.models.api_models import JsonChatStr
from lm_eval.tasks import TaskManager

from personamem.tasks.registry import TASKS_FOLDER

Turns = list[tuple[str, str]]
Reply = Callable[[Turns], str]
REPLIES = ("(a)", "(b)", "The answer is (c).", "**d**", "I cannot tell.", "A cello\nA blue car")


def reply_to(turns: Turns) -> str:
    digest = hashlib.sha256(json.dumps(turns).encode()).digest()
    return REPLIES[digest[0] % len(REPLIES)]


class ScriptedLM(LM):  # type: ignore[misc]
    """A chat API of lm-eval's that keeps what it was sent."""

    tokenizer_name = "none"

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Turns] = []

    def chat_template(self, chat_template: Any = False) -> str:
        return ""

    def apply_chat_template(
        self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True
    ) -> JsonChatStr:
        return JsonChatStr(json.dumps(chat_history))

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        prompts = [json.loads(request.args[0].prompt) for request in requests]
        turns = [[(m["role"], m["content"]) for m in prompt] for prompt in prompts]
        self.seen += turns
        return [reply_to(each) for each in turns]

    def loglikelihood(self, requests: list[Any]) -> Any:
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


def run_lm_eval(names: Sequence[str], **metadata: Any) -> tuple[dict[str, Any], list[Turns]]:
    """Return the scores of tasks by name without lm-eval's suffixes, and the prompts."""
    manager = TaskManager(include_path=str(TASKS_FOLDER), include_defaults=False, metadata=metadata)
    model = ScriptedLM()
    report: dict[str, Any] = lm_eval.simple_evaluate(
        model, tasks=list(names), task_manager=manager, apply_chat_template=True, bootstrap_iters=0
    )
    scores = {
        task: {
            name.removesuffix(",none"): value
            for name, value in found.items()
            if name.endswith(",none") and not name.endswith("_stderr,none")
        }
        for task, found in report["results"].items()
    }
    return scores, model.seen


def make_model(reply: Reply, seen: list[Turns]) -> Model:
    """Return a model that answers by a function, and keeps its prompts in ``seen``."""

    def answer(messages: Any, *_: Any) -> ModelOutput:
        turns = [(message.role, message.text) for message in messages]
        seen.append(turns)
        output = ModelOutput.from_content("mockllm", reply(turns))
        # Without it, mockllm counts tokens by a vocabulary that it fetches.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def run_inspect(
    tasks: Sequence[Task], folder: Path, **roles: Model
) -> tuple[list[EvalLog], list[Turns]]:
    """Return the logs of tasks, and the prompts."""
    seen: list[Turns] = []
    logs = eval(
        list(tasks),
        model=make_model(reply_to, seen),
        model_roles=roles or None,
        display="none",
        log_dir=str(folder),
        log_level="error",
    )
    return logs, seen


def read_scores(log: EvalLog) -> dict[str, float]:
    """Return all metrics of a log."""
    assert log.status == "success", log.error
    assert log.results is not None
    (scored,) = log.results.scores
    return {name: metric.value for name, metric in scored.metrics.items()}
