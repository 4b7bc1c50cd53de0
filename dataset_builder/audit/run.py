"""Running an audit: one part at a time, every context read once, everything in one record."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from personamem.dataset_builder.audit.baselines import Baseline, measure_baselines
from personamem.dataset_builder.audit.blind import BLIND_POLICIES, score_blind
from personamem.dataset_builder.audit.examine import ExaminedContext, examine_contexts
from personamem.dataset_builder.audit.language_model import (
    PREFIX,
    parse_model_folder,
    score_language_model,
)
from personamem.dataset_builder.audit.metadata import METADATA_POLICIES, make_metadata_rows
from personamem.dataset_builder.audit.shallow import KEYWORD_POLICIES, SHALLOW_POLICIES
from personamem.dataset_builder.audit.text import summarise_text
from personamem.dataset_builder.audit.verdicts import (
    judge_blind,
    judge_longest,
    judge_shallow,
    judge_text,
)
from personamem.dataset_builder.core.findings import Finding
from personamem.dataset_builder.core.items import Item, Scores
from personamem.dataset_builder.families.subject import AuditSubject, Distributions
from personamem.loaders.formats.errors import unknown_choice

Report = Callable[[str, int, int], None]
"""Receives the part, how many contexts are done, and how many there are."""

FAMILIES = 2
"""Of a part, the blind policies and those on metadata are tested against chance."""

TEXT_SEED = 0
"""Decides which messages the text measures sample."""


@dataclass(frozen=True, slots=True)
class PartAudit:
    """The audit of one part. ``baselines`` holds the families "blind", "metadata", "shallow".

    Without multiple-choice questions, there are no baselines.
    """

    part: str
    layout: str
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
            "part": self.part,
            "layout": self.layout,
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


def audit_subject(
    subject: AuditSubject,
    baselines: Sequence[str] = (),
    workers: int = 1,
    parts: int = 1,
    report: Report = lambda part, done, total: None,
) -> PartAudit:
    """Audit one part with ``workers`` processes.

    ``parts`` is how many the whole audit looks at: its p-values are corrected for all of them.

    Raises:
        DatasetError: a file cannot be read at all.
        InvalidInputError: an unknown baseline.
    """
    policies, models = choose_baselines(baselines)
    examined = []
    shallow = not {*SHALLOW_POLICIES, *KEYWORD_POLICIES}.isdisjoint(policies)
    for context in examine_contexts(subject.jobs, workers, TEXT_SEED, shallow):
        examined.append(context)
        report(subject.part, len(examined), subject.num_contexts)
    items = subject.items
    tests = FAMILIES * parts
    families = {
        "blind": _measure(items, _score_blind(items, policies), policies, tests),
        "metadata": _measure(items, _score_metadata(subject, policies), policies, tests),
        "shallow": _measure_shallow(items, examined, policies),
    }
    for folder in models:
        scores = {f"{PREFIX}{folder.name}": score_language_model(folder, items)}
        families["blind"] += measure_baselines(items, scores, tests)
    checked = [context.checked for context in examined]
    return PartAudit(
        part=subject.part,
        layout=subject.layout,
        questions=subject.num_questions,
        contexts=subject.num_contexts,
        findings=(
            *subject.judge(checked),
            *_judge_items(subject, families),
            *_judge_text(subject, examined),
        ),
        baselines=families,
        distributions=subject.describe(checked),
    )


def _judge_items(
    subject: AuditSubject, families: Mapping[str, tuple[Baseline, ...]]
) -> list[Finding]:
    if not subject.items:
        return []
    return [
        *judge_longest(subject.items),
        *judge_blind((*families["blind"], *families["metadata"])),
        *judge_shallow(families["shallow"], SHALLOW_POLICIES if subject.ours else ()),
    ]


def _judge_text(subject: AuditSubject, examined: Sequence[ExaminedContext]) -> list[Finding]:
    texts = [context.text for context in examined if context.text is not None]
    return judge_text(summarise_text(texts), subject.part, subject.ours) if texts else []


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


def _score_metadata(subject: AuditSubject, policies: Sequence[str]) -> dict[str, Scores]:
    chosen = {name: METADATA_POLICIES[name] for name in METADATA_POLICIES if name in policies}
    if not subject.items or not chosen:
        return {}
    rows = make_metadata_rows(subject.columns, subject.items)
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
