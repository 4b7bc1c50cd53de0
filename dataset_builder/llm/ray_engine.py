"""vLLM engines on a Ray cluster that answer requests, as a pipeline of Ray Data.

A pipeline answers all requests that are known when it starts. The requests that follow from their
answers go through another pipeline, which loads the model again.
"""

import json
import math
import os
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from personamem.dataset_builder.core.ray_cluster import LOCAL, check_address, open_cluster
from personamem.dataset_builder.llm import (
    FREE,
    Answer,
    AnswerStore,
    Failure,
    FailureKind,
    Follow,
    Outcome,
    Prices,
    Progress,
    Request,
    RunSummary,
    ServerError,
    fill_in_batches,
)
from personamem.loaders.formats.errors import InvalidInputError

BATCH = 16
"""Requests per batch. A kill loses the batches under way."""

BATCHES_AT_A_TIME = 16
"""Batches under way, enough to keep an engine busy."""

LIGHT = {"num_cpus": 0.1}
"""Resources of each other stage, so small that all fit on a cluster of two processors."""

SPLITS = ("tensor_parallel_size", "pipeline_parallel_size")
"""Arguments of the engine that split a model over devices."""

TOO_LONG = ("context length", "maximum model length")
"""Words in the engine's error for a prompt that is too long for the model."""

_ERROR_LINE = re.compile(r"[\w.]+(Error|Exception)\b")

ERROR = "__inference_error__"
"""The column of Ray that holds the error of a failed request."""


@dataclass(frozen=True, slots=True)
class RayEngine:
    """Engines and the cluster that they run on; see ``RayWorkers`` for addresses.

    Args:
        address: of the cluster.
        replicas: the number of engines, each with the whole model.
        arguments: of vLLM's engine, like tensor_parallel_size and max_model_len.

    Raises:
        InvalidInputError: an invalid address or number.
    """

    address: str = LOCAL
    replicas: int = 1
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        check_address(self.address)
        if self.replicas < 1:
            raise InvalidInputError(f"replicas is {self.replicas}. Accepted: above 0.")
        for name in SPLITS:
            value = self.arguments.get(name, 1)
            if type(value) is not int or value < 1:
                raise InvalidInputError(f"{name} is {value!r}. Accepted: a number above 0.")

    def fill(
        self,
        requests: Iterable[Request],
        store: AnswerStore,
        *,
        prices: Prices = FREE,
        budget: float | None = None,
        report: Callable[[Progress], None] = lambda progress: None,
        follow: Follow = lambda request, outcome: None,
    ) -> RunSummary:
        """Fill a store with outcomes, each stored when its batch is done; see ``Fill``.

        Raises:
            InvalidInputError: Ray or vLLM is missing, the cluster cannot be reached or is too
                small, or there is a budget, because local generation has no price.
            ServerError: the engine does not start, or answers nothing.
            StoreError: an answer cannot be stored, or another run uses the store.
        """
        if budget is not None:
            raise InvalidInputError("An engine takes no budget: local generation has no price.")
        with ExitStack() as stack:
            ray: Any = None

            def answer(due: Sequence[Request]) -> Generator[tuple[Request, Outcome]]:
                nonlocal ray
                if ray is None:
                    ray = self._open(stack)
                return self._answer(ray, due)

            return fill_in_batches(requests, store, answer, report=report, follow=follow)

    def _open(self, stack: ExitStack) -> Any:
        """Return ``ray``, connected to a cluster with room for the engines."""
        if self.address == LOCAL and find_spec("vllm") is None:
            raise InvalidInputError(
                "An engine on this machine needs vLLM: pip install 'personamem[vllm,ray]'."
            )
        # One processor per engine, and one for the other stages.
        processors = max(os.cpu_count() or 1, self.replicas * self._devices + 1)
        ray = stack.enter_context(open_cluster(self.address, processors))
        resources = ray.cluster_resources()
        kind = "GPU" if resources.get("GPU") else "CPU"
        needed, there = self.replicas * self._devices, int(resources.get(kind, 0))
        if needed > there:
            raise InvalidInputError(
                f"{self.replicas} engines of {self._devices} {kind} each do not fit on the Ray "
                f"cluster {self.address!r}, which has {there}. Accepted: fewer --replicas, or a "
                "smaller tensor_parallel_size or pipeline_parallel_size."
            )
        return ray

    @property
    def _devices(self) -> int:
        """The number of devices of one engine."""
        return math.prod(self.arguments.get(name, 1) for name in SPLITS)

    def _answer(self, ray: Any, due: Sequence[Request]) -> Generator[tuple[Request, Outcome]]:
        by_key = {request.key: request for request in due}
        models = sorted({request.model for request in due})
        if len(models) > 1:
            raise InvalidInputError(f"Requests to {', '.join(models)}. Accepted: to one model.")
        rows = [make_row(request) for request in due]
        try:
            pipeline = self._build_pipeline(ray, models[0])
            blocks = math.ceil(len(rows) / BATCH)
            dataset = pipeline(ray.data.from_items(rows, override_num_blocks=blocks))
            dataset.context.enable_progress_bars = False
            for row in dataset.iter_rows():
                request = by_key[row["key"]]
                yield request, _read_outcome(row, request)
        except ray.exceptions.RayError as error:
            raise ServerError(
                f"vLLM does not run on the Ray cluster {self.address!r}: {_find_reason(error)}"
            ) from error

    def _build_pipeline(self, ray: Any, model: str) -> Any:
        from ray.data.llm import build_processor, vLLMEngineProcessorConfig

        on_processors = not ray.cluster_resources().get("GPU")
        config = vLLMEngineProcessorConfig(
            model_source=model,
            engine_kwargs=dict(self.arguments),
            batch_size=BATCH,
            max_concurrent_batches=BATCHES_AT_A_TIME,
            concurrency=(self.replicas, self.replicas),
            # Without it, the engine requests one GPU per device.
            placement_group_config=(
                {"bundles": [{"CPU": 1}] * self._devices} if on_processors else None
            ),
            should_continue_on_error=True,
            # They need a port that is set up when the cluster starts.
            log_engine_metrics=False,
            chat_template_stage={"enabled": True, **LIGHT},
            # The engine does both itself.
            tokenize_stage=False,
            detokenize_stage=False,
        )
        return build_processor(
            config,
            preprocess=prepare,
            postprocess=report_row,
            preprocess_map_kwargs=LIGHT,
            postprocess_map_kwargs=LIGHT,
        )


