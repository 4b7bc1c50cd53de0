"""Which retriever a task was told to use, and how many sessions it retrieves."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from personamem.loaders.formats.errors import InvalidInputError

DEFAULT_RETRIEVER = "bm25"
DEFAULT_K = 5


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """``retriever`` is a name or the folder of a model (see ``make_retriever``)."""

    retriever: str
    k: int


def read_settings(metadata: Mapping[str, Any]) -> RetrievalSettings:
    """Return the settings that lm-eval's ``--metadata`` names: ``retriever`` and ``k``.

    Raises:
        InvalidInputError: ``k`` is no number from 1. Whether there is such a retriever shows when
            it is made.
    """
    retriever, k = metadata.get("retriever", DEFAULT_RETRIEVER), metadata.get("k", DEFAULT_K)
    # lm-eval passes key=value pairs on as text.
    count = int(k) if isinstance(k, str) and k.isdecimal() else k
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InvalidInputError(f"--metadata has k {k!r}. Accepted: a whole number from 1.")
    return RetrievalSettings(str(retriever), count)
