"""What an evaluation left behind: a system's scores at a noise level, a retriever's scores."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from personamem.dataset_builder.families.memory_report import ServedRun
from personamem.loaders.personabench.radar import RunScores
from personamem.loaders.personabench.retrieval import RetrievalScores


@dataclass(frozen=True, slots=True)
class System:
    """What was evaluated: a model with the documents that it was shown, of one dataset.

    ``condition`` is ``full``, ``oracle``, ``rag``, ``memory`` or ``nocontext``; ``retrieval`` tells
    the retriever and k of ``rag`` ("bm25, k = 5"), the system and budget of ``memory`` ("bm25 at
    2000"), and is empty otherwise.
    """

    model: str
    condition: str
    retrieval: str
    dataset: str

    @property
    def sees_gold(self) -> bool:
        """Whether the sessions that hold the answers are picked for it."""
        return self.condition == "oracle"


@dataclass(frozen=True, slots=True)
class Run:
    """A system's scores at one noise level.

    ``words`` and ``items`` hold ``overall`` and the groups that were asked, over words and over
    whole items (of which precision and recall are known). ``of`` is how many questions there are;
    ``questions`` of them were asked. ``date`` is in seconds since 1970. ``served`` has the answers,
    where a memory served them and they were logged.
    """

    system: System
    noise: float
    questions: int
    of: int
    words: RunScores
    items: RunScores
    unparsable: float
    date: float
    path: Path
    served: ServedRun | None = None


@dataclass(frozen=True, slots=True)
class RetrievalRun:
    """What ``personamem retrieve`` measured: recall and NDCG by group, by noise level."""

    source: str
    retriever: str
    k: int
    chunks: str
    scores: Mapping[float, Mapping[str, RetrievalScores]]

    @property
    def label(self) -> str:
        """Return what to call it in a table."""
        return f"{self.retriever}, k = {self.k}, {self.chunks} chunks"


@dataclass(frozen=True, slots=True)
class Results:
    """All that was found; runs by system, then by noise level, lowest first."""

    systems: Mapping[System, Mapping[float, Run]]
    retrievals: Sequence[RetrievalRun]


def label_systems(systems: Sequence[System]) -> dict[System, str]:
    """Return a short name for each system, as long as it takes to tell them apart."""
    ways: Sequence[Callable[[System], tuple[str, str]]] = (
        lambda system: (Path(system.model).name, ""),
        lambda system: (Path(system.model).name, Path(system.dataset).name),
        lambda system: (system.model, system.dataset),
    )
    for name in ways:
        labels = {system: _join(system, *name(system)) for system in systems}
        if len(set(labels.values())) == len(labels):
            break
    return labels


def _join(system: System, model: str, dataset: str) -> str:
    shown = f"{system.condition} ({system.retrieval})" if system.retrieval else system.condition
    return ", ".join(part for part in (model, shown, dataset) if part)
