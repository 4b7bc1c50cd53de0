"""The consoles: what data holds is shown, and never obeyed."""

import io

import pytest
from rich.markup import escape
from rich.progress import Progress, TextColumn
from rich.table import Table
from rich.text import Text

from personamem.dataset_builder.core.console import (
    SafeConsole,
    errors,
    join,
    output,
    plain,
    show_controls,
)

CONTROLS = {
    "escape": ("\x1b]0;pwned\x07", "\\x1b]0;pwned\\x07"),
    "null": ("\0", "\\x00"),
    "backspaces": ("abc\b\b\b", "abc\\x08\\x08\\x08"),
    "carriage return": ("safe\rrm", "safe\\x0drm"),
    "delete": ("\x7f", "\\x7f"),
    "an 8-bit command": ("\x9b2J\x9d0;x\x9c", "\\x9b2J\\x9d0;x\\x9c"),
    "next line": ("\x85", "\\x85"),
    "overrides": ("\u202ab\u202e", "\\u202ab\\u202e"),
    "isolates": ("\u2066b\u2069", "\\u2066b\\u2069"),
    "separators": ("\u2028\u2029", "\\u2028\\u2029"),
    "half of a surrogate pair": ("\ud800", "\\ud800"),
}
UNTOUCHED = "Zoë\tשלם 人 👩\u200d👩 [x] \\x1b\nnext"


def capture(
    terminal: bool = False, encoding: str = "utf-8"
) -> tuple[SafeConsole, io.TextIOWrapper]:
    stream = io.TextIOWrapper(io.BytesIO(), encoding, newline="\n")
    console = SafeConsole(file=stream, force_terminal=terminal, width=100, legacy_windows=False)
    return console, stream


def read(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode(stream.encoding)  # type: ignore[attr-defined]


@pytest.mark.parametrize("case", CONTROLS)
@pytest.mark.parametrize("way", ["markup", "plain", "joined", "text", "cell", "title", "header"])
def test_controls_are_shown_however_they_are_printed(case: str, way: str) -> None:
    text, shown = CONTROLS[case]
    console, stream = capture()
    if way == "markup":
        console.print(f"[bold]{escape(text)}[/]", soft_wrap=True)
    elif way == "plain":
        console.print(plain(text), soft_wrap=True)
    elif way == "joined":
        console.print(join("a", (text, "red")), soft_wrap=True)
    elif way == "text":
        console.print(Text(text), soft_wrap=True)
        shown = show_controls(Text(text).plain)  # A Text drops some of them itself.
    else:
        table = Table(title=text if way == "title" else None, min_width=40)
        table.add_column(text if way == "header" else "header")
        table.add_row(text if way == "cell" else "cell")
        console.print(table)
    found = read(stream)
    assert shown in found
    assert not set(found) & set("".join(chr(code) for code in range(0x20) if code != 0x0A))
    assert not set(found) & set("\x7f\x85\x9b\x9c\x9d\u202a\u202e\u2066\u2069\u2028\u2029")


def test_other_text_is_as_it_was() -> None:
    assert show_controls(UNTOUCHED) == UNTOUCHED
    console, stream = capture()
    console.print(plain(UNTOUCHED.replace("\t", "")), soft_wrap=True)
    assert read(stream) == UNTOUCHED.replace("\t", "") + "\n"


@pytest.mark.parametrize("text", ["[/x]", "[bold]", "[link=http://x]a", "\\[/]", "a\\", ":smile:"])
def test_data_is_no_markup(text: str) -> None:
    console, stream = capture()
    table = Table(title=plain(text))
    table.add_row(plain(text))
    console.print(plain(text), join(text, (text, "bold")), table)
    assert read(stream).count(text) == 5


def test_the_codes_of_the_console_itself_are_sent() -> None:
    console, stream = capture(terminal=True)
    console.print(join(("\x1b[5mwrong", "red")))
    assert read(stream) == "\x1b[31m\\x1b[5mwrong\x1b[0m\n"


def test_progress_bars_move_the_cursor_and_show_controls() -> None:
    console, stream = capture(terminal=True)
    with Progress(TextColumn("{task.description}", markup=False), console=console) as bars:
        bars.add_task("\x1b]0;pwned\x07", total=1)
    found = read(stream)
    assert "\x1b[?25l" in found  # The cursor is hidden meanwhile.
    assert "\x1b]0" not in found


def test_a_table_has_room_for_its_escapes() -> None:
    console, stream = capture()
    table = Table("a")
    table.add_row("\x1b\x1b\x1b")
    console.print(table)
    assert len({len(line) for line in read(stream).splitlines()}) == 1


def test_what_a_terminal_cannot_encode_is_shown() -> None:
    console, stream = capture(encoding="ascii")
    console.print(plain("Zoë 人"))
    assert read(stream) == "Zo\\xeb \\u4eba\n"


def test_both_consoles_are_safe(capsys: pytest.CaptureFixture[str]) -> None:
    for console in (output(), errors()):
        assert isinstance(console, SafeConsole)
        console.print("\x1b]0;pwned\x07")
    captured = capsys.readouterr()
    assert captured.out == captured.err == "\\x1b]0;pwned\\x07\n"
