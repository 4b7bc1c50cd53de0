"""What a family of benchmarks is: the interface behind which every command finds it.

A family is a folder below ``families`` with a class that implements ``Family``, and one line in
``registry``. Everything else loops over the registry: the configuration has a section for each
family, ``build`` options for its settings, the manifest and the card a part, ``audit`` its parts,
``show`` and ``info`` its splits.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from rich.console import RenderableType

from personamem.cards.family import FamilyCard, Picture
from personamem.dataset_builder.core.config import BuildConfig, FamilySettings
from personamem.dataset_builder.core.parallel import Pool
from personamem.dataset_builder.families.evaluations import Evaluation
from personamem.dataset_builder.families.samples import Sample, SampleFile
from personamem.dataset_builder.families.subject import AuditSubject
from personamem.dataset_builder.llm.writing.rounds import Conclusion, GenerationItem
from personamem.dataset_builder.reports.results import ResultsReport
from personamem.dataset_builder.reports.site.records import SiteSplit
from personamem.loaders.formats.manifest import FamilyRecord, Manifest

SplitCounts = Mapping[str, Mapping[str, Any]]
"""Figures of splits as plain values that JSON has, by the names of the splits."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a build is: finished units of a split (contexts), and their o200k_base tokens."""

    split: str
    done: int
    total: int
    tokens: int


@dataclass(frozen=True, slots=True)
class BuildJob:
    """One build of a family: where it writes, who works, and what a model has written for it.

    ``texts`` is what ``WritingPlan.collect`` of the same family returned; None without a model.
    """

    config: BuildConfig
    folder: Path
    pool: Pool
    texts: Any = None
    report: Callable[[Progress], None] = lambda progress: None


@dataclass(frozen=True, slots=True)
class HubTask:
    """A task of a dataset's ``eval.yaml``: a config with a row a sample, and columns of it.

    ``input`` holds messages, ``target`` the right answer, ``metadata`` what goes with a sample;
    ``pattern`` is the regular expression that finds the answer in a reply.
    """

    id: str
    config: str
    split: str
    input: str
    target: str
    metadata: Sequence[str]
    pattern: str


@dataclass(frozen=True, slots=True)
class BuiltFamily:
    """What a family wrote: ``summary`` and ``checks`` go into the manifest, ``rows`` count a file.

    ``summary["splits"]`` maps each split to its counts. ``hub_tasks`` are what the Hub's harness
    runs.
    """

    summary: Mapping[str, Any]
    rows: Mapping[str, int]
    checks: Mapping[str, Any]
    hub_tasks: Sequence[HubTask] = ()


@dataclass(frozen=True, slots=True)
class WritingPlan:
    """What a model is to write for a family, and how the outcome becomes its texts.

    ``collect`` takes one conclusion an item, in their order, and returns the texts (picklable)
    together with the conclusions, in which more items may have fallen back.
    """

    items: Sequence[GenerationItem] = ()
    collect: Callable[[Sequence[Conclusion]], tuple[Any, Sequence[Conclusion]]] = field(
        default=lambda found: (None, found)
    )


class Family(ABC):
    """One family of benchmarks. Implementations import what they need when it is needed."""

    name: ClassVar[str]
    """The name in configurations, manifests and the registry: one lower-case word."""

    title: ClassVar[str]
    """The name as it is written in reports."""

    is_default: ClassVar[bool] = True
    """Whether it is built where nobody names families; a large one waits to be asked for."""

    commands: ClassVar[Mapping[str, str]] = {}
    """Commands of its own: name to "module:function", beside those that loop over all families."""

    @property
    @abstractmethod
    def settings(self) -> type[FamilySettings]:
        """The model of its section in a build configuration."""

    @abstractmethod
    def start_build(self, job: BuildJob) -> Callable[[], BuiltFamily]:
        """Start to build in the background; the returned function writes the files and returns.

        Raises GateError when a check of what was built fails.
        """

    def plan_writing(self, config: BuildConfig) -> WritingPlan:
        """Return what a model is to write. By default nothing."""
        return WritingPlan()

    def hash_prompts(self) -> str | None:
        """Return the sha256 of its prompts in hex, the version of what a model is told."""
        return None

    def describe_build(self, record: FamilyRecord) -> list[str]:
        """Return what ``build`` prints of what it built: by default the counts of each split."""
        return [
            f"{self.name} {split}: "
            + ", ".join(
                f"{value:,} {key.replace('_', ' ')}"
                for key, value in counts.items()
                if isinstance(value, int)
            )
            for split, counts in record.splits.items()
        ]

    @abstractmethod
    def import_builder(self) -> None:
        """Import what a build needs, ahead of the processes that build."""

    @abstractmethod
    def list_parts(self, source: str | Path) -> list[str]:
        """Return the parts of ``source`` that an audit looks at; empty if it has none of these."""

    @abstractmethod
    def list_files(self, part: str) -> list[str]:
        """Return the names of the files that one part of a dataset of ours consists of."""

    @abstractmethod
    def open_part(self, source: str | Path, part: str) -> AuditSubject:
        """Return one part of ``source`` for an audit. Raises DatasetError."""

    @abstractmethod
    def describe_card(self, manifest: Manifest, repo_id: str | None) -> FamilyCard:
        """Return what the card says about its part; ``repo_id`` is the Hub id once published."""

    def draw_pictures(self, record: FamilyRecord) -> tuple[Picture, ...]:
        """Return the pictures of its card, drawn from ``record`` and nothing else. By default none.

        A build writes them, an audit draws them again.
        """
        return ()

    @abstractmethod
    def list_splits(self, source: str | Path) -> list[str]:
        """Return the names of the splits of ``source``; empty if it has none of this family.

        Raises DatasetNotFoundError when there is no such source, DatasetError when it is broken.
        """

    @abstractmethod
    def count_splits(self, source: str | Path, splits: Sequence[str]) -> SplitCounts:
        """Return what ``info`` says of ``splits``, by split. Reads and checks each of them."""

    @abstractmethod
    def make_info(self, source: str | Path, counts: SplitCounts) -> list[RenderableType]:
        """Return the tables that ``info`` prints about counts of ``count_splits``."""

    def make_report(
        self, evaluations: Sequence[Evaluation], baseline: Sequence[Evaluation]
    ) -> ResultsReport | None:
        """Return the report on results of its tasks; None, as by default, if there are none.

        Runs are compared with ``baseline``, where that has results of the same tasks. Raises
        DatasetError for results that are damaged.
        """
        return None

    def open_site(
        self, source: str | Path, split: str, answers: Sequence[SampleFile]
    ) -> Sequence[SiteSplit]:
        """Return what a site shows of the splits of ``source``; nothing by default.

        ``split`` chooses one split, an empty text all. Of ``answers``, those to questions of other
        splits are left out. Raises DatasetError, and InvalidInputError for samples of which only
        some belong to a split.
        """
        return ()

    @abstractmethod
    def show_question(
        self, source: str, split: str, question: str, full: bool, answers: Mapping[str, Sample]
    ) -> None:
        """Print one question with what proves its answer, or all ``answers`` (by question id).

        ``question`` is an id, a number from 0, or "" for the first; with answers and without a
        question, the answers are listed. ``full`` prints all that the question sees.
        """
