"""The part of ``personamem stats --check`` that asks a model."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from personamem.dataset_builder.families.personalens.checker.checking import (
    Checker,
    Opinion,
    ask_checker,
    count_opinions,
)
from personamem.dataset_builder.llm import FREE, AnswerStore, Prices, Server, estimate, fill_from
from personamem.dataset_builder.llm.showing import print_plan, show_answers
from personamem.dataset_builder.reports.tables import TextTable
from personamem.loaders.formats.whole_files import prepare_file
from personamem.loaders.personalens.schema import Profile


@dataclass(frozen=True, slots=True)
class Asking:
    """How a model is asked: without an address, the file of its opinions alone answers."""

    checker: Checker
    base_url: str | None
    path: Path
    concurrency: int
    prices: Prices | None


def plan_asking(profiles: Sequence[Profile], asking: Asking) -> None:
    """Print what asking takes; nothing is sent."""
    requests = asking.checker.iterate_requests(profiles)
    if asking.path.exists():
        with AnswerStore(asking.path) as store:
            planned = estimate(requests, asking.prices or FREE, store)
    else:
        planned = estimate(requests, asking.prices or FREE)
    print_plan(planned, asking.prices, "opinion")


def ask(profiles: Sequence[Profile], asking: Asking) -> list[Opinion]:
    """Ask, and keep every opinion at once. Raises as ``ask_checker`` does."""
    prepare_file(asking.path)
    address, side_by_side = asking.base_url, asking.concurrency
    fill = fill_from(Server(address, concurrency=side_by_side)) if address else None
    with AnswerStore(asking.path) as store, show_answers("profiles") as report:
        return ask_checker(
            profiles, asking.checker, store, fill, prices=asking.prices or FREE, report=report
        )


def tabulate_opinions(
    model: str, opinions: Sequence[Opinion], by_rules: Collection[str]
) -> TextTable:
    """Return the counts of opinions; ``by_rules`` are users whose profiles break rules."""
    counts = count_opinions(opinions)
    both = sum(each.status == "flagged" and each.user_id in by_rules for each in opinions)
    cells = (f"{len(opinions):,}", *(f"{count:,}" for count in counts.values()), f"{both:,}")
    note = (
        "Unreadable: no verdict could be read from the reply, which counts as neither; failed: "
        "there is no reply, and the same command asks again; by rules too: of the flagged."
    )
    head = ("profiles", *counts, "by rules too")
    return TextTable(f"Profiles checked by {model}", head, (cells,), note)
