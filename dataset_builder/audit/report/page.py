"""The page: everything of an audit in one HTML file that needs nothing beside it."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Template

from personamem.dataset_builder.audit.baselines import SHALLOW_LIMIT
from personamem.dataset_builder.audit.report.plots import draw_baselines, draw_histogram
from personamem.dataset_builder.audit.run import PartAudit
from personamem.dataset_builder.core.findings import Section
from personamem.dataset_builder.reports import load_template

_TEMPLATE = Path(__file__).with_name("page.html.jinja")


def render_page(source: str, audits: Sequence[PartAudit]) -> str:
    """Return the page. Whatever comes from the dataset is escaped."""
    return _template().render(
        source=source,
        audits=audits,
        sections=list(Section),
        shallow_limit=SHALLOW_LIMIT,
        passed=not any(audit.failures for audit in audits),
    )


@cache
def _template() -> Template:
    return load_template(_TEMPLATE, draw_baselines=draw_baselines, draw_histogram=draw_histogram)
