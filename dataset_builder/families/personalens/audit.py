"""A dataset of users as an audit reads it: its questions, its records, its official layout."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from personamem.dataset_builder.core.findings import Check, Finding, Section, Violations
from personamem.dataset_builder.core.items import Item
from personamem.dataset_builder.families.facts import FACTS, FILES, check_facts, check_files
from personamem.dataset_builder.families.personalens.checks import judge, summarise_checks
from personamem.dataset_builder.families.personalens.official_layout import ROOT
from personamem.dataset_builder.families.personalens.record import summarise
from personamem.dataset_builder.families.subject import CheckedContext, OwnSubject
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.manifest import MANIFEST, Manifest, read_manifest
from personamem.loaders.formats.schema import LETTERS, Question
from personamem.loaders.formats.sources import find_files, parse_source
from personamem.loaders.personalens.benchmark import PersonaLens
from personamem.loaders.personalens.official import read_official
from personamem.loaders.personalens.ours import list_tables, read_ours
from personamem.loaders.personalens.schema import FAMILY, SPLIT, LensQuestion
from personamem.loaders.personalens.statistics import measure_statistics

LAYOUT = Check(
    Section.STRUCTURE, "official layout", "Records that differ between the tables and the JSON."
)
SAME = ("profiles", "tasks", "scenarios", "preference_types")
"""What both hold; quads are in the tables alone."""


@dataclass(frozen=True)
class UsersSubject(OwnSubject):
    """The users, scenarios and quads of a dataset."""

    data: PersonaLens
    manifest: Manifest
    violations: Violations

    @property
    def part(self) -> str:
        """The one split."""
        return SPLIT

    @property
    def num_questions(self) -> int:
        """The questions of all quads."""
        return len(self.data.quads)

    @property
    def num_contexts(self) -> int:
        """Nothing is read one by one."""
        return 0

    @property
    def items(self) -> tuple[Item, ...]:
        """The questions; those of a task were drawn together."""
        return tuple(
            Item(
                question_id=each.question_id,
                question_type=each.kind,
                question=each.request,
                options=each.options,
                gold=each.answer_index,
                group=each.task_id,
                quad=each.quad_id,
                persona=number_user(each.user_id),
                level=f"depth {each.depth}",
            )
            for each in self.data.quads
        )

    @property
    def columns(self) -> Sequence[Question]:
        """The columns of the questions, under the names of a question of any family."""
        return [make_question(each) for each in self.data.quads]

    def judge(self, contexts: Sequence[CheckedContext], parts: int) -> list[Finding]:
        """Return the findings on files, records and the manifest."""
        violations = Violations()
        violations.merge(self.violations)
        statistics = measure_statistics(self.data)
        found = summarise(self.data) | {"checks": {SPLIT: summarise_checks(self.data, statistics)}}
        record = self.manifest.families[FAMILY].model_dump()
        check_facts(record, found, f"families.{FAMILY}", violations)
        return [
            *violations.as_findings((FILES, FACTS, LAYOUT)),
            *judge(self.data, statistics),
        ]


def read_users(source: str | Path) -> UsersSubject:
    """Read the users of ``source`` and hold them against its official layout, where that is here.

    Raises:
        DatasetError: the source has no users, or a table cannot be read.
    """
    parsed = parse_source(source)
    folder = find_files(parsed, [MANIFEST, *list_tables()])
    manifest = read_manifest(folder / MANIFEST)
    violations = Violations()
    check_files(manifest, folder, list_tables(), True, violations)
    data = read_ours(parsed, folder, check=False)
    if parsed.folder is not None:
        _check_layout(data, folder / ROOT, violations)
    return UsersSubject(data, manifest, violations)


def number_user(user_id: str) -> int:
    """Return the number of a user of ours."""
    return int(user_id.removeprefix("user"))


def make_question(question: LensQuestion) -> Question:
    """Return a question under the names that all multiple-choice questions share."""
    letter = LETTERS[question.answer_index]
    return Question(
        persona_id=number_user(question.user_id),
        question_id=question.question_id,
        question_type=question.kind,
        topic=question.domains[0],
        context_length_in_tokens=None,
        context_length_in_letters=0,
        distance_to_ref_in_blocks=None,
        distance_to_ref_in_tokens=None,
        num_irrelevant_tokens=None,
        distance_to_ref_proportion_in_context="",
        user_question_or_message=question.request,
        correct_answer=f"({letter})",
        all_options="",
        shared_context_id=question.user_id,
        end_index_in_shared_context=0,
        options=question.options,
        answer_index=question.answer_index,
    )


def _check_layout(data: PersonaLens, folder: Path, violations: Violations) -> None:
    try:
        other = read_official(str(folder), folder)
    except DatasetError as error:
        violations.add(LAYOUT, str(error))
        return
    for name in SAME:
        if getattr(other, name) != getattr(data, name):
            violations.add(LAYOUT, name)
