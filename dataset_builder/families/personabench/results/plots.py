"""The radar of six axes as SVG text."""

import math
from collections.abc import Mapping
from dataclasses import astuple

from markupsafe import Markup

from personamem.dataset_builder.families.personabench.results.tables import AXES
from personamem.dataset_builder.reports import draw_line, draw_text, format_number, make_svg
from personamem.dataset_builder.reports.lines import draw_dot, draw_legend, draw_path, width_of
from personamem.dataset_builder.reports.tables import format_share
from personamem.loaders.personabench.radar import Radar

RADIUS, RADAR_MARGIN = 130, 130


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
        parts.append(draw_path([place(*each) for each in known], number, closed=True))
        for axis, value in known:
            title = f"{name}, {AXES[axis]}: {format_share(value)}"
            parts.append(draw_dot(*place(axis, value), number, title))
    legend, below = draw_legend(list(radars), 2 * RADIUS + 60)
    return make_svg(max(2 * centre_x, width_of(radars)), below, [*parts, *legend])
