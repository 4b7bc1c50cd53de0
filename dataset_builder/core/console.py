"""Where output goes: results to standard output, progress and errors to standard error.

Datasets may come from anybody: control characters in a text are shown as signs and never reach the
terminal, and what no encoding can write is replaced.
"""

import re
from collections.abc import Iterable
from functools import cache

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u202a-\u202e\u2066-\u2069"  # They reverse the order in which text is shown.
    "\ud800-\udfff]"  # No encoding can write them.
)
_DELETE = 0x7F
_PICTURES = 0x2400
"""The sign of control character n is this code point plus n."""


class SafeConsole(Console):
    """A console that prints texts of unknown origin; only its own styles control the terminal."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of ``renderable``, with control characters in texts shown as signs."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(clean(segment.text), segment.style)


def clean(text: str) -> str:
    """Return ``text`` with a sign for each control character but the line feed and the tab."""
    return _CONTROL.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(_PICTURES + code)
    return "\N{SYMBOL FOR DELETE}" if code == _DELETE else "\N{REPLACEMENT CHARACTER}"


@cache
def output() -> Console:
    """Return the console for results; as wide as needed when it is not a terminal."""
    console = SafeConsole(highlight=False)
    return console if console.is_terminal else SafeConsole(highlight=False, width=200)


@cache
def errors() -> Console:
    """Return the console for progress and errors."""
    return SafeConsole(stderr=True, highlight=False)
