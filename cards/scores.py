"""Scores that were measured on a dataset, and their entries in the form of the Hub.

The Hub shows a benchmark's scores from files ``.eval_results/*.yaml`` in the repositories of
models (https://huggingface.co/docs/hub/eval-results). The card's header holds entries of the same
form, ready to be copied there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from personamem.cards.audit import list_baselines
from personamem.cards.family import FamilyCard
from personamem.loaders.formats.audit_record import AuditRecord, ScoreRecord

LANGUAGE_MODEL = "lm:"


@dataclass(frozen=True, slots=True)
class Score:
    """A model's accuracy, from 0 to 1, on one task of lm-eval; ``date`` is ISO 8601.

    ``groups`` holds the accuracies on question types and levels, by their names.
    """

    model: str
    task: str
    accuracy: float
    standard_error: float | None
    questions: int
    date: str
    groups: Mapping[str, float] = field(default_factory=dict)


def make_entries(
    repo_id: str,
    version: str,
    families: Sequence[FamilyCard],
    audit: AuditRecord | None,
    scores: Sequence[Score],
) -> list[dict[str, Any]]:
    """Return entries for ``scores`` and for the audit's baselines.

    Of the policies, which are many, each kind gives its highest on every split; language models
    give all. A value is an accuracy from 0 to 1.
    """
    dataset = {"id": repo_id, "revision": f"v{version}"}
    entries = [
        {
            "dataset": {**dataset, "task_id": score.task},
            "value": round(score.accuracy, 6),
            "date": score.date,
            "notes": f"accuracy of {score.model}, {score.questions} questions",
        }
        for score in scores
    ]
    for task, kind, row in _choose_rows(families, audit) if audit else ():
        model = row.policy.startswith(LANGUAGE_MODEL)
        what = "language model" if model else f"highest {kind} policy"
        entries.append(
            {
                "dataset": {**dataset, "task_id": task},
                "value": row.accuracy,
                "notes": f"accuracy of the baseline {row.policy!r} ({what} of the audit), "
                f"{row.questions} questions",
            }
        )
    return entries


def _choose_rows(
    families: Sequence[FamilyCard], audit: AuditRecord
) -> list[tuple[str, str, ScoreRecord]]:
    """Return the rows to list, each with the task that it belongs to and its kind."""
    names = {split: family.name for family in families for split in family.splits}
    chosen = []
    for part in filter(names.__contains__, audit.parts):
        for baselines in list_baselines(audit):
            rows = [scores[part] for scores in baselines.policies.values() if part in scores]
            models = [row for row in rows if row.policy.startswith(LANGUAGE_MODEL)]
            policies = [row for row in rows if row not in models]
            best = [max(policies, key=lambda row: row.accuracy)] if policies else []
            # Only those that match words in the context see one.
            suffix = "" if baselines.kind == "shallow" else "_nocontext"
            task = f"{names[part]}_{part}{suffix}"
            chosen += [(task, baselines.kind, row) for row in (*models, *best)]
    return chosen