def make_row(request: Request) -> dict[str, str]:
    """Return a request as a row of text: nested values would share columns with other requests.

    The fields of a schema keep their order, in which the model writes them.
    """
    sampling = dict(request.parameters)
    if "max_completion_tokens" in sampling:
        sampling["max_tokens"] = sampling.pop("max_completion_tokens")
    if request.schema is not None:
        sampling["structured_outputs"] = {"json": json.dumps(request.schema)}
    texts = {"messages": list(request.messages), "sampling_params": sampling}
    return {"key": request.key, **{name: json.dumps(value) for name, value in texts.items()}}


def prepare(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the input of vLLM for a row."""
    return {name: json.loads(row[name]) for name in ("messages", "sampling_params")}


def report_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of vLLM's output that are read."""
    names = ("key", "generated_text", "num_input_tokens", "num_generated_tokens")
    return {name: row[name] for name in names}


def _read_outcome(row: Mapping[str, Any], request: Request) -> Outcome:
    error = row.get(ERROR)
    if error:
        is_long = any(words in error.lower() for words in TOO_LONG)
        return Failure(FailureKind.REFUSED if is_long else FailureKind.UNANSWERED, error)
    written, most = row["num_generated_tokens"], request.max_tokens
    return Answer(
        text=row["generated_text"],
        # Ray does not pass on why the engine stopped.
        finish_reason="length" if most is not None and written >= most else "stop",
        model=request.model,
        prompt_tokens=row["num_input_tokens"],
        completion_tokens=written,
        cached_tokens=None,
    )


def _find_reason(error: BaseException) -> str:
    """Return the last error in Ray's report that is not Ray's own, which is the cause."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    named = [number for number, line in enumerate(lines) if _ERROR_LINE.match(line)]
    named = [number for number in named if not lines[number].startswith("ray.")] or named
    if not named:
        return lines[-1] if lines else type(error).__name__
    # Validators name the problem in the line below.
    return " ".join(lines[named[-1] : named[-1] + 2])
