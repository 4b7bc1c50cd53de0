"""The ``openai`` writer: text from a chat model, each piece held to its plan before it is used.

What is written is a function of the pieces and the stored answers alone.
"""

from personamem.dataset_builder.writers.model.pieces import (
    DocumentPiece,
    OptionsPiece,
    SessionPiece,
)
from personamem.dataset_builder.writers.model.prose import Flaw, FlawError
from personamem.dataset_builder.writers.model.rounds import (
    MOST_ROUNDS,
    Conclusion,
    Piece,
    estimate_pieces,
    write_pieces,
)
from personamem.dataset_builder.writers.model.session_checks import fold_message
from personamem.dataset_builder.writers.model.templating import hash_prompts

__all__ = [
    "MOST_ROUNDS",
    "Conclusion",
    "DocumentPiece",
    "Flaw",
    "FlawError",
    "OptionsPiece",
    "Piece",
    "SessionPiece",
    "estimate_pieces",
    "fold_message",
    "hash_prompts",
    "write_pieces",
]
