"""The parts of a plot as SVG text, and a plot as a picture of its own. Labels are escaped."""

import re
from collections.abc import Sequence
from functools import cache
from html import escape, unescape
from pathlib import Path

from markupsafe import Markup

STYLE = Path(__file__).with_name("plot.css")
"""The classes and colours of plots, light and dark; pages include it too."""

LETTER_WIDTH = 6.2
"""Pixels of a letter of a label, on average."""

_MARGIN, _TITLE_HEIGHT = 18, 62
_TITLE = re.compile(r"<title>([^<]*)</title>")
_FRAME = re.compile(r'<svg viewBox="0 0 (\d+) (\d+)"[^>]*>(.*)</svg>', re.DOTALL)


def make_svg(width: float, height: float, parts: Sequence[str]) -> Markup:
    """Return the picture of some parts; sizes in pixels."""
    return Markup(
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img">'
        + "".join(parts)
        + "</svg>"
    )


def make_picture(title: str, note: str, plot: Markup) -> str:
    """Return the file of a picture: what ``make_svg`` returned, under a title and a line of text.

    The file needs nothing beside it, follows the light or dark scheme of whoever looks at it, and
    brings its own background, since the page around it may follow another.
    """
    found = _FRAME.fullmatch(str(plot))
    if found is None:
        raise ValueError("A picture is made of what make_svg returned.")
    text = max(len(title) * 1.25, len(note)) * LETTER_WIDTH
    width = max(float(found[1]), text) + 2 * _MARGIN
    height = int(found[2]) + _TITLE_HEIGHT + _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
        f'width="{width:.0f}" height="{height}" role="img">\n<title>{escape(title)}</title>\n'
        f"<style>\n{_read_style()}svg .paper {{ fill: var(--paper); stroke: var(--rule); }}\n"
        "svg .title { font-size: 14px; font-weight: 600; }\n</style>\n"
        f'<rect class="paper" x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1}" '
        f'rx="8"/>\n{draw_text(_MARGIN, 26, title, "title")}\n'
        f"{draw_text(_MARGIN, 44, note, 'head')}\n"
        f'<g transform="translate({_MARGIN} {_TITLE_HEIGHT})">{found[3]}</g>\n</svg>\n'
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


def read_figures(picture: str) -> list[str]:
    """Return what the marks of a picture state, sorted: its figures, without style or layout."""
    return sorted(unescape(title) for title in _TITLE.findall(picture)[1:])


@cache
def _read_style() -> str:
    return STYLE.read_text(encoding="utf-8")
