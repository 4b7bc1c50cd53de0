"""The interface for filling a store with answers, from a server or an engine."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from personamem.dataset_builder.llm.cost import FREE, Prices
from personamem.dataset_builder.llm.progress import Progress
from personamem.dataset_builder.llm.records import Failure, Outcome, Request
from personamem.dataset_builder.llm.store import AnswerStore

Follow: TypeAlias = Callable[[Request, Outcome], Request | None]
"""Returns the request that follows from an outcome, if there is one."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The final state of a run, and its failures in the order in which they occurred."""

    progress: Progress
    failures: tuple[tuple[Request, Failure], ...]


class Fill(Protocol):
    """Fills a store with the outcomes of requests, and of the requests that follow from them."""

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
        """Send the requests that the store does not hold; see ``answer_all`` for the arguments."""
        ...
