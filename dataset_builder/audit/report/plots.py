"""Plots of an audit as SVG text: what baselines reach, and histograms. Labels are escaped."""

from collections.abc import Sequence
from math import ceil

from markupsafe import Markup

from personamem.dataset_builder.audit.baselines import OVERALL, Baseline
from personamem.dataset_builder.core.error_rate import CHANCE
from personamem.dataset_builder.reports import draw_line, draw_text, format_number, make_svg
from personamem.dataset_builder.reports.dots import Dot, draw_dots

BINS = 20
PLOT_WIDTH, PLOT_HEIGHT = 330, 120


def draw_baselines(baselines: Sequence[Baseline], limit: float | None = None) -> Markup:
    """Draw each policy (row) on each question type (column) against chance.

    A dot is the accuracy, a line its 95 % interval, the dashed line chance; ``limit`` draws one
    more. Policies that beat chance are in the colour of a failure where no limit is given.
    """
    ordered = sorted(baselines, key=lambda row: row.question_type != OVERALL)
    places = {policy: at for at, policy in enumerate(dict.fromkeys(b.policy for b in baselines))}
    ordered.sort(key=lambda row: places[row.policy])
    return draw_dots([_make_dot(row, limit) for row in ordered], CHANCE, limit)


def draw_histogram(values: Sequence[float], unit: str) -> Markup:
    """Draw how ``values`` are spread; ``unit`` labels the axis. Empty without values."""
    if not values:
        return Markup("")
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, int((value - low) / span * BINS))] += 1
    most, bar = max(counts), PLOT_WIDTH / BINS
    parts = []
    for number, count in enumerate(counts):
        height = PLOT_HEIGHT * count / most
        title = f"<title>{count:,}</title>"
        parts.append(
            f'<rect class="bar" x="{number * bar + 1:.1f}" y="{PLOT_HEIGHT - height + 12:.1f}" '
            f'width="{bar - 2:.1f}" height="{ceil(height)}">{title}</rect>'
        )
    base = PLOT_HEIGHT + 12
    parts.append(draw_line(0, base, PLOT_WIDTH, base, "edge"))
    parts.append(draw_text(0, base + 14, format_number(low), "left"))
    parts.append(draw_text(PLOT_WIDTH / 2, base + 14, unit, "tick"))
    parts.append(draw_text(PLOT_WIDTH, base + 14, format_number(high), "right"))
    parts.append(draw_text(0, 9, f"at most {most:,}", "left"))
    return make_svg(PLOT_WIDTH, base + 20, parts)


def _make_dot(row: Baseline, limit: float | None) -> Dot:
    accuracy = row.accuracy
    return Dot(
        row.policy,
        row.question_type,
        accuracy.share,
        accuracy.low,
        accuracy.high,
        accuracy.total,
        failing=limit is None and not row.passed,
    )
