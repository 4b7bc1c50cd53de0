"""Dots with intervals in a grid as SVG text: shares of rows (policies, models) by column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from markupsafe import Markup

from personamem.dataset_builder.reports.svg import LETTER_WIDTH, draw_line, draw_text, make_svg

LABEL_WIDTH, CELL_WIDTH, ROW_HEIGHT, HEAD_HEIGHT = 210, 116, 18, 34


@dataclass(frozen=True, slots=True)
class Dot:
    """A share from 0 to 1 at a row and a column; ``low`` to ``high`` is its interval of 95 %.

    One that is ``failing`` has the colour of a failure. ``total`` counts the questions.
    """

    row: str
    column: str
    share: float
    low: float
    high: float
    total: int
    failing: bool = False


def draw_dots(dots: Sequence[Dot], chance: float, limit: float | None = None) -> Markup:
    """Draw shares by row and column; dashed lines show ``chance`` and dotted ones ``limit``.

    Rows and columns stand in the order in which they come. Empty without dots.
    """
    if not dots:
        return Markup("")
    rows = list(dict.fromkeys(dot.row for dot in dots))
    columns = list(dict.fromkeys(dot.column for dot in dots))
    cells: Mapping[tuple[str, str], Dot] = {(dot.row, dot.column): dot for dot in dots}
    edge = max(LABEL_WIDTH, 10 + LETTER_WIDTH * max(map(len, rows)))
    bottom = HEAD_HEIGHT + ROW_HEIGHT * len(rows)
    parts = []
    for number, name in enumerate(columns):
        left = edge + CELL_WIDTH * number
        first, second = _break_label(name)
        parts.append(
            draw_text(left + 4, 13, first, "head") + draw_text(left + 4, 25, second, "head")
        )
        for share, kind in ((0.0, "edge"), (chance, "chance"), (limit, "limit")):
            if share is not None:
                x = _x(left, share)
                parts.append(draw_line(x, HEAD_HEIGHT - 2, x, bottom, kind))
        for share in (0.0, 0.5, 1.0):
            parts.append(draw_text(_x(left, share), bottom + 13, f"{share:.0%}", "tick"))
    for number, row in enumerate(rows):
        y = HEAD_HEIGHT + ROW_HEIGHT * number + ROW_HEIGHT / 2
        parts.append(draw_text(4, y + 4, row, "label"))
        for place, name in enumerate(columns):
            dot = cells.get((row, name))
            if dot is not None:
                parts.append(_draw_cell(dot, edge + CELL_WIDTH * place, y))
    return make_svg(edge + CELL_WIDTH * len(columns), bottom + 18, parts)


def _draw_cell(dot: Dot, left: float, y: float) -> str:
    kind = "fail" if dot.failing else "dot"
    title = escape(
        f"{dot.row}, {dot.column}: {100 * dot.share:.1f} % "
        f"({100 * dot.low:.1f}-{100 * dot.high:.1f} %) of {dot.total:,}"
    )
    return (
        f"<g><title>{title}</title>"
        + draw_line(_x(left, dot.low), y, _x(left, dot.high), y, f"{kind} interval")
        + f'<circle class="{kind}" cx="{_x(left, dot.share):.1f}" cy="{y:.1f}" r="3.4"/></g>'
    )


def _break_label(name: str) -> tuple[str, str]:
    """Return a column's name in two lines of about equal length."""
    words = name.replace("_", " ").split()
    splits = [(" ".join(words[:i]), " ".join(words[i:])) for i in range(1, len(words) + 1)]
    first, second = min(splits or [(name, "")], key=lambda pair: max(map(len, pair)))
    return first[:24], second[:24]


def _x(left: float, share: float) -> float:
    return left + 6 + share * (CELL_WIDTH - 30)
