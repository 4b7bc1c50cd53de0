"""Reports as pages: one HTML file that needs nothing beside it, with plots as SVG text."""

from personamem.dataset_builder.reports.svg import draw_line, draw_text, format_number, make_svg
from personamem.dataset_builder.reports.template import format_figure, load_template

__all__ = [
    "draw_line",
    "draw_text",
    "format_figure",
    "format_number",
    "load_template",
    "make_svg",
]
