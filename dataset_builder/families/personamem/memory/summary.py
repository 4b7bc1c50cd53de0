"""What runs of memory systems say, as tables and as plain values."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean

from personamem.dataset_builder.llm.cost import Prices
from personamem.dataset_builder.reports.tables import TextTable, format_share
from personamem.loaders.memory.meter import Usage
from personamem.loaders.memory.records import ContextRun, iterate_scores
from personamem.loaders.memory.scoring import SearchScore


@dataclass(frozen=True, slots=True)
class BudgetFigures:
    """What one system returned at one budget; shares are NaN where nothing tells.

    ``recall``, ``written`` and ``stale`` are means over the searches, ``whole`` is the share of
    questions whose evidence all came back.
    """

    system: str
    budget: int
    recall: float
    written: float
    whole: float
    stale: float
    tokens: float
    foreign: int
    over: float
    milliseconds: float


@dataclass(frozen=True, slots=True)
class CostFigures:
    """What one system took: sessions, their tokens, seconds, and calls of models."""

    system: str
    sessions: int
    tokens: int
    seconds: float
    failures: int
    add: Usage
    search: Usage
    price: float | None


def summarise_budget(system: str, budget: int, runs: Sequence[ContextRun]) -> BudgetFigures:
    """Return the figures of a system's runs at one budget."""
    scores = list(iterate_scores(runs, budget))

    def average(read: Callable[[SearchScore], float | None]) -> float:
        values = [value for value in map(read, scores) if value is not None]
        return mean(values) if values else math.nan

    return BudgetFigures(
        system=system,
        budget=budget,
        recall=average(lambda score: score.recall),
        written=average(lambda score: score.written),
        whole=average(lambda score: None if score.recall is None else float(score.recall == 1)),
        stale=average(lambda score: score.stale),
        tokens=average(lambda score: score.tokens),
        foreign=sum(score.foreign for score in scores),
        over=average(lambda score: score.over),
        milliseconds=1000 * average(lambda score: score.seconds),
    )


def summarise_cost(system: str, runs: Sequence[ContextRun], prices: Prices | None) -> CostFigures:
    """Return what a system's runs took."""
    add = sum((run.add_usage for run in runs), Usage())
    search = sum((run.search_usage for run in runs), Usage())
    both = add + search
    return CostFigures(
        system=system,
        sessions=sum(run.adds for run in runs),
        tokens=sum(run.added_tokens for run in runs),
        seconds=sum(run.add_seconds for run in runs),
        failures=sum(len(run.failures) for run in runs),
        add=add,
        search=search,
        price=prices.of_tokens(both.prompt_tokens, both.completion_tokens) if prices else None,
    )


def tabulate_budgets(figures: Sequence[BudgetFigures]) -> TextTable:
    """Return a table with a row for each system and budget."""
    head = "system", "budget", "recall", "written", "whole", "stale", "tokens", "foreign", "ms"
    rows = tuple(
        (
            row.system,
            f"{row.budget:,}",
            *(format_share(share) for share in (row.recall, row.written, row.whole, row.stale)),
            _format(row.tokens, "{:,.0f}"),
            f"{row.foreign:,}",
            _format(row.milliseconds, "{:,.1f}"),
        )
        for row in figures
    )
    note = (
        "recall: share of the evidence that came back; written: that are kept at all; "
        "whole: questions whose evidence all came back; stale: of what came back, what tells of "
        "other options or another time; foreign: texts of other users; ms: of a search."
    )
    return TextTable("Evidence found", head, rows, note)


def tabulate_costs(figures: Sequence[CostFigures]) -> TextTable:
    """Return a table with a row for each system."""
    head = (
        "system",
        "sessions",
        "tokens",
        "seconds",
        "calls",
        "tokens in",
        "tokens out",
        "embedded",
        "search calls",
        "price",
        "failed",
    )
    rows = tuple(
        (
            row.system,
            f"{row.sessions:,}",
            f"{row.tokens:,}",
            f"{row.seconds:,.1f}",
            f"{row.add.calls:,}",
            f"{row.add.prompt_tokens:,}",
            f"{row.add.completion_tokens:,}",
            f"{row.add.embedded:,}",
            f"{row.search.calls:,}",
            "-" if row.price is None else f"{row.price:,.4f}",
            f"{row.failures:,}",
        )
        for row in figures
    )
    note = (
        "sessions, tokens, seconds: taken in; calls, tokens in and out: of the system's own chat "
        "model, to take them in, like the texts embedded; price: of all calls."
    )
    return TextTable("What it took", head, rows, note)


def find_low(figures: Sequence[BudgetFigures], bound: float) -> list[str]:
    """Return a line for each system and budget whose recall is under a bound, or not known."""
    return [
        f"{row.system} at {row.budget} tokens: recall {row.recall:.3f}, under {bound:g}."
        for row in figures
        if not row.recall >= bound
    ]


def _format(value: float, form: str) -> str:
    return "-" if math.isnan(value) else form.format(value)
