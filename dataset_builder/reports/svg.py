"""The parts of a plot as SVG text. Labels are escaped."""

from collections.abc import Sequence
from html import escape

from markupsafe import Markup


def make_svg(width: float, height: float, parts: Sequence[str]) -> Markup:
    """Return the picture of some parts; sizes in pixels."""
    return Markup(
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img">'
        + "".join(parts)
        + "</svg>"
    )


def draw_line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Return a line; ``kind`` is its class in the style of the page."""
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def draw_text(x: float, y: float, text: str, kind: str) -> str:
    """Return a label; ``kind`` is its class in the style of the page."""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def format_number(value: float) -> str:
    """Return the number of an axis: whole from 10 on, else to two places."""
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2f}"
