"""Stacked bars as SVG text: quantities of some kinds, one bar a row, with a legend."""

from collections.abc import Mapping
from html import escape

from markupsafe import Markup

from personamem.dataset_builder.reports.lines import COLOURS, draw_legend, width_of
from personamem.dataset_builder.reports.svg import LETTER_WIDTH, draw_text, make_svg

BAR_WIDTH, BAR_HEIGHT, ROW_HEIGHT = 340, 14, 21


def draw_bars(rows: Mapping[str, Mapping[str, int]], whole: bool = False) -> Markup:
    """Draw a bar a row, made of a part a kind; empty without rows.

    The totals stand behind the bars. Bars are as long as their totals; with ``whole`` all are
    equally long, and the parts are shares.
    """
    totals = {name: sum(parts.values()) for name, parts in rows.items()}
    if not any(totals.values()):
        return Markup("")
    kinds = list(dict.fromkeys(kind for parts in rows.values() for kind in parts))
    left = 10 + LETTER_WIDTH * max(map(len, rows))
    most = max(totals.values())
    drawn = []
    for number, (name, parts) in enumerate(rows.items()):
        top, x = ROW_HEIGHT * number, left
        drawn.append(draw_text(left - 6, top + 11, name, "right"))
        scale = BAR_WIDTH / (max(1, totals[name]) if whole else most)
        for kind, value in parts.items():
            if value:
                title = f"{name}, {kind}: {value:,} ({value / totals[name]:.1%})"
                drawn.append(_draw_part(x, top, value * scale, kinds.index(kind), title))
                x += value * scale
        drawn.append(draw_text(x + 6, top + 11, f"{totals[name]:,}", "left"))
    bottom = ROW_HEIGHT * len(rows) + 12
    legend, below = draw_legend(kinds, bottom) if len(kinds) > 1 else ([], bottom - 12.0)
    width = left + BAR_WIDTH + 12 + LETTER_WIDTH * len(f"{most:,}")
    return make_svg(max(width, width_of(dict.fromkeys(kinds))), below, [*drawn, *legend])


def _draw_part(x: float, top: float, width: float, number: int, title: str) -> str:
    return (
        f'<rect class="series-{number % COLOURS}" stroke-width="0" x="{x:.1f}" y="{top:.1f}" '
        f'width="{width:.1f}" height="{BAR_HEIGHT}"><title>{escape(title)}</title></rect>'
    )
