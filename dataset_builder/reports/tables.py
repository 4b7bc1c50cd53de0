"""Tables of figures as rows of texts, for the terminal, the page and a CSV file alike."""

import csv
import io
import math
from collections.abc import Iterable
from dataclasses import dataclass

from rich.markup import escape
from rich.table import Table


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table whose first column is a name and whose others are figures; ``note`` may be empty."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def show_table(table: TextTable) -> Table:
    """Return the table for a terminal."""
    shown = Table(title=escape(table.title), caption=escape(table.note) or None)
    for number, name in enumerate(table.head):
        shown.add_column(escape(name), justify="right" if number else "left")
    for row in table.rows:
        shown.add_row(*map(escape, row))
    return shown


def join_csv(tables: Iterable[TextTable]) -> str:
    """Return tables as one CSV text with the columns table, row, column, figure."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("table", "row", "column", "figure"))
    for table in tables:
        for row in table.rows:
            for name, cell in zip(table.head[1:], row[1:], strict=True):
                if cell:
                    writer.writerow((table.title, row[0], name, cell))
    return text.getvalue()


def format_share(value: float) -> str:
    """Return a figure to three decimals, or a dash where there is none."""
    return "-" if math.isnan(value) else f"{value:.3f}"
