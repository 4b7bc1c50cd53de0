"""Verdicts on figures: what a baseline or the text may reach at most, and what it reached."""

from collections.abc import Iterable, Sequence

from personamem.dataset_builder.audit.baselines import (
    LEVEL_LIMITS,
    OVERALL,
    SHALLOW_LIMIT,
    Baseline,
    limit_of,
)
from personamem.dataset_builder.audit.text import TextFigures
from personamem.dataset_builder.audit.text.figures import Figure
from personamem.dataset_builder.core.error_rate import CHANCE, ERROR_RATE
from personamem.dataset_builder.core.findings import KEPT_ROWS, Finding, Section
from personamem.dataset_builder.core.text.repeats import MAX_REPEATED
from personamem.loaders.formats import schema

MIN_DIST_1, MIN_DIST_2 = 0.20, 0.68
MAX_SELF_BLEU = 0.45
SHORT_SPLIT_TOKENS = 32_768
MAX_REPEATED_SHORT, MAX_REPEATED_LONG = 0.15, 0.40
"""Repeated 8-grams of the context with most of them: up to 32k tokens, and beyond."""


def judge_blind(baselines: Sequence[Baseline]) -> list[Finding]:
    """Return a finding a policy: it fails if it beats chance, overall or on any type or level."""
    findings = []
    for policy, rows in _by_policy(baselines).items():
        leaks = [row for row in rows if not row.passed]
        findings.append(
            Finding(
                section=Section.BLIND,
                check=policy,
                what="Share of right answers without any context.",
                figure=round(_overall(rows).accuracy.share, 6),
                threshold=(
                    f"not above {CHANCE:.0%} overall, on any type and any level: "
                    f"p (corrected) >= {ERROR_RATE}"
                ),
                passed=not leaks,
                rows=tuple(map(_describe, leaks[:KEPT_ROWS])),
                offenders=len(leaks),
            )
        )
    return findings


def judge_shallow(baselines: Sequence[Baseline]) -> list[Finding]:
    """Return a finding a policy: its best type or level, new ideas aside.

    It fails if one that is tested lies above its limit by more than chance explains. A figure over
    the limit that may be chance is stated without a verdict.
    """
    findings = []
    for policy, rows in _by_policy(baselines).items():
        types = [row for row in rows if row.question_type not in (OVERALL, schema.NEW_IDEAS)]
        if not types:
            continue
        best = max(types, key=lambda row: row.accuracy.share)
        over = [row for row in types if row.accuracy.share > limit_of(row.question_type)]
        tested = any(row.p_value is not None for row in types)
        failed = [row for row in over if not row.passed]
        findings.append(
            Finding(
                section=Section.SHALLOW,
                check=policy,
                what=(
                    "Highest share of right answers on a type or level (suggest_new_ideas aside): "
                    f"{_describe(best)}."
                ),
                figure=round(best.accuracy.share, 6),
                threshold=(
                    f"at most {SHALLOW_LIMIT:.0%} ({_list_limits()}), or p (corrected) >= "
                    f"{ERROR_RATE}"
                    if tested
                    else ""
                ),
                passed=False if failed else True if tested and not over else None,
                rows=tuple(map(_describe, (failed or over)[:KEPT_ROWS])),
                offenders=len(failed or over),
            )
        )
    return findings


def judge_text(figures: TextFigures, split: str, required: bool) -> list[Finding]:
    """Return a finding a figure of the text; some have a limit, in datasets of ours."""
    budget = schema.SIZES.get(split, 0)
    repeated = MAX_REPEATED_SHORT if budget <= SHORT_SPLIT_TOKENS else MAX_REPEATED_LONG
    lowest = {figures.dist_1.name: MIN_DIST_1, figures.dist_2.name: MIN_DIST_2}
    highest = {
        figures.self_bleu_highest.name: MAX_SELF_BLEU,
        figures.repeated_8grams_highest.name: repeated,
        figures.exact_within_highest.name: MAX_REPEATED,
        figures.residue.name: 0.0,
        figures.personal.name: 0.0,
    }
    return [_judge_figure(figure, lowest, highest, required) for figure in figures]


def _judge_figure(
    figure: Figure, lowest: dict[str, float], highest: dict[str, float], required: bool
) -> Finding:
    passed, threshold = None, ""
    if figure.name in lowest:
        threshold = f"at least {lowest[figure.name]:g}"
        passed = figure.value is None or figure.value >= lowest[figure.name]
    elif figure.name in highest:
        threshold = f"at most {highest[figure.name]:g}"
        passed = figure.value is None or figure.value <= highest[figure.name]
    return Finding(
        section=Section.TEXT,
        check=figure.name,
        what=figure.definition,
        figure=None if figure.value is None else round(figure.value, 6),
        threshold=threshold,
        passed=passed if required else None,
        rows=tuple(
            f"context {place.context_id}, message {place.message}: {place.excerpt}"
            for place in figure.hits.places
        ),
        offenders=figure.hits.count,
    )


def _list_limits() -> str:
    return ", ".join(f"{level} {limit:.0%}" for level, limit in LEVEL_LIMITS.items())


def _by_policy(baselines: Iterable[Baseline]) -> dict[str, list[Baseline]]:
    grouped: dict[str, list[Baseline]] = {}
    for row in baselines:
        grouped.setdefault(row.policy, []).append(row)
    return grouped


def _overall(rows: Sequence[Baseline]) -> Baseline:
    return next(row for row in rows if row.question_type == OVERALL)


def _describe(row: Baseline) -> str:
    accuracy = row.accuracy
    return (
        f"{row.question_type}: {100 * accuracy.share:.1f} % of {accuracy.total:,} "
        f"({100 * accuracy.low:.1f}-{100 * accuracy.high:.1f} %)"
    )
