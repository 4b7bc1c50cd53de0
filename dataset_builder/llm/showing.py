"""What a run of requests will take, and its progress: a bar on a terminal, else plain lines."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bars

from personamem.dataset_builder.core.console import errors, output
from personamem.dataset_builder.llm.cost import Estimate, Prices
from personamem.dataset_builder.llm.progress import Progress

LINE_SECONDS = 10.0
"""Seconds between plain lines; the last line is always printed."""


@contextmanager
def show_answers(what: str) -> Iterator[Callable[[Progress], None]]:
    """Yield a callback for ``report``; ``what`` names the requests, like "sessions"."""
    show = _show_bar if errors().is_terminal else _print_lines
    with show(what) as report:
        yield report


def print_plan(planned: Estimate, prices: Prices | None, what: str) -> None:
    """Print calls, tokens and, with prices, the price; ``what`` names an answer, like "verdict"."""
    output().print(f"calls: {planned.calls:,}, and {planned.stored:,} whose {what} is stored")
    output().print(f"tokens to read: {planned.prompt_tokens:,} (o200k_base)")
    output().print(f"tokens to write: at most {planned.completion_tokens:,}")
    if prices:
        output().print(f"price: at most {planned.price:.2f}")


def describe(progress: Progress) -> str:
    """Return the state as one line, without the number of requests."""
    tokens = progress.prompt_tokens + progress.completion_tokens
    parts = [f"{progress.rate:.1f}/s", f"{tokens:,} tokens"]
    if progress.cost:
        parts.append(f"cost {progress.cost:.2f}")
    if progress.failed:
        parts.append(f"{progress.failed:,} failed")
    left = progress.seconds_left
    if left:
        parts.append(f"{_format_seconds(left)} left")
    if progress.trouble:
        parts.append(f"waiting: {progress.trouble}")
    return ", ".join(parts)


@contextmanager
def _show_bar(what: str) -> Iterator[Callable[[Progress], None]]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[state]}"),
    )
    with Bars(*columns, console=errors()) as bars:
        task = bars.add_task(what, total=None, state="")

        def draw(progress: Progress) -> None:
            bars.update(
                task,
                total=progress.total,
                completed=progress.done,
                state=escape(describe(progress)),
            )

        yield draw


@contextmanager
def _print_lines(what: str) -> Iterator[Callable[[Progress], None]]:
    printed, trouble = time.monotonic(), ""
    last = Progress()

    def print_line(progress: Progress) -> None:
        nonlocal printed, trouble, last
        last, now = progress, time.monotonic()
        if now - printed < LINE_SECONDS and progress.trouble == trouble:
            return
        printed, trouble = now, progress.trouble
        _print(what, progress)

    try:
        yield print_line
    finally:
        _print(what, last)


def _print(what: str, progress: Progress) -> None:
    total = "" if progress.total is None else f"/{progress.total:,}"
    errors().print(
        f"{what}: {progress.done:,}{total}, {escape(describe(progress))}", soft_wrap=True
    )


def _format_seconds(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
