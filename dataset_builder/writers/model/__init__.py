"""The ``openai`` writer: sessions from a chat model, each held to its plan before it is used.

What is written is a function of the briefs, the settings and the stored answers alone.
"""

from personamem.dataset_builder.writers.model.prompts import hash_prompts, request_session
from personamem.dataset_builder.writers.model.rounds import (
    MOST_ROUNDS,
    Conclusion,
    estimate_sessions,
    write_sessions,
)
from personamem.dataset_builder.writers.model.verify import Flaw, FlawError, read_session

__all__ = [
    "MOST_ROUNDS",
    "Conclusion",
    "Flaw",
    "FlawError",
    "estimate_sessions",
    "hash_prompts",
    "read_session",
    "request_session",
    "write_sessions",
]
