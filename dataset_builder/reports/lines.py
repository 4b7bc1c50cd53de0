"""Lines as SVG text: shares against a quantity, one line a series, with a legend."""

import math
from collections.abc import Mapping, Sequence
from html import escape

from markupsafe import Markup

from personamem.dataset_builder.reports.svg import draw_line, draw_text, format_number, make_svg
from personamem.dataset_builder.reports.tables import format_share

COLOURS = 8
"""Colours of the page's style: series-0 to series-7, then from the start."""

PLOT_WIDTH, PLOT_HEIGHT, MARGIN = 360, 200, 34
LEGEND_ROW = 17

Series = Mapping[float, float]
"""Shares by the quantity; NaN where there is none."""


def draw_lines(series: Mapping[str, Series], quantity: str, reach: float | None = None) -> Markup:
    """Draw a line a series: shares (up) against a quantity (across). Empty without series.

    ``quantity`` names what is across; its axis goes from 0 to ``reach``, or over what there is.
    """
    points = {
        name: [(x, value) for x, value in sorted(values.items()) if not math.isnan(value)]
        for name, values in series.items()
    }
    if not any(points.values()):
        return Markup("")
    ticks = sorted({x for values in series.values() for x in values})
    low, high = (0.0, reach) if reach is not None else (ticks[0], ticks[-1])
    highest = max(value for values in points.values() for _, value in values) or 1.0
    top = min(1.0, math.ceil(highest * 10) / 10)

    def place(x: float, share: float) -> tuple[float, float]:
        across = (x - low) / (high - low) if high > low else 0.5
        return MARGIN + across * (PLOT_WIDTH - 2 * MARGIN), 12 + PLOT_HEIGHT * (1 - share / top)

    parts = []
    for step in range(5):
        share = top * step / 4
        _, y = place(low, share)
        parts.append(draw_line(MARGIN, y, PLOT_WIDTH - MARGIN, y, "edge"))
        parts.append(draw_text(MARGIN - 6, y + 4, format_number(share), "right"))
    for tick in ticks:
        parts.append(draw_text(place(tick, 0)[0], PLOT_HEIGHT + 28, f"{tick:,g}", "tick"))
    for number, (name, values) in enumerate(points.items()):
        places = [place(x, share) for x, share in values]
        parts.append(draw_path(places, number, closed=False))
        for (tick, share), (x, y) in zip(values, places, strict=True):
            title = f"{name}, {quantity} {tick:,g}: {format_share(share)}"
            parts.append(draw_dot(x, y, number, title))
    legend, below = draw_legend(list(points), PLOT_HEIGHT + 40)
    return make_svg(max(PLOT_WIDTH, width_of(points)), below, [*parts, *legend])


def draw_path(places: Sequence[tuple[float, float]], number: int, closed: bool) -> str:
    """Return the line of a series through some places."""
    kind = "polygon" if closed else "polyline"
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<{kind} class="outline series-{number % COLOURS}" points="{points}"/>'


def draw_dot(x: float, y: float, number: int, title: str) -> str:
    """Return a point of a series; the title is shown under the mouse."""
    return (
        f'<circle class="series-{number % COLOURS}" cx="{x:.1f}" cy="{y:.1f}" r="3.2">'
        f"<title>{escape(title)}</title></circle>"
    )


def draw_legend(names: Sequence[str], top: float) -> tuple[list[str], float]:
    """Return the parts of a legend, and where it ends."""
    parts = []
    for number, name in enumerate(names):
        y = top + LEGEND_ROW * number
        parts.append(draw_dot(8, y, number, name))
        parts.append(draw_text(18, y + 4, name, "label"))
    return parts, top + LEGEND_ROW * len(names)


def width_of(names: Mapping[str, object]) -> float:
    """Return the width of a legend."""
    return 30 + 6.5 * max(map(len, names), default=0)
