"""What an evaluation will read, need and cost, worked out before anything runs."""

import json
import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from personamem.dataset_builder.llm.cost import Prices
from personamem.loaders.formats.errors import InvalidInputError

_BYTES = {"float32": 4, "float": 4, "float64": 8, "int8": 1, "float8_e4m3fn": 1}
_DEFAULT_BYTES = 2


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """One question: what its prompt begins with, in o200k_base tokens of message contents.

    Questions of one context and ``prefix`` begin alike, the shorter being beginnings of the longer.
    ``turn_tokens`` is the question's own last turn, ``letters`` the prompt's length in characters.
    """

    context: str
    prefix: Hashable
    prefix_tokens: int
    turn_tokens: int
    letters: int


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """One task's sums; ``naive_tokens`` reads every prompt whole, ``passes`` times a question."""

    task: str
    contexts: int
    questions: int
    passes: int
    naive_tokens: int
    shared_tokens: int
    reply_tokens: int
    longest_prompt: int
    letters: int


def plan_task(
    task: str, questions: Sequence[PlannedQuestion], *, passes: int = 1, reply_tokens: int = 0
) -> TaskPlan:
    """Sum up a task.

    Args:
        task: its name.
        questions: those that will be asked.
        passes: how often a model that shares nothing reads a question's prompt.
        reply_tokens: the most that a reply may have.
    """
    longest: dict[Hashable, int] = {}
    for question in questions:
        key = (question.context, question.prefix)
        longest[key] = max(longest.get(key, 0), question.prefix_tokens)
    prompts = [question.prefix_tokens + question.turn_tokens for question in questions]
    return TaskPlan(
        task=task,
        contexts=len({question.context for question in questions if question.prefix_tokens}),
        questions=len(questions),
        passes=passes,
        naive_tokens=passes * sum(prompts),
        shared_tokens=sum(longest.values()) + sum(q.turn_tokens for q in questions),
        reply_tokens=reply_tokens * len(questions),
        longest_prompt=max(prompts, default=0) + reply_tokens,
        letters=sum(question.letters for question in questions),
    )


def select_numbers(
    count: int, limit: float | None, samples: Sequence[int] | None = None
) -> list[int]:
    """Return the numbers of the documents that lm-eval takes of ``count``: the first, or a list."""
    if samples is not None:
        return [number for number in samples if number < count]
    if limit is None:
        return list(range(count))
    return list(range(min(count, math.ceil(count * limit) if limit < 1 else int(limit))))


def cost_of(plan: TaskPlan, prices: Prices) -> tuple[float, float]:
    """Return the cost without and with the provider's cache, replies at their longest."""
    output = plan.reply_tokens * prices.output
    cached = plan.naive_tokens - plan.shared_tokens
    shared = plan.shared_tokens * prices.input + cached * prices.cached
    return (plan.naive_tokens * prices.input + output) / 1e6, (shared + output) / 1e6


def add_plans(plans: Sequence[TaskPlan]) -> TaskPlan:
    """Return the total; the longest prompt is the longest of all."""
    sums: Counter[str] = Counter()
    names = ("contexts", "questions", "naive_tokens", "shared_tokens", "reply_tokens", "letters")
    for plan in plans:
        sums.update({name: getattr(plan, name) for name in names})
    longest = max((plan.longest_prompt for plan in plans), default=0)
    return TaskPlan(
        task="total", passes=0, longest_prompt=longest, **{name: sums[name] for name in names}
    )


def read_cache_bytes(model_args: Mapping[str, Any]) -> int | None:
    """Return the bytes of a key-value cache per token, or None where no local config.json tells.

    The sum over layers of key and value heads times their size, in the model's type. Sliding
    windows make it less.

    Raises:
        InvalidInputError: a config.json that is no JSON object.
    """
    folder = model_args.get("pretrained") or model_args.get("model")
    path = Path(str(folder)).expanduser() / "config.json" if folder else None
    if path is None or not path.is_file():
        return None
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InvalidInputError(f"{path} is not valid JSON: {error}.") from error
    if not isinstance(config, dict):
        raise InvalidInputError(f"{path} is not a JSON object.")
    # Models for text and images keep the text part by itself.
    return _cache_bytes({**config, **(config.get("text_config") or {})}, model_args.get("dtype"))


def _cache_bytes(config: Mapping[str, Any], chosen_type: object) -> int | None:
    layers, heads = config.get("num_hidden_layers"), config.get("num_attention_heads")
    if not layers or not heads:
        return None
    key_heads = config.get("num_key_value_heads") or heads
    size = config.get("head_dim") or config.get("hidden_size", 0) // heads
    written = config.get("dtype") or config.get("torch_dtype")
    name = str(written if chosen_type in (None, "auto") else chosen_type)
    width = _BYTES.get(name.removeprefix("torch."), _DEFAULT_BYTES)
    return int(layers * key_heads * size * 2 * width)
