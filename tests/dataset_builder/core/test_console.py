"""Texts of unknown origin cannot control the terminal; styles of the program can."""

from io import StringIO

import pytest
from rich.table import Table
from rich.text import Text

from personamem.dataset_builder.core.console import SafeConsole, clean


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain \N{GRINNING FACE} text,\n\tin lines", "plain \N{GRINNING FACE} text,\n\tin lines"),
        ("\x1b[31mred\x07", "␛[31mred␇"),
        ("a\rb\x7fc\x9bd", "a␍b␡c\N{REPLACEMENT CHARACTER}d"),
        ("\u202etxt.exe\ud800", "\N{REPLACEMENT CHARACTER}txt.exe\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_control_characters_are_shown_as_signs(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_whatever_is_printed_is_clean_and_styles_remain() -> None:
    stream = StringIO()
    console = SafeConsole(file=stream, force_terminal=True, width=60, color_system="standard")
    hostile = "\x1b]0;owned\x07"
    table = Table("column", title=Text(hostile))
    table.add_row(Text(hostile))
    console.print(table)
    console.print(f"[bold]{hostile}[/]", soft_wrap=True)
    printed = stream.getvalue()
    assert "\x1b[1m" in printed
    assert "\x1b]" not in printed
    assert printed.count("␛") == 3
