"""Hands prompts to vLLM in a given order and returns each result as soon as it is there."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from vllm import LLM, RequestOutput, SamplingParams, TokensPrompt

from personamem.tasks.models.prefix_order import deal_in_stretches
from personamem.tasks.models.vllm_compat import EngineQueue

TOKENS_AHEAD = 2**24
"""Tokens of prompts that an engine is given at a time, unless a single prompt has more."""


@dataclass(frozen=True, slots=True)
class Job:
    """A prompt for the engine, and whose result it is: any object that the caller knows."""

    owner: Any
    tokens: list[int]
    params: SamplingParams


def run_in_engine(
    llm: LLM, jobs: Iterable[Job], at_most: int, lora_request: Any = None
) -> Iterator[tuple[Job, RequestOutput]]:
    """Yield finished jobs; ``jobs`` is read only ``at_most`` jobs ahead of the engine.

    What has been given to the engine is taken back when the caller stops early.
    """
    queue = EngineQueue(llm)
    running: dict[str, Job] = {}
    tokens = 0
    waiting = iter(jobs)
    job = next(waiting, None)
    try:
        while job is not None or running:
            while job is not None and (
                not running or (len(running) < at_most and tokens + len(job.tokens) <= TOKENS_AHEAD)
            ):
                prompt = TokensPrompt(prompt_token_ids=job.tokens)
                running[queue.add(prompt, job.params, lora_request)] = job
                tokens += len(job.tokens)
                job = next(waiting, None)
            for output in queue.step():
                finished = running.pop(output.request_id)
                tokens -= len(finished.tokens)
                yield finished, output
    finally:
        queue.abort()


def run_on_replicas(
    generate: Callable[..., list[RequestOutput]], jobs: Iterable[Job], replicas: int
) -> Iterator[tuple[Job, RequestOutput]]:
    """Yield the jobs that lm-eval's data parallelism has run, each replica a stretch of them.

    ``generate`` is called once: every call loads the model on every replica.
    """
    listed = list(jobs)
    if not listed:
        return
    dealt = [listed[index] for index in deal_in_stretches(range(len(listed)), replicas)]
    outputs = generate(
        requests=[job.tokens for job in dealt],
        generate=True,
        sampling_params=[job.params for job in dealt],
    )
    yield from zip(dealt, outputs, strict=True)
