"""Many requests to chat models: each is sent once, and its answer stored at once.

``complete_all`` sends what a store does not hold yet to a server, ``fill_in_batches`` to an engine.
Callers then read the store alone, so that their output can be made again without a server. Nothing
here knows about personas.
"""

from personamem.dataset_builder.llm.asking import answer_all, complete_all, fill_from
from personamem.dataset_builder.llm.batches import fill_in_batches
from personamem.dataset_builder.llm.cost import FREE, Estimate, Prices, estimate, read_prices
from personamem.dataset_builder.llm.errors import (
    BudgetSpentError,
    ServerError,
    StoreError,
    UnreadableAnswerError,
)
from personamem.dataset_builder.llm.filling import Fill, Follow, RunSummary
from personamem.dataset_builder.llm.progress import Progress
from personamem.dataset_builder.llm.reading import read_json
from personamem.dataset_builder.llm.records import (
    Answer,
    Failure,
    FailureKind,
    Outcome,
    Request,
)
from personamem.dataset_builder.llm.server import Server
from personamem.dataset_builder.llm.store import AnswerStore

__all__ = [
    "FREE",
    "Answer",
    "AnswerStore",
    "BudgetSpentError",
    "Estimate",
    "Failure",
    "FailureKind",
    "Fill",
    "Follow",
    "Outcome",
    "Prices",
    "Progress",
    "Request",
    "RunSummary",
    "Server",
    "ServerError",
    "StoreError",
    "UnreadableAnswerError",
    "answer_all",
    "complete_all",
    "estimate",
    "fill_from",
    "fill_in_batches",
    "read_json",
    "read_prices",
]
