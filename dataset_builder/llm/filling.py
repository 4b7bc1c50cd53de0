"""What it means to have requests answered into a store, whoever answers them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from personamem.dataset_builder.llm.cost import FREE, Prices
from personamem.dataset_builder.llm.progress import Progress
from personamem.dataset_builder.llm.records import Failure, Outcome, Request
from personamem.dataset_builder.llm.store import AnswerStore

Follow: TypeAlias = Callable[[Request, Outcome], Request | None]
"""Returns what is to be asked next, in view of an outcome."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run did; ``failures`` in the order in which they came."""

    progress: Progress
    failures: tuple[tuple[Request, Failure], ...]


class Fill(Protocol):
    """Has every request's outcome in the store, and whatever is to be asked next."""

    def __call__(
        self,
        requests: Iterable[Request],
        store: AnswerStore,
        *,
        prices: Prices = FREE,
        budget: float | None = None,
        report: Callable[[Progress], None] = lambda progress: None,
        follow: Follow = lambda request, outcome: None,
    ) -> RunSummary:
        """Ask for what the store does not hold; see ``answer_all`` for the arguments."""
        ...
