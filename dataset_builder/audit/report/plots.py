"""Plots as SVG text: dots with intervals in a grid, and histograms. Labels are escaped."""

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil

from markupsafe import Markup

from personamem.dataset_builder.audit.baselines import OVERALL, Baseline
from personamem.dataset_builder.core.error_rate import CHANCE
from personamem.dataset_builder.reports import draw_line, draw_text, format_number, make_svg

LABEL_WIDTH, CELL_WIDTH, ROW_HEIGHT, HEAD_HEIGHT = 210, 104, 18, 34
BINS = 20
PLOT_WIDTH, PLOT_HEIGHT = 330, 120


def draw_baselines(baselines: Sequence[Baseline], limit: float | None = None) -> Markup:
    """Draw each policy (row) on each question type (column) against chance.

    A dot is the accuracy, a line its 95 % interval, the dashed line chance; ``limit`` draws one
    more. Policies that beat chance are in the colour of a failure where no limit is given.
    """
    policies = list(dict.fromkeys(row.policy for row in baselines))
    types = list(dict.fromkeys(row.question_type for row in baselines))
    types.sort(key=lambda name: name != OVERALL)
    cells: Mapping[tuple[str, str], Baseline] = {
        (row.policy, row.question_type): row for row in baselines
    }
    width = LABEL_WIDTH + CELL_WIDTH * len(types)
    height = HEAD_HEIGHT + ROW_HEIGHT * len(policies) + 18
    bottom = HEAD_HEIGHT + ROW_HEIGHT * len(policies)
    parts = []
    for column, name in enumerate(types):
        left = LABEL_WIDTH + CELL_WIDTH * column
        first, second = _break_label(name)
        parts.append(
            draw_text(left + 4, 13, first, "head") + draw_text(left + 4, 25, second, "head")
        )
        for share, kind in ((0.0, "edge"), (CHANCE, "chance"), (limit, "limit")):
            if share is not None:
                x = _x(left, share)
                parts.append(draw_line(x, HEAD_HEIGHT - 2, x, bottom, kind))
        for share in (0.0, 0.5, 1.0):
            parts.append(draw_text(_x(left, share), bottom + 13, f"{share:.0%}", "tick"))
    for number, policy in enumerate(policies):
        y = HEAD_HEIGHT + ROW_HEIGHT * number + ROW_HEIGHT / 2
        parts.append(draw_text(4, y + 4, policy, "label"))
        for column, name in enumerate(types):
            row = cells.get((policy, name))
            if row is not None:
                left = LABEL_WIDTH + CELL_WIDTH * column
                parts.append(_draw_cell(row, left, y, failing=limit is None and not row.passed))
    return make_svg(width, height, parts)


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


def _draw_cell(row: Baseline, left: float, y: float, failing: bool) -> str:
    accuracy = row.accuracy
    kind = "fail" if failing else "dot"
    title = escape(
        f"{row.policy}, {row.question_type}: {100 * accuracy.share:.1f} % "
        f"({100 * accuracy.low:.1f}-{100 * accuracy.high:.1f} %) of {accuracy.total:,}"
    )
    return (
        f"<g><title>{title}</title>"
        + draw_line(_x(left, accuracy.low), y, _x(left, accuracy.high), y, f"{kind} interval")
        + f'<circle class="{kind}" cx="{_x(left, accuracy.share):.1f}" cy="{y:.1f}" r="3.4"/></g>'
    )


def _break_label(name: str) -> tuple[str, str]:
    """Return a type's name in two lines of about equal length."""
    words = name.replace("_", " ").split()
    splits = [(" ".join(words[:i]), " ".join(words[i:])) for i in range(1, len(words) + 1)]
    first, second = min(splits or [(name, "")], key=lambda pair: max(map(len, pair)))
    return first[:24], second[:24]


def _x(left: float, share: float) -> float:
    return left + 6 + share * (CELL_WIDTH - 18)
