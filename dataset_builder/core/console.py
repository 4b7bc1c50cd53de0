"""Where output goes: results to standard output, progress and errors to standard error.

Datasets come from anybody, and a terminal obeys what it is sent: a text may rename the window, hide
lines, or turn their order around. So the consoles write control characters as escapes, such as
``\\x1b``, whatever they are told to print. ``plain`` and ``join`` make text of data that is no
markup either.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

_CONTROLS = {*range(0x20), *range(0x7F, 0xA0)} - {ord("\n"), ord("\t")}
_LINE_BREAKS_AND_BIDI = {*range(0x2028, 0x202F), *range(0x2066, 0x206A)}
_SURROGATES = range(0xD800, 0xE000)
_ESCAPES = {code: f"\\x{code:02x}" for code in _CONTROLS} | {
    code: f"\\u{code:04x}" for code in (*_LINE_BREAKS_AND_BIDI, *_SURROGATES)
}


def show_controls(text: str) -> str:
    """Return a text whose control characters are escapes that show, such as ``\\x1b``.

    These are the control characters of ASCII and Latin-1 but for newline and tab, the separators
    of lines and paragraphs, the overrides and isolates of writing directions, and halves of
    surrogate pairs.
    """
    return text if text.isascii() and text.isprintable() else text.translate(_ESCAPES)


def plain(value: object, style: str = "") -> Text:
    """Return what ``str`` makes of a value as it is: brackets are no markup."""
    return Text(show_controls(str(value)), style=style)


def join(*parts: str | tuple[str, str]) -> Text:
    """Return a line of texts, each as it is, or with a style as (text, style)."""
    texts = [plain(part) if isinstance(part, str) else plain(*part) for part in parts]
    return Text.assemble(*texts)


class SafeConsole(Console):
    """A console that sends a terminal no control character but its own."""

    def __init__(self, **settings: Any) -> None:
        """Make a console that neither highlights nor replaces ``:names:`` of emoji."""
        super().__init__(highlight=False, emoji=False, **settings)

    def render_str(self, text: str, **settings: Any) -> Text:
        """Return a text with markup; escapes are made first, so that its layout counts them."""
        return super().render_str(show_controls(text), **settings)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield what is written; codes of the console's own are in segments of their own."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(self._make_writable(segment.text), segment.style)

    def _make_writable(self, text: str) -> str:
        shown = show_controls(text)
        if self.encoding.startswith("utf"):
            return shown
        return shown.encode(self.encoding, "backslashreplace").decode(self.encoding)


@cache
def output() -> Console:
    """Return the console for results; as wide as needed when it is not a terminal."""
    console = SafeConsole()
    return console if console.is_terminal else SafeConsole(width=200)


@cache
def errors() -> Console:
    """Return the console for progress and errors."""
    return SafeConsole(stderr=True)
