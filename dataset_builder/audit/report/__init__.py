"""The reports of an audit: a table for the terminal, JSON, and one page of HTML."""

from personamem.dataset_builder.audit.report.page import render_page
from personamem.dataset_builder.audit.report.tables import make_tables

__all__ = ["make_tables", "render_page"]
