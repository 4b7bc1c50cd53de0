"""One split of a PersonaMem dataset as an audit reads it: ours or an official release."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from personamem.dataset_builder.core.findings import Finding, Violations
from personamem.dataset_builder.core.items import Item, make_items
from personamem.dataset_builder.families.facts import FACTS, FILES, check_facts
from personamem.dataset_builder.families.personamem.audit.counts import (
    DISTANCES,
    END_INDEX,
    FORM_CHECKS,
    check_counts,
    count_context,
)
from personamem.dataset_builder.families.personamem.audit.lives import check_lives
from personamem.dataset_builder.families.personamem.audit.sources import SplitSource
from personamem.dataset_builder.families.personamem.audit.structure import (
    COLUMNS,
    GENERAL_CHECKS,
    LENGTHS,
    MIRRORS,
    OUR_CHECKS,
    READABLE,
    check_coverage,
    check_lengths,
    check_letters,
    check_quads,
    check_questions,
)
from personamem.dataset_builder.families.personamem.audit.truth import (
    TRUTH_CHECKS,
    check_pairs,
)
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.lives.bank import describe_proof
from personamem.dataset_builder.families.personamem.summary import (
    divide_tokens,
    summarise_checks,
    summarise_split,
)
from personamem.dataset_builder.families.personamem.tables import hash_messages
from personamem.dataset_builder.families.subject import (
    AuditSubject,
    CheckedContext,
    ContextJob,
    Distributions,
    ReadContext,
)
from personamem.loaders.formats import schema
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.manifest import Manifest
from personamem.loaders.formats.schema import Annotation, Question
from personamem.loaders.personamem.contexts import ContextStore
from personamem.loaders.personamem.files import FAMILY, Layout

CONTEXTS_PER_JOB = 2
"""A row group of our files holds two contexts, and a worker decodes it once."""


@dataclass(frozen=True, slots=True)
class SplitJob(ContextJob):
    """Some contexts of a split with their questions; ``ours`` if this project built it."""

    split: str
    ours: bool
    config: PersonaMemConfig | None
    contexts: ContextStore
    questions: Mapping[str, tuple[Question, ...]]
    annotations: Mapping[str, Annotation] | None

    def read(self) -> Iterator[ReadContext]:
        """Yield the contexts, counted and compared with their world."""
        for context_id in self.questions:
            yield self._read(context_id)

    def _read(self, context_id: str) -> ReadContext:
        try:
            context = self.contexts.read(context_id)
        except DatasetError as error:
            violations = Violations()
            violations.add(READABLE, str(error))
            return ReadContext(context_id, 0, violations)
        questions = self.questions[context_id]
        counted = count_context(context)
        violations = check_counts(self.split, context, counted, questions, self.annotations)
        if self.ours and hash_messages(context.messages) != context_id:
            violations.add(MIRRORS, f"contexts/{self.split}.parquet: {context_id} was changed")
        if self.config and self.annotations is not None:
            violations.merge(
                check_lives(self.config, self.split, context, questions, self.annotations)
            )
        inside = [
            question
            for question in questions
            if 0 < question.end_index_in_shared_context <= len(context.messages)
        ]
        return ReadContext(
            context_id=context_id,
            tokens=counted.tokens[-1],
            violations=violations,
            messages=context.messages,
            session_starts=context.session_starts,
            items=make_items(inside, self.annotations),
            ends=tuple(question.end_index_in_shared_context for question in inside),
            slips=self.config is not None,
            parts=divide_tokens(
                context.messages, context.session_starts, context.session_topics, counted.tokens
            ),
        )


@dataclass(frozen=True)
class SplitSubject(AuditSubject):
    """A split of ``source``."""

    source: SplitSource

    @property
    def part(self) -> str:
        """The name of the split."""
        return self.source.split

    @property
    def layout(self) -> str:
        """The format of the source."""
        return self.source.layout.value

    @property
    def ours(self) -> bool:
        """Whether this project built it."""
        return self.source.layout is Layout.OURS

    @property
    def num_questions(self) -> int:
        """The number of questions."""
        return len(self.source.questions)

    @property
    def num_contexts(self) -> int:
        """The number of contexts."""
        return len(self.source.contexts.ids)

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The questions as blind policies see them."""
        return make_items(self.source.questions, self.source.annotations)

    @property
    def columns(self) -> Sequence[Question]:
        """The rows of the questions."""
        return self.source.questions

    @property
    def jobs(self) -> Sequence[ContextJob]:
        """The contexts with their questions, two a job."""
        by_context: dict[str, list[Question]] = {}
        for question in self.source.questions:
            by_context.setdefault(question.shared_context_id, []).append(question)
        ids = list(self.source.contexts.ids)
        return [
            self._make_job(
                {key: tuple(by_context.get(key, ())) for key in ids[at : at + CONTEXTS_PER_JOB]}
            )
            for at in range(0, len(ids), CONTEXTS_PER_JOB)
        ]

    def _make_job(self, questions: Mapping[str, tuple[Question, ...]]) -> SplitJob:
        known = self.source.annotations
        annotations = known and {
            question.question_id: known[question.question_id]
            for asked in questions.values()
            for question in asked
            if question.question_id in known
        }
        return SplitJob(
            self.source.split,
            self.ours,
            self.source.config,
            self.source.contexts,
            questions,
            annotations,
        )

    def judge(self, contexts: Sequence[CheckedContext], parts: int) -> list[Finding]:
        """Return the findings on structure and truth; a release is not held to what it lacks."""
        source = self.source
        violations = Violations()
        violations.merge(source.violations)
        for context in contexts:
            violations.merge(context.violations)
        check_questions(source.questions, source.contexts.ids, violations)
        check_lengths(source.questions, violations)
        if source.annotations is not None:
            violations.merge(check_pairs(source.questions, source.annotations))
            check_quads(source.questions, source.annotations, violations)
        if source.config:
            check_coverage(source.config, source.split, source.questions, violations)
        if source.manifest:
            self._check_manifest(source.manifest, contexts, violations)
        findings = []
        if self.ours:
            findings += violations.as_findings((FILES, FACTS, COLUMNS, MIRRORS))
        findings += violations.as_findings((*GENERAL_CHECKS, END_INDEX))
        findings += violations.as_findings((*FORM_CHECKS, LENGTHS), required=self.ours)
        findings.append(check_letters(source.questions, balanced=self.ours, parts=parts))
        if self.ours:
            findings += violations.as_findings((*OUR_CHECKS, *TRUTH_CHECKS, DISTANCES))
        return findings

    def _check_manifest(
        self, manifest: Manifest, contexts: Sequence[CheckedContext], violations: Violations
    ) -> None:
        split, questions = self.source.split, self.source.questions
        record = manifest.families[FAMILY]
        where = f"families.{FAMILY}"
        annotations, parts = self.source.annotations or {}, [each.parts for each in contexts]
        known = split in schema.SIZES
        found = summarise_split(split, questions, annotations, parts) if known else {}
        check_facts(record.splits[split], found, f"{where}.splits.{split}", violations)
        stated = {name: record.checks.get(name) for name in {*record.checks, split}}
        others = {name: value for name, value in stated.items() if name in record.splits}
        checks = {**others, split: summarise_checks(questions)}
        check_facts(stated, checks, f"{where}.checks", violations)
        # The source of a filler may be out of reach; its chats are in the contexts.
        extra = record.model_dump(exclude={"splits", "checks", "filler"})
        proof = {"readings": describe_proof()} if self.source.config else {}
        check_facts(extra, proof, where, violations)

    def describe(self, contexts: Sequence[CheckedContext]) -> Distributions:
        """Return positions and distances of the questions, and the sizes of the contexts."""
        tokens = {context.context_id: context.tokens for context in contexts}
        return Distributions(
            positions=tuple(
                min(1.0, question.context_length_in_tokens / tokens[question.shared_context_id])
                for question in self.source.questions
                if tokens.get(question.shared_context_id)
                and question.context_length_in_tokens is not None
            ),
            distances=tuple(
                question.distance_to_ref_in_tokens
                for question in self.source.questions
                if question.distance_to_ref_in_tokens is not None
            ),
            context_tokens=tuple(count for count in tokens.values() if count),
        )
