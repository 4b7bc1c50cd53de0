"""The progress of a run of requests."""

import pytest
from rich.console import Console

from personamem.dataset_builder.llm import Progress, showing

HALF = Progress(
    total=100,
    stored=10,
    answered=40,
    attempts=50,
    prompt_tokens=9000,
    completion_tokens=1000,
    cost=1.25,
    seconds=10.0,
)


def test_the_state_in_words() -> None:
    assert HALF.done == 50
    assert showing.describe(HALF) == "4.0/s, 10,000 tokens, cost 1.25, 0:12 left"
    away = Progress(failed=2, trouble="no connection")
    assert showing.describe(away) == ("0.0/s, 0 tokens, 2 failed, waiting: no connection")
    long = Progress(total=100_000, answered=10, seconds=10.0)
    assert showing.describe(long).endswith("27:46:30 left")


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_bar_on_a_terminal_and_lines_elsewhere(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    console = Console(force_terminal=is_terminal, width=100, record=True, quiet=False)
    monkeypatch.setattr(showing, "errors", lambda: console)
    trouble = Progress(total=100, answered=41, trouble="status 503, body '[red]'")
    with showing.show_answers("sessions") as report:
        report(HALF)
        report(trouble)
        report(HALF)
    shown = console.export_text()
    if is_terminal:
        assert "50/100" in shown
        return
    assert shown.splitlines() == [
        "sessions: 41/100, 0.0/s, 0 tokens, waiting: status 503, body '[red]'",
        "sessions: 50/100, 4.0/s, 10,000 tokens, cost 1.25, 0:12 left",
        "sessions: 50/100, 4.0/s, 10,000 tokens, cost 1.25, 0:12 left",
    ]
