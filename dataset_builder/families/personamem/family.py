"""PersonaMem as a family; see ``families.base``."""

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
from personamem.dataset_builder.families.personamem.record import PersonaMemRecord
from personamem.dataset_builder.families.samples import Sample, SampleFile
from personamem.dataset_builder.families.subject import AuditSubject
from personamem.dataset_builder.reports.results import ResultsReport
from personamem.dataset_builder.reports.site.records import SiteSplit
from personamem.loaders.formats.manifest import FamilyRecord, Manifest


class PersonaMemFamily(Family):
    """Four-option questions over long chats in which preferences change."""

    name = "personamem"
    title = "PersonaMem"
    commands: ClassVar[Mapping[str, str]] = {
        "content": "personamem.dataset_builder.families.personamem.lives.command:content",
        "export": "personamem.dataset_builder.families.personamem.export_command:export",
        "judge": "personamem.dataset_builder.families.personamem.judge_command:judge",
        "memory": "personamem.dataset_builder.families.personamem.memory.command:memory",
        "memory-check": (
            "personamem.dataset_builder.families.personamem.memory.command:memory_check"
        ),
    }

    @property
    def settings(self) -> type[FamilySettings]:
        """Sizes, personas, questions, topics."""
        from personamem.dataset_builder.families.personamem.config import PersonaMemSettings

        return PersonaMemSettings

    def start_build(self, job: BuildJob) -> Callable[[], BuiltFamily]:
        """Start to build contexts and questions."""
        from personamem.dataset_builder.families.personamem.build import start_build

        return start_build(job)

    def plan_writing(self, config: BuildConfig) -> WritingPlan:
        """Return the everyday chats that a model is to write."""
        from personamem.dataset_builder.families.personamem.texts import plan_writing

        return plan_writing(config)

    def hash_prompts(self) -> str:
        """Return the version of the prompts for chats."""
        from personamem.dataset_builder.families.personamem.writers.prompts import PROMPTS

        return PROMPTS.sha256

    def describe_build(self, record: FamilyRecord) -> list[str]:
        """Return the questions, contexts and tokens of each split."""
        splits = PersonaMemRecord.model_validate(record.model_dump()).splits
        return [
            f"{self.name} {split}: {counts.questions:,} questions over {counts.contexts:,} "
            f"contexts, {counts.tokens:,} tokens"
            for split, counts in splits.items()
        ]

    def import_builder(self) -> None:
        """Import the modules of a build."""
        from personamem.dataset_builder.families.personamem import build  # noqa: F401

    def list_parts(self, source: str | Path) -> list[str]:
        """Return the splits."""
        return self.list_splits(source)

    def list_files(self, part: str) -> list[str]:
        """Return the tables of a split, and their mirrors in the official formats."""
        from personamem.dataset_builder.families.personamem.tables import list_files

        return list_files(part)

    def open_part(self, source: str | Path, part: str) -> AuditSubject:
        """Return a split for an audit."""
        from personamem.dataset_builder.families.personamem.audit.sources import read_split
        from personamem.dataset_builder.families.personamem.audit.subject import SplitSubject

        return SplitSubject(read_split(source, part))

    def describe_card(self, manifest: Manifest, repo_id: str | None) -> FamilyCard:
        """Return counts by split, type, topic and letter, and how to load and evaluate."""
        from personamem.dataset_builder.families.personamem.card import describe_card

        return describe_card(manifest, repo_id)

    def draw_pictures(self, record: FamilyRecord) -> tuple[Picture, ...]:
        """Return plots of the counts in ``record``."""
        from personamem.dataset_builder.families.personamem.pictures import draw_pictures

        return draw_pictures(PersonaMemRecord.model_validate(record.model_dump()))

    def list_splits(self, source: str | Path) -> list[str]:
        """Return the splits of a dataset of ours or of an official release."""
        from personamem.loaders.personamem.files import find_splits

        return find_splits(source)

    def count_splits(self, source: str | Path, splits: Sequence[str]) -> SplitCounts:
        """Count the questions of each split by type, topic and letter."""
        from personamem.dataset_builder.families.personamem.show import count_splits

        return count_splits(source, splits)

    def make_info(self, source: str | Path, counts: SplitCounts) -> list[RenderableType]:
        """Return a table of the splits and one of their question types."""
        from personamem.dataset_builder.families.personamem.show import make_info

        return make_info(source, counts)

    def make_report(
        self, evaluations: Sequence[Evaluation], baseline: Sequence[Evaluation]
    ) -> ResultsReport | None:
        """Return accuracies with intervals, curves against the dials, and comparisons."""
        from personamem.dataset_builder.families.personamem.results.report import make_report

        return make_report(evaluations, baseline)

    def open_site(
        self, source: str | Path, split: str, answers: Sequence[SampleFile]
    ) -> Sequence[SiteSplit]:
        """Return contexts as chats, with questions and facts."""
        from personamem.dataset_builder.families.personamem.site.splits import open_splits

        return list(open_splits(source, split, answers))

    def show_question(
        self, source: str, split: str, question: str, full: bool, answers: Mapping[str, Sample]
    ) -> None:
        """Print a question with its evidence messages."""
        from personamem.dataset_builder.families.personamem.show import show_question

        show_question(source, split, question, full, answers)


FAMILY = PersonaMemFamily()
