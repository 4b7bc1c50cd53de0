"""Plots of results as SVG text: scores against noise, and the radar of six axes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from html import escape

from markupsafe import Markup

from personamem.dataset_builder.families.personabench.results.tables import AXES, format_share
from personamem.dataset_builder.reports import draw_line, draw_text, format_number, make_svg
from personamem.loaders.personabench.radar import Radar

COLOURS = 8
"""Colours of the page's style: series-0 to series-7, then from the start."""

PLOT_WIDTH, PLOT_HEIGHT, MARGIN = 360, 200, 34
RADIUS, RADAR_MARGIN = 130, 130
LEGEND_ROW = 17


def draw_against_noise(series: Mapping[str, Mapping[float, float]]) -> Markup:
    """Draw a line a series: shares (up) against noise level (across). Empty without series."""
    points = {
        name: [(noise, value) for noise, value in values.items() if not math.isnan(value)]
        for name, values in series.items()
    }
    if not any(points.values()):
        return Markup("")
    noises = sorted({noise for values in series.values() for noise in values})
    highest = max(value for values in points.values() for _, value in values) or 1.0
    top = min(1.0, math.ceil(highest * 10) / 10)

    def place(noise: float, share: float) -> tuple[float, float]:
        return MARGIN + noise * (PLOT_WIDTH - 2 * MARGIN), 12 + PLOT_HEIGHT * (1 - share / top)

    parts = []
    for step in range(5):
        share = top * step / 4
        _, y = place(0, share)
        parts.append(draw_line(MARGIN, y, PLOT_WIDTH - MARGIN, y, "edge"))
        parts.append(draw_text(MARGIN - 6, y + 4, format_number(share), "right"))
    for noise in noises:
        x, _ = place(noise, 0)
        parts.append(draw_text(x, PLOT_HEIGHT + 28, f"{noise:g}", "tick"))
    for number, (name, values) in enumerate(points.items()):
        places = [place(noise, share) for noise, share in values]
        parts.append(_draw_path(places, number, closed=False))
        for (noise, share), (x, y) in zip(values, places, strict=True):
            parts.append(_draw_dot(x, y, number, f"{name}, noise {noise:g}: {format_share(share)}"))
    legend, below = _draw_legend(list(points), PLOT_HEIGHT + 40)
    return make_svg(max(PLOT_WIDTH, _width_of(points)), below, [*parts, *legend])


def draw_radar(radars: Mapping[str, Radar], low: float, high: float) -> Markup:
    """Draw the axes of every system between ``low`` (centre) and ``high``.

    An axis without a value is left out of a system's outline. Empty without any value.
    """
    if all(math.isnan(value) for radar in radars.values() for value in astuple(radar)):
        return Markup("")
    centre_x, centre_y = RADIUS + RADAR_MARGIN, RADIUS + 24

    def place(axis: int, value: float) -> tuple[float, float]:
        share = (min(max(value, low), high) - low) / (high - low)
        angle = 2 * math.pi * axis / len(AXES) - math.pi / 2
        return (
            centre_x + RADIUS * share * math.cos(angle),
            centre_y + RADIUS * share * math.sin(angle),
        )

    parts = []
    for ring in (0.25, 0.5, 0.75, 1.0):
        corners = [place(axis, low + ring * (high - low)) for axis in range(len(AXES))]
        for (x1, y1), (x2, y2) in zip(corners, [*corners[1:], corners[0]], strict=True):
            parts.append(draw_line(x1, y1, x2, y2, "edge"))
        x, y = corners[0]
        parts.append(draw_text(x + 4, y - 2, format_number(low + ring * (high - low)), "left"))
    for axis, name in enumerate(AXES):
        x, y = place(axis, high)
        parts.append(draw_line(centre_x, centre_y, x, y, "edge"))
        outward = 1.12 if axis in (0, len(AXES) // 2) else 1.08
        label_x, label_y = (
            centre + outward * (edge - centre) for centre, edge in ((centre_x, x), (centre_y, y))
        )
        kind = "tick" if abs(x - centre_x) < 1 else "left" if x > centre_x else "right"
        parts.append(draw_text(label_x, label_y + 4, name, kind))
    for number, (name, radar) in enumerate(radars.items()):
        known = [(a, value) for a, value in enumerate(astuple(radar)) if not math.isnan(value)]
        parts.append(_draw_path([place(*each) for each in known], number, closed=True))
        for axis, value in known:
            title = f"{name}, {AXES[axis]}: {format_share(value)}"
            parts.append(_draw_dot(*place(axis, value), number, title))
    legend, below = _draw_legend(list(radars), 2 * RADIUS + 60)
    return make_svg(max(2 * centre_x, _width_of(radars)), below, [*parts, *legend])


def _draw_path(places: Sequence[tuple[float, float]], number: int, closed: bool) -> str:
    kind = "polygon" if closed else "polyline"
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<{kind} class="outline series-{number % COLOURS}" points="{points}"/>'


def _draw_dot(x: float, y: float, number: int, title: str) -> str:
    return (
        f'<circle class="series-{number % COLOURS}" cx="{x:.1f}" cy="{y:.1f}" r="3.2">'
        f"<title>{escape(title)}</title></circle>"
    )


def _draw_legend(names: Sequence[str], top: float) -> tuple[list[str], float]:
    """Return the parts of a legend, and where it ends."""
    parts = []
    for number, name in enumerate(names):
        y = top + LEGEND_ROW * number
        parts.append(_draw_dot(8, y, number, name))
        parts.append(draw_text(18, y + 4, name, "label"))
    return parts, top + LEGEND_ROW * len(names)


def _width_of(names: Mapping[str, object]) -> float:
    return 30 + 6.5 * max(map(len, names), default=0)
