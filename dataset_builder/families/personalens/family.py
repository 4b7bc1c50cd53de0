"""PersonaLens as a family; see ``families.base``."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from rich.console import RenderableType

from personamem.cards.family import FamilyCard, Picture
from personamem.dataset_builder.core.config import FamilySettings
from personamem.dataset_builder.families.base import BuildJob, BuiltFamily, Family, SplitCounts
from personamem.dataset_builder.families.samples import Sample
from personamem.dataset_builder.families.subject import AuditSubject
from personamem.loaders.formats.manifest import FamilyRecord, Manifest
from personamem.loaders.formats.sources import find_manifest
from personamem.loaders.personalens.schema import FAMILY as NAME
from personamem.loaders.personalens.schema import SPLIT


class PersonaLensFamily(Family):
    """Users with preferences, tasks for an assistant, and questions about the right reply."""

    name = NAME
    title = "PersonaLens"
    is_default = False
    commands: ClassVar[Mapping[str, str]] = {
        "stats": "personamem.dataset_builder.families.personalens.stats_command:stats",
        "lens": "personamem.dataset_builder.families.personalens.lens_command:lens",
        "lens-report": (
            "personamem.dataset_builder.families.personalens.lens_report_command:lens_report"
        ),
    }

    @property
    def settings(self) -> type[FamilySettings]:
        """The number of users and quads."""
        from personamem.dataset_builder.families.personalens.config import PersonaLensSettings

        return PersonaLensSettings

    def start_build(self, job: BuildJob) -> Callable[[], BuiltFamily]:
        """Start to draw users and scenarios."""
        from personamem.dataset_builder.families.personalens.build import start_build

        return start_build(job)

    def import_builder(self) -> None:
        """Import the modules of a build."""
        from personamem.dataset_builder.families.personalens import build  # noqa: F401

    def list_parts(self, source: str | Path) -> list[str]:
        """Return the one split."""
        return self.list_splits(source)

    def list_files(self, part: str) -> list[str]:
        """Return the tables; the official layout beside is checked with the whole dataset."""
        from personamem.loaders.personalens.ours import list_tables

        return list_tables()

    def open_part(self, source: str | Path, part: str) -> AuditSubject:
        """Return users, scenarios and quads for an audit."""
        from personamem.dataset_builder.families.personalens.audit import read_users

        return read_users(source)

    def describe_card(self, manifest: Manifest, repo_id: str | None) -> FamilyCard:
        """Return counts of users, tasks and quads, and how to load and evaluate."""
        from personamem.dataset_builder.families.personalens.card import describe_card

        return describe_card(manifest, repo_id)

    def draw_pictures(self, record: FamilyRecord) -> tuple[Picture, ...]:
        """Return plots of the counts in ``record``."""
        from personamem.dataset_builder.families.personalens.pictures import draw_pictures
        from personamem.dataset_builder.families.personalens.record import PersonaLensRecord

        return draw_pictures(PersonaLensRecord.model_validate(record.model_dump()))

    def list_splits(self, source: str | Path) -> list[str]:
        """Return the one split, if a dataset of ours has users."""
        manifest = find_manifest(source)
        splits = manifest.splits_of(NAME) if manifest else ()
        return [split for split in (SPLIT,) if split in splits]

    def count_splits(self, source: str | Path, splits: Sequence[str]) -> SplitCounts:
        """Count users, tasks, scenarios and quads."""
        from personamem.dataset_builder.families.personalens.show import count_splits

        return count_splits(source, splits)

    def make_info(self, source: str | Path, counts: SplitCounts) -> list[RenderableType]:
        """Return a table of users, tasks, scenarios and quads."""
        from personamem.dataset_builder.families.personalens.show import make_info

        return make_info(counts)

    def show_question(
        self, source: str, split: str, question: str, full: bool, answers: Mapping[str, Sample]
    ) -> None:
        """Print a question of a quad with the preferences that decide it."""
        from personamem.dataset_builder.families.personalens.show import show_question

        show_question(source, split, question, full, answers)


FAMILY = PersonaLensFamily()
