"""What is installed, against what the metadata of a package requires."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PACKAGE = "personamem"
EXTRAS = {
    "hf": "models that run in this process: hf, hf-shared",
    "vllm": "models in vLLM: vllm, vllm-shared",
    "api": "models behind an API",
    "rag": "retrievers and the memories bm25 and minilm",
    "ray": "builds on several machines",
    "inspect": "tasks of inspect-ai, and dialogues",
}
"""The extras that users choose, and what each is for."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A requirement that is not met: ``found`` is the version that is there, or None."""

    requirement: str
    found: str | None

    def __str__(self) -> str:
        """Return the fault in a few words."""
        return f"{self.requirement} ({self.found or 'missing'})"


def find_faults(package: str, extra: str = "") -> list[Fault]:
    """Return what ``package`` requires, always or for one extra, and is not there as required.

    Extras of requirements are followed. Raises PackageNotFoundError if the package is not there.
    """
    return list(_find_faults(package, extra, set()))


def _find_faults(package: str, extra: str, seen: set[tuple[str, str]]) -> Iterator[Fault]:
    key = (canonicalize_name(package), extra)
    if key in seen:
        return
    seen.add(key)
    for line in distribution(package).requires or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if extra:
            if marker is None or marker.evaluate({"extra": ""}):
                continue
            if not marker.evaluate({"extra": extra}):
                continue
        elif marker is not None and not marker.evaluate({"extra": ""}):
            continue
        named = f"{requirement.name}{requirement.specifier}"
        try:
            found = distribution(requirement.name).version
        except PackageNotFoundError:
            yield Fault(named, None)
            continue
        if not requirement.specifier.contains(found, prereleases=True):
            yield Fault(named, found)
        for more in sorted(requirement.extras):
            yield from _find_faults(requirement.name, more, seen)
