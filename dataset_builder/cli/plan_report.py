"""``personamem eval --plan``: load the tasks' questions, plan, print. No model is loaded."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from rich.table import Table

from personamem.dataset_builder.cli.eval_arguments import Evaluation
from personamem.dataset_builder.cli.plan import (
    PlannedQuestion,
    TaskPlan,
    add_plans,
    cost_of,
    plan_task,
    read_cache_bytes,
    select_numbers,
)
from personamem.dataset_builder.core.console import output
from personamem.dataset_builder.llm.cost import Prices
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.tokens import count_tokens
from personamem.loaders.formats.whole_files import prepare_file, write_json
from personamem.tasks.registry import TASKS_FOLDER, list_task_families

# Many questions see the same sessions.
_count = lru_cache(maxsize=20_000)(count_tokens)

ONE_PASS_MODELS = ("hf", "hf-auto", "huggingface", "hf-shared", "vllm-shared")
"""Models that rank four letters by one reading of the prompt; others take one for each letter."""


def print_plan(evaluation: Evaluation) -> None:
    """Print what an evaluation will read, need and cost.

    Raises:
        InvalidInputError: a task that is not personamem's.
    """
    prepare_file(evaluation.json_file)
    plans = plan_evaluation(evaluation)
    total = add_plans(plans)
    if evaluation.json_file:
        write_json(evaluation.json_file, describe_plans(plans, total, evaluation))
    rows = plans if len(plans) == 1 else [*plans, total]
    out = output()
    table = Table("task")
    columns = ["contexts", "questions", "prefill naive", "shared", "ratio", "reply at most"]
    for column in columns:
        table.add_column(column, justify="right")
    for plan in rows:
        ratio = plan.naive_tokens / plan.shared_tokens if plan.shared_tokens else 0.0
        numbers = (plan.contexts, plan.questions, plan.naive_tokens, plan.shared_tokens)
        cells = [f"{number:,}" for number in numbers]
        table.add_row(plan.task, *cells, f"{ratio:.1f}", f"{plan.reply_tokens:,}")
    out.print(table)
    out.print(
        "Tokens are o200k_base tokens of message contents. Naive: every prompt is read whole"
        + (", once for each letter" if any(plan.passes > 1 for plan in plans) else "")
        + ". Shared: every context once, and every question's own turn."
    )
    _print_memory(evaluation, total)
    if evaluation.prices:
        _print_cost(total, evaluation.prices)


def describe_plans(
    plans: Sequence[TaskPlan], total: TaskPlan, evaluation: Evaluation
) -> dict[str, Any]:
    """Return what ``print_plan`` prints as plain values; costs only where prices are given."""
    described: dict[str, Any] = {
        "tasks": [asdict(plan) for plan in plans],
        "total": asdict(total),
        "cache_bytes_per_token": read_cache_bytes(evaluation.config.model_args),
    }
    if evaluation.prices:
        naive, shared = cost_of(total, evaluation.prices)
        described["cost"] = {"naive": naive, "shared": shared}
    return described


def plan_evaluation(evaluation: Evaluation) -> list[TaskPlan]:
    """Return the plan of every task, in order, groups resolved."""
    from lm_eval.tasks import TaskManager

    prefixes = tuple(family.name for family in list_task_families())
    for task in evaluation.tasks:
        if not task.startswith(prefixes):
            raise InvalidInputError(f"--plan knows the tasks of personamem only, not {task!r}.")
    manager = TaskManager(
        include_path=str(TASKS_FOLDER), include_defaults=False, metadata=evaluation.metadata
    )
    tasks = manager.load(list(evaluation.tasks))["tasks"]
    return [_plan(name, task, evaluation.config) for name, task in tasks.items()]


def _plan(name: str, task: Any, config: Any) -> TaskPlan:
    samples = (config.samples or {}).get(name) if config.samples else None
    numbers = select_numbers(len(task.eval_docs), config.limit, samples)
    generates = task.OUTPUT_TYPE == "generate_until"
    settings = {**(task.config.generation_kwargs or {}), **(config.gen_kwargs or {})}
    reply = int(settings.get("max_gen_toks", 256)) if generates else 0
    passes = 1 if generates or config.model in ONE_PASS_MODELS else 4
    planned = [_plan_question(task, task.eval_docs[number]) for number in numbers]
    return plan_task(name, planned, passes=passes, reply_tokens=reply)


def _plan_question(task: Any, doc: Mapping[str, Any]) -> PlannedQuestion:
    parts = task.split_prompt(doc)
    if parts.tokens is None:
        tokens, letters = sum(map(_count, parts.texts)), sum(map(len, parts.texts))
    else:
        tokens, letters = parts.tokens, task.bound_letters(doc)
    return PlannedQuestion(
        parts.context, parts.prefix, tokens, _count(parts.turn), letters + len(parts.turn)
    )


def _print_memory(evaluation: Evaluation, total: TaskPlan) -> None:
    from personamem.tasks.models.on_demand import WHOLE_CONTEXT_LETTERS

    out = output()
    per_token = read_cache_bytes(evaluation.config.model_args)
    if per_token is None:
        out.print(
            "Key-value cache: unknown, since --model_args pretrained=... names no folder with a "
            f"config.json. The longest prompt and reply have {total.longest_prompt:,} tokens."
        )
    else:
        out.print(
            f"Key-value cache: {total.longest_prompt:,} tokens (the longest prompt and reply) of "
            f"{per_token:,} bytes, {per_token * total.longest_prompt / 2**30:,.2f} GiB for each "
            "question at a time, weights apart."
        )
    present = min(total.letters, WHOLE_CONTEXT_LETTERS)
    out.print(
        f"Text of prompts: {total.letters / 1e6:,.2f} million letters, of which at most "
        f"{present / 1e6:,.2f} million are in memory at a time."
    )


def _print_cost(total: TaskPlan, prices: Prices) -> None:
    naive, shared = cost_of(total, prices)
    output().print(
        f"Cost at {prices.input:g} a million input tokens, {prices.cached:g} cached, "
        f"{prices.output:g} output: {naive:,.2f} without a cache, {shared:,.2f} if every shared "
        "token is found in it, with replies at their longest."
    )
