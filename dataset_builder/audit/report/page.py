"""The page: everything of an audit in one HTML file that needs nothing beside it."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, StrictUndefined, Template

from personamem.dataset_builder.audit.findings import Section
from personamem.dataset_builder.audit.report.plots import draw_baselines, draw_histogram
from personamem.dataset_builder.audit.run import SplitAudit
from personamem.dataset_builder.audit.verdicts import SHALLOW_LIMIT

_TEMPLATE = Path(__file__).with_name("page.html.jinja")


def render_page(source: str, audits: Sequence[SplitAudit]) -> str:
    """Return the page. Whatever comes from the dataset is escaped."""
    return _template().render(
        source=source,
        audits=audits,
        sections=list(Section),
        shallow_limit=SHALLOW_LIMIT,
        passed=not any(audit.failures for audit in audits),
    )


def format_figure(figure: float | int | None) -> str:
    """Return a figure for people: counts whole, shares to four places."""
    if figure is None:
        return "-"
    return f"{figure:,}" if isinstance(figure, int) or figure == int(figure) else f"{figure:.4f}"


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters["figure"] = format_figure
    environment.globals.update(draw_baselines=draw_baselines, draw_histogram=draw_histogram)
    return environment.from_string(_TEMPLATE.read_text("utf-8"))
