"""What must hold of a dataset of ours, found in its records alone; a build refuses the rest."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from personamem.dataset_builder.core.findings import (
    Check,
    Finding,
    GateError,
    Section,
    Violations,
)
from personamem.dataset_builder.families.personalens.demographics import declared_shares
from personamem.dataset_builder.families.personalens.quads import solve
from personamem.dataset_builder.families.personalens.rules import check_profiles
from personamem.dataset_builder.families.personalens.tasks import list_tasks
from personamem.loaders.formats.schema import COHORT_SIZE
from personamem.loaders.personalens.benchmark import PersonaLens
from personamem.loaders.personalens.schema import LensQuestion
from personamem.loaders.personalens.statistics import LensStatistics, measure_statistics

MOST_COMMON = 0.40
"""The highest share of one value of a situation."""

SHARE_POINTS = 3.0
LEAST_EVENNESS = 0.652
"""Mean over categorical types of the official release (arXiv 2506.09902, Tables 8 and 9)."""

ENOUGH_USERS = 500
"""Fewer users cannot have shares to within three points and even values."""

_truth = Section.TRUTH
RULES = Check(_truth, "consistent profiles", "Contradictions in profiles, by the declared rules.")
MASK = Check(_truth, "mask", "Users whose scenarios are not all tasks of the domains of interest.")
SOLVED = Check(_truth, "one right reply", "Questions whose right reply is not the only one.")
BALANCED = Check(_truth, "balanced quads", "Quads without four users and four different answers.")
SHARES = Check(
    Section.STRUCTURE,
    "demographic shares",
    f"Values of demographics more than {SHARE_POINTS:g} points from the declared share.",
)
SITUATIONS = Check(
    Section.STRUCTURE,
    "situations",
    f"Values of situations that are more common than {MOST_COMMON:.0%}.",
)
CHECKS = (RULES, MASK, SOLVED, BALANCED, SHARES, SITUATIONS)


def require_sound(data: PersonaLens) -> dict[str, Any]:
    """Return the checks of the manifest. Raises GateError that names checks and rows."""
    statistics = measure_statistics(data)
    findings = judge(data, statistics)
    for finding in findings:
        if finding.passed is False:
            raise GateError(f"{finding.check}: {finding.what} {'; '.join(finding.rows[:5])}")
    return summarise_checks(data, statistics)


def summarise_checks(data: PersonaLens, statistics: LensStatistics) -> dict[str, Any]:
    """Return the figures of the checks for the manifest."""
    return {
        "contradictions": 0,
        "solved_questions": len(data.quads),
        "mean_evenness": round(statistics.mean_evenness["categorical"], 4),
        "most_common_situation": round(max(share for _, _, share in _rank(statistics)), 4),
    }


def judge(data: PersonaLens, statistics: LensStatistics) -> list[Finding]:
    """Return the findings on a dataset of ours."""
    violations = Violations()
    for flag in check_profiles(data.profiles):
        violations.add(RULES, f"{flag.user_id}: {flag.reason}")
    for row in _check_mask(data):
        violations.add(MASK, row)
    contents = {task.task_id: content for task, content in list_tasks()}
    for question in data.quads:
        profile = data.profile_by_id[question.user_id]
        found = solve(question, contents[question.task_id], profile)
        if found != [question.answer_index]:
            violations.add(SOLVED, f"{question.question_id}: {found} fit")
    for row in _check_quads(data.quads):
        violations.add(BALANCED, row)
    large = len(data.profiles) >= ENOUGH_USERS
    for row in _check_shares(statistics) if large else ():
        violations.add(SHARES, row)
    for field, value, share in _rank(statistics):
        if share > MOST_COMMON:
            violations.add(SITUATIONS, f"{field} {value}: {share:.1%}")
    evenness = statistics.mean_evenness["categorical"]
    return [
        *violations.as_findings(CHECKS),
        Finding(
            section=Section.STRUCTURE,
            check="evenness",
            what="Mean evenness of the values of categorical preference types.",
            figure=round(evenness, 4),
            threshold=f"at least {LEAST_EVENNESS}, as in the official release",
            passed=evenness >= LEAST_EVENNESS if large else None,
        ),
    ]


def _check_mask(data: PersonaLens) -> Iterator[str]:
    found: dict[str, list[str]] = {profile.user_id: [] for profile in data.profiles}
    for scenario in data.scenarios:
        found[scenario.user_id].append(scenario.task_id)
    for profile in data.profiles:
        due = [t.task_id for t in data.tasks if set(t.domains).issubset(profile.interests)]
        if sorted(found[profile.user_id]) != sorted(due):
            yield f"{profile.user_id}: {len(found[profile.user_id])} scenarios, {len(due)} are due"


def _check_quads(questions: Sequence[LensQuestion]) -> Iterator[str]:
    quads: dict[str, list[LensQuestion]] = {}
    for question in questions:
        quads.setdefault(question.quad_id, []).append(question)
    for quad_id, asked in quads.items():
        shared = {(q.task_id, q.request, q.options, q.situation) for q in asked}
        answers = sorted(question.answer_index for question in asked)
        users = {question.user_id for question in asked}
        alike = len(shared) == 1 and len(set(asked[0].options)) == COHORT_SIZE
        if not alike or answers != list(range(COHORT_SIZE)) or len(users) != COHORT_SIZE:
            yield quad_id


def _check_shares(statistics: LensStatistics) -> Iterator[str]:
    for field, shares in declared_shares().items():
        counts = Counter(statistics.demographics[field])
        for value in {*shares, *counts}:
            found = 100 * counts[value] / statistics.users
            if abs(found - 100 * shares.get(value, 0.0)) > SHARE_POINTS:
                yield f"{field} {value}: {found:.1f} %"


def _rank(statistics: LensStatistics) -> Iterator[tuple[str, str, float]]:
    """Yield the most common value of each field of situations, and its share."""
    for field, counts in statistics.situations.items():
        value = max(counts, key=lambda name: counts[name])
        yield field, value, counts[value] / sum(counts.values())
