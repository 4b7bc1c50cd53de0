"""Scores that were measured on a dataset, and their entries in the form of the Hub.

The Hub shows a benchmark's scores from files ``.eval_results/*.yaml`` in the repositories of
models (https://huggingface.co/docs/hub/eval-results). The card's header holds entries of the same
form, ready to be copied there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from personamem.cards.audit import list_families

LANGUAGE_MODEL = "lm:"


@dataclass(frozen=True, slots=True)
class Score:
    """A model's accuracy, from 0 to 1, on one task of lm-eval; ``date`` is ISO 8601."""

    model: str
    task: str
    accuracy: float
    standard_error: float | None
    questions: int
    date: str


def make_entries(
    repo_id: str, version: str, audit: Mapping[str, Any] | None, scores: Sequence[Score]
) -> list[dict[str, Any]]:
    """Return entries for ``scores`` and for the audit's baselines.

    Of the policies, which are many, each family gives its highest on every split; language models
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
    for split, family, row in _choose_rows(audit or {"parts": {}}):
        suffix = "" if family == "shallow" else "_nocontext"
        policy = row["policy"]
        kind = "language model" if policy.startswith(LANGUAGE_MODEL) else f"highest {family} policy"
        entries.append(
            {
                "dataset": {**dataset, "task_id": f"personamem_{split}{suffix}"},
                "value": row["accuracy"],
                "notes": f"accuracy of the baseline {policy!r} ({kind} of the audit), "
                f"{row['questions']} questions",
            }
        )
    return entries


def _choose_rows(audit: Mapping[str, Any]) -> list[tuple[str, str, Mapping[str, Any]]]:
    chosen = []
    for split in audit["parts"]:
        for family in list_families(audit):
            rows = [rows[split] for rows in family.policies.values() if split in rows]
            models = [row for row in rows if row["policy"].startswith(LANGUAGE_MODEL)]
            policies = [row for row in rows if row not in models]
            best = [max(policies, key=lambda row: row["accuracy"])] if policies else []
            chosen += [(split, family.name, row) for row in (*models, *best)]
    return chosen
