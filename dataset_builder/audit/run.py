"""Running an audit: one part at a time, every context read once, everything in one record."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from personamem.dataset_builder.audit.baselines import Baseline, measure_chance, measure_limit
from personamem.dataset_builder.audit.blind import BLIND_POLICIES, predict_blind
from personamem.dataset_builder.audit.examine import ExaminedContext, examine_contexts
from personamem.dataset_builder.audit.language_model import (
    PREFIX,
    parse_model_folder,
    score_language_model,
)
from personamem.dataset_builder.audit.metadata import METADATA_POLICIES, make_metadata_rows
from personamem.dataset_builder.audit.predictions import Prediction, predict_at_once
from personamem.dataset_builder.audit.shallow import KEYWORD_POLICIES, SHALLOW_POLICIES
from personamem.dataset_builder.audit.text import summarise_text
from personamem.dataset_builder.audit.verdicts import (
    judge_blind,
    judge_shallow,
    judge_text,
)
from personamem.dataset_builder.core.findings import Finding
from personamem.dataset_builder.core.items import Item
from personamem.dataset_builder.families.subject import AuditSubject, Distributions
from personamem.loaders.formats.errors import unknown_choice

Report = Callable[[str, int, int], None]
"""Receives the part, how many contexts are done, and how many there are."""

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
    families = {
        "blind": measure_chance(items, _predict_blind(items, policies, models), parts),
        "metadata": measure_chance(items, _predict_metadata(subject, policies), parts),
        "shallow": _measure_shallow(subject, examined, policies, parts),
    }
    checked = [context.checked for context in examined]
    return PartAudit(
        part=subject.part,
        layout=subject.layout,
        questions=subject.num_questions,
        contexts=subject.num_contexts,
        findings=(
            *subject.judge(checked, parts),
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
        *judge_blind((*families["blind"], *families["metadata"])),
        *judge_shallow(families["shallow"]),
    ]


def _judge_text(subject: AuditSubject, examined: Sequence[ExaminedContext]) -> list[Finding]:
    texts = [context.text for context in examined if context.text is not None]
    return judge_text(summarise_text(texts), subject.part, subject.ours) if texts else []


def _predict_blind(
    items: Sequence[Item], policies: Sequence[str], models: Sequence[Path]
) -> dict[str, Prediction]:
    if not items:
        return {}
    wanted = [name for name in BLIND_POLICIES if name in policies]
    found = predict_blind(items, wanted) if wanted else {}
    for folder in models:
        scores = score_language_model(folder, items)
        found[f"{PREFIX}{folder.name}"] = predict_at_once(scores)
    return found


def _predict_metadata(subject: AuditSubject, policies: Sequence[str]) -> dict[str, Prediction]:
    chosen = {name: METADATA_POLICIES[name] for name in METADATA_POLICIES if name in policies}
    if not subject.items or not chosen:
        return {}
    rows = make_metadata_rows(subject.columns, subject.items)
    return {name: policy(rows) for name, policy in chosen.items()}


def _measure_shallow(
    subject: AuditSubject,
    examined: Sequence[ExaminedContext],
    policies: Sequence[str],
    parts: int,
) -> tuple[Baseline, ...]:
    scores: dict[str, dict[str, Any]] = {
        name: {} for name in (*SHALLOW_POLICIES, *KEYWORD_POLICIES)
    }
    for context in examined:
        for name, rows in context.shallow.items():
            scores[name].update(zip(context.question_ids, rows, strict=True))
    seen = [
        item for item in subject.items if all(item.question_id in rows for rows in scores.values())
    ]
    chosen = {
        name: [rows[item.question_id] for item in seen]
        for name, rows in scores.items()
        if name in policies
    }
    held = SHALLOW_POLICIES if subject.ours else ()
    return measure_limit(seen, chosen, held, parts) if seen else ()
