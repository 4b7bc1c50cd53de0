"""Where output goes: results to standard output, progress and errors to standard error."""

from functools import cache

from rich.console import Console


@cache
def output() -> Console:
    """Return the console for results; as wide as needed when it is not a terminal."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=200)


@cache
def errors() -> Console:
    """Return the console for progress and errors."""
    return Console(stderr=True, highlight=False)
