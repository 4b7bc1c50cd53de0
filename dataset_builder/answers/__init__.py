"""Answers of chat models to many requests: asked once, stored at once, found again.

``fill_store`` asks a server for whatever a store does not hold yet, ``fill_in_batches`` an engine.
What is made of the answers is then a function of the store alone, so it can be made again without
either. Knows nothing of personas.
"""

from personamem.dataset_builder.answers.asking import answer_all, fill_from, fill_store
from personamem.dataset_builder.answers.batches import fill_in_batches
from personamem.dataset_builder.answers.cost import FREE, Estimate, Prices, estimate
from personamem.dataset_builder.answers.errors import (
    BudgetSpentError,
    ServerError,
    StoreError,
    UnreadableAnswerError,
)
from personamem.dataset_builder.answers.filling import Fill, Filled, Follow
from personamem.dataset_builder.answers.progress import Progress
from personamem.dataset_builder.answers.reading import read_json
from personamem.dataset_builder.answers.records import (
    Answer,
    Failure,
    FailureKind,
    Outcome,
    Request,
)
from personamem.dataset_builder.answers.server import Server
from personamem.dataset_builder.answers.store import AnswerStore

__all__ = [
    "FREE",
    "Answer",
    "AnswerStore",
    "BudgetSpentError",
    "Estimate",
    "Failure",
    "FailureKind",
    "Fill",
    "Filled",
    "Follow",
    "Outcome",
    "Prices",
    "Progress",
    "Request",
    "Server",
    "ServerError",
    "StoreError",
    "UnreadableAnswerError",
    "answer_all",
    "estimate",
    "fill_from",
    "fill_in_batches",
    "fill_store",
    "read_json",
]
