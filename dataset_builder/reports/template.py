"""Templates of pages: each extends ``base.html.jinja``, which holds the style."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template


def load_template(path: Path, **functions: Callable[..., Any]) -> Template:
    """Return a template that may call ``functions``; what it renders is escaped.

    The filter ``figure`` is ``format_figure``.
    """
    environment = Environment(
        loader=FileSystemLoader([path.parent, Path(__file__).parent]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters["figure"] = format_figure
    environment.globals.update(functions)
    return environment.get_template(path.name)


def format_figure(figure: float | int | None) -> str:
    """Return a figure for people: counts whole, shares to four places."""
    if figure is None:
        return "-"
    return f"{figure:,}" if isinstance(figure, int) or figure == int(figure) else f"{figure:.4f}"
