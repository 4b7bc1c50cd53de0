"""Running an audit: one split at a time, every context read once, everything in one record."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from personamem.dataset_builder.audit.baselines import Baseline, measure_baselines
from personamem.dataset_builder.audit.blind import BLIND_POLICIES, score_blind
from personamem.dataset_builder.core.findings import Finding, Violations
from personamem.dataset_builder.audit.language_model import (
    PREFIX,
    parse_model_folder,
    score_language_model,
)
from personamem.dataset_builder.audit.metadata import METADATA_POLICIES, make_metadata_rows
from personamem.dataset_builder.audit.records import Item, Scores, make_items
from personamem.dataset_builder.audit.shallow import KEYWORD_POLICIES, SHALLOW_POLICIES
from personamem.dataset_builder.audit.text import summarise_text
from personamem.dataset_builder.audit.verdicts import (
    judge_blind,
    judge_longest,
    judge_shallow,
    judge_text,
)
from personamem.dataset_builder.families.personamem.audit.counts import (
    DISTANCES,
    END_INDEX,
    FORM_CHECKS,
)
from personamem.dataset_builder.families.personamem.audit.examine import (
    ExaminedContext,
    examine_contexts,
)
from personamem.dataset_builder.families.personamem.audit.sources import SplitSource, read_split
from personamem.dataset_builder.families.personamem.audit.structure import (
    COLUMNS,
    FILES,
    GENERAL_CHECKS,
    LENGTHS,
    MIRRORS,
    OUR_CHECKS,
    check_coverage,
    check_lengths,
    check_letters,
    check_quads,
    check_questions,
)
from personamem.dataset_builder.families.personamem.audit.truth import TRUTH_CHECKS, check_pairs
from personamem.loaders.formats.errors import unknown_choice
from personamem.loaders.formats.schema import Question
from personamem.loaders.formats.sources import Layout

Report = Callable[[str, int, int], None]
"""Hears the split, how many contexts are done, and how many there are."""

FAMILIES = 2
"""Of a split, the blind policies and those on metadata are held against chance."""

TEXT_SEED = 0
"""Decides which messages the text measures sample."""


@dataclass(frozen=True, slots=True)
class Distributions:
    """What the plots of a report show, a value a question or a context.

    ``positions`` are the shares of its context that a question sees, ``distances`` its o200k_base
    tokens back to the evidence, ``context_tokens`` the sizes of the contexts.
    """

    positions: tuple[float, ...]
    distances: tuple[int, ...]
    context_tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SplitAudit:
    """The audit of one split. ``baselines`` holds the families "blind", "metadata", "shallow"."""

    split: str
    layout: Layout
    questions: int
    contexts: int
    findings: tuple[Finding, ...]
    baselines: Mapping[str, tuple[Baseline, ...]]
    distributions: Distributions

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The findings that fail."""
        return tuple(finding for finding in self.findings if finding.passed is False)

    def as_json(self) -> dict[str, Any]:
        """Return the audit as plain values."""
        return {
            "split": self.split,
            "layout": self.layout.value,
            "questions": self.questions,
            "contexts": self.contexts,
            "passed": not self.failures,
            "findings": [finding.as_json() for finding in self.findings],
            "baselines": {
                family: [row.as_json() for row in rows] for family, rows in self.baselines.items()
            },
        }


def choose_baselines(names: Iterable[str]) -> tuple[tuple[str, ...], tuple[Path, ...]]:
    """Split ``names`` into policies and folders of language models; no policy named means all.

    Raises:
        InvalidInputError: an unknown name, or no model in a folder.
    """
    policies, models = [], []
    accepted = (*BLIND_POLICIES, *METADATA_POLICIES, *SHALLOW_POLICIES, *KEYWORD_POLICIES)
    for name in names:
        if name.startswith(PREFIX):
            models.append(parse_model_folder(name))
        elif name in accepted:
            policies.append(name)
        else:
            raise unknown_choice("baseline", name, (*accepted, f"{PREFIX}FOLDER"))
    return tuple(policies or accepted), tuple(models)


