"""PersonaBench as a family; see ``families.base``."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from rich.console import RenderableType

from personamem.cards.family import FamilyCard, Picture
from personamem.dataset_builder.core.config import BuildConfig, FamilySettings
from personamem.dataset_builder.families.base import (
    BuildJob,
    BuiltFamily,
    Family,
    SplitCounts,
    WritingPlan,
)
from personamem.dataset_builder.families.evaluations import Evaluation
from personamem.dataset_builder.families.personabench.record import PersonaBenchRecord
from personamem.dataset_builder.families.samples import Sample, SampleFile
from personamem.dataset_builder.families.subject import AuditSubject
from personamem.dataset_builder.reports.results import ResultsReport
from personamem.dataset_builder.reports.site.records import SiteSplit
from personamem.loaders.formats.manifest import FamilyRecord, Manifest
from personamem.loaders.formats.sources import find_manifest
from personamem.loaders.personabench.schema import FAMILY as NAME
from personamem.loaders.personabench.schema import NOISE_SPLITS


class PersonaBenchFamily(Family):
    """Open questions over private documents of people who know each other."""

    name = NAME
    title = "PersonaBench"
    commands: ClassVar[Mapping[str, str]] = {
        "retrieve": "personamem.dataset_builder.families.personabench.retrieve:retrieve",
    }

    @property
    def settings(self) -> type[FamilySettings]:
        """The number of communities."""
        from personamem.dataset_builder.families.personabench.config import PersonaBenchSettings

        return PersonaBenchSettings

    def start_build(self, job: BuildJob) -> Callable[[], BuiltFamily]:
        """Start to build communities, documents and open questions."""
        from personamem.dataset_builder.families.personabench.build import start_build

        return start_build(job)

    def plan_writing(self, config: BuildConfig) -> WritingPlan:
        """Return the documents that a model is to write."""
        from personamem.dataset_builder.families.personabench.texts import plan_writing

        return plan_writing(config)

    def hash_prompts(self) -> str:
        """Return the version of the prompts for documents."""
        from personamem.dataset_builder.families.personabench.writers.prompts import PROMPTS

        return PROMPTS.sha256

    def describe_build(self, record: FamilyRecord) -> list[str]:
        """Return the questions and documents of each level of noise."""
        counts = PersonaBenchRecord.model_validate(record.model_dump())
        return [
            f"{self.name} {split}: {counts.questions:,} questions over {level.sessions:,} "
            f"documents of {counts.test_users:,} people"
            for split, level in counts.splits.items()
        ]

    def import_builder(self) -> None:
        """Import the modules of a build."""
        from personamem.dataset_builder.families.personabench import build  # noqa: F401

    def list_parts(self, source: str | Path) -> list[str]:
        """Return one part for all noise levels."""
        from personamem.dataset_builder.families.personabench.audit.source import PART

        return [PART] if self.list_splits(source) else []

    def list_files(self, part: str) -> list[str]:
        """Return the communities, and the tables of all noise levels."""
        from personamem.dataset_builder.families.personabench.files import list_files

        return list_files()

    def open_part(self, source: str | Path, part: str) -> AuditSubject:
        """Return the open questions for an audit."""
        from personamem.dataset_builder.families.personabench.audit.source import read_communities

        return read_communities(source)

    def describe_card(self, manifest: Manifest, repo_id: str | None) -> FamilyCard:
        """Return counts by noise level and category, and how to load and evaluate."""
        from personamem.dataset_builder.families.personabench.card import describe_card

        return describe_card(manifest, repo_id)

    def draw_pictures(self, record: FamilyRecord) -> tuple[Picture, ...]:
        """Return plots of the counts in ``record``."""
        from personamem.dataset_builder.families.personabench.pictures import draw_pictures

        return draw_pictures(PersonaBenchRecord.model_validate(record.model_dump()))

    def list_splits(self, source: str | Path) -> list[str]:
        """Return the noise levels of a dataset of ours, lowest first."""
        manifest = find_manifest(source)
        splits = manifest.splits_of(NAME) if manifest else ()
        return [split for split in NOISE_SPLITS if split in splits]

    def count_splits(self, source: str | Path, splits: Sequence[str]) -> SplitCounts:
        """Count the documents and questions of each noise level."""
        from personamem.dataset_builder.families.personabench.show import count_splits

        return count_splits(source, splits)

    def make_info(self, source: str | Path, counts: SplitCounts) -> list[RenderableType]:
        """Return a table of the noise levels."""
        from personamem.dataset_builder.families.personabench.show import make_info

        return make_info(source, counts)

    def make_report(
        self, evaluations: Sequence[Evaluation], baseline: Sequence[Evaluation]
    ) -> ResultsReport | None:
        """Return recall and F1 by category and noise level, and the radar."""
        from personamem.dataset_builder.families.personabench.results.report import make_report

        return make_report(evaluations)

    def open_site(
        self, source: str | Path, split: str, answers: Sequence[SampleFile]
    ) -> Sequence[SiteSplit]:
        """Return archives of documents, with open questions."""
        from personamem.dataset_builder.families.personabench.site import open_splits

        return list(open_splits(source, split, answers))

    def show_question(
        self, source: str, split: str, question: str, full: bool, answers: Mapping[str, Sample]
    ) -> None:
        """Print an open question with the documents that tell its answer."""
        from personamem.dataset_builder.families.personabench.show import show_question

        show_question(source, split, question, full, answers)


FAMILY = PersonaBenchFamily()
