"""Commands run in this process: their exit code and all that they print."""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from personamem.dataset_builder.cli import main


class Done(NamedTuple):
    """How a command ended; ``err`` is on one line, without the frames of usage errors."""

    code: int
    out: str
    err: str


Call = Callable[..., Done]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """A function that runs ``personamem`` with words; a traceback fails the test."""

    def run(*words: object) -> Done:
        monkeypatch.setattr("sys.argv", ["personamem", *map(str, words)])
        code: object = 0
        try:
            main()
        except SystemExit as stopped:
            code = stopped.code or 0
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        assert isinstance(code, int)
        return Done(code, captured.out, " ".join(captured.err.replace("│", " ").split()))

    return run