def audit_split(
    source: str | Path,
    split: str,
    baselines: Sequence[str] = (),
    workers: int = 1,
    splits: int = 1,
    report: Report = lambda split, done, total: None,
) -> SplitAudit:
    """Audit one split of ``source`` with ``workers`` processes.

    ``splits`` is how many the whole audit looks at: its p-values are corrected for all of them.

    Raises:
        DatasetError: the source is no dataset, or a file cannot be read at all.
        InvalidInputError: an unknown split or baseline.
    """
    policies, models = choose_baselines(baselines)
    read = read_split(source, split)
    total = len(read.contexts.ids)
    examined = []
    shallow = not {*SHALLOW_POLICIES, *KEYWORD_POLICIES}.isdisjoint(policies)
    for context in examine_contexts(read, workers, TEXT_SEED, shallow):
        examined.append(context)
        report(split, len(examined), total)
    items = make_items(read.questions, read.annotations)
    tests = FAMILIES * splits
    families = {
        "blind": _measure(items, _score_blind(items, policies), policies, tests),
        "metadata": _measure(items, _score_metadata(read, items, policies), policies, tests),
        "shallow": _measure_shallow(items, examined, policies),
    }
    for folder in models:
        scores = {f"{PREFIX}{folder.name}": score_language_model(folder, items)}
        families["blind"] += measure_baselines(items, scores, tests)
    ours = read.layout is Layout.OURS
    return SplitAudit(
        split=split,
        layout=read.layout,
        questions=len(read.questions),
        contexts=total,
        findings=(
            *_check(read, examined),
            *judge_longest(items),
            *judge_blind((*families["blind"], *families["metadata"])),
            *judge_shallow(families["shallow"], SHALLOW_POLICIES if ours else ()),
            *_judge_text(examined, split, ours),
        ),
        baselines=families,
        distributions=_distribute(read.questions, examined),
    )


def _check(read: SplitSource, examined: Sequence[ExaminedContext]) -> list[Finding]:
    """Return the findings on structure and truth; nothing is asked of what a release has not."""
    ours = read.layout is Layout.OURS
    violations = Violations()
    violations.merge(read.violations)
    for context in examined:
        violations.merge(context.violations)
    check_questions(read.questions, read.contexts.ids, violations)
    check_lengths(read.questions, violations)
    if read.annotations is not None:
        violations.merge(check_pairs(read.questions, read.annotations))
        check_quads(read.questions, read.annotations, violations)
    if read.config:
        check_coverage(read.config, read.split, read.questions, violations)
    findings = []
    if ours:
        findings += violations.as_findings((FILES, COLUMNS, MIRRORS))
    findings += violations.as_findings((*GENERAL_CHECKS, END_INDEX))
    findings += violations.as_findings((*FORM_CHECKS, LENGTHS), required=ours)
    findings.append(check_letters(read.questions, balanced=ours))
    if ours:
        findings += violations.as_findings((*OUR_CHECKS, *TRUTH_CHECKS, DISTANCES))
    return findings


def _measure(
    items: Sequence[Item],
    scores: Mapping[str, Scores],
    policies: Sequence[str],
    families: int = 1,
) -> tuple[Baseline, ...]:
    chosen = {name: rows for name, rows in scores.items() if name in policies}
    return measure_baselines(items, chosen, families) if items and chosen else ()


def _score_blind(items: Sequence[Item], policies: Sequence[str]) -> dict[str, Scores]:
    return score_blind(items) if items and set(policies) & set(BLIND_POLICIES) else {}


def _score_metadata(
    read: SplitSource, items: Sequence[Item], policies: Sequence[str]
) -> dict[str, Scores]:
    chosen = {name: METADATA_POLICIES[name] for name in METADATA_POLICIES if name in policies}
    if not items or not chosen:
        return {}
    rows = make_metadata_rows(read.questions, items)
    return {name: policy(rows) for name, policy in chosen.items()}


def _measure_shallow(
    items: Sequence[Item], examined: Sequence[ExaminedContext], policies: Sequence[str]
) -> tuple[Baseline, ...]:
    scores: dict[str, dict[str, Any]] = {
        name: {} for name in (*SHALLOW_POLICIES, *KEYWORD_POLICIES)
    }
    for context in examined:
        for name, rows in context.shallow.items():
            scores[name].update(zip(context.question_ids, rows, strict=True))
    seen = [item for item in items if all(item.question_id in rows for rows in scores.values())]
    return _measure(
        seen,
        {name: [rows[item.question_id] for item in seen] for name, rows in scores.items()},
        policies,
    )


def _judge_text(examined: Sequence[ExaminedContext], split: str, ours: bool) -> list[Finding]:
    texts = [context.text for context in examined if context.text is not None]
    return judge_text(summarise_text(texts), split, ours) if texts else []


def _distribute(
    questions: Sequence[Question], examined: Sequence[ExaminedContext]
) -> Distributions:
    tokens = {context.context_id: context.tokens for context in examined}
    return Distributions(
        positions=tuple(
            min(1.0, question.context_length_in_tokens / tokens[question.shared_context_id])
            for question in questions
            if tokens.get(question.shared_context_id)
        ),
        distances=tuple(
            question.distance_to_ref_in_tokens
            for question in questions
            if question.distance_to_ref_in_tokens >= 0
        ),
        context_tokens=tuple(count for count in tokens.values() if count),
    )
