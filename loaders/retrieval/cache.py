"""Embeddings on disk, by model and content of the text.

One SQLite file per model holds the vectors under the SHA-256 of their texts. Each batch is one
transaction, so a run that is killed loses at most the batch at hand, and two runs may share a file.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from personamem.loaders.formats.errors import DatasetError

Vector = npt.NDArray[np.float32]

_KEYS_PER_LOOKUP = 500
_WAIT_SECONDS = 60.0


class EmbeddingCache:
    """The vectors of one model; keys are texts, values are float32 vectors of one length."""

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self.path = folder / f"{fingerprint[:32]}.sqlite"

    def find(self, texts: Iterable[str]) -> dict[str, Vector]:
        """Return the vectors of those texts that are known.

        Raises:
            DatasetError: the file is not a cache.
        """
        if not self.path.exists():
            return {}
        by_key = {_make_key(text): text for text in texts}
        found: dict[str, Vector] = {}
        with self._open() as connection:
            for keys in _split(list(by_key), _KEYS_PER_LOOKUP):
                marks = ",".join("?" * len(keys))
                query = f"SELECT key, vector FROM embeddings WHERE key IN ({marks})"
                for key, vector in connection.execute(query, keys):
                    found[by_key[key]] = np.frombuffer(vector, dtype="<f4")
        return found

    def add(self, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors by text, all or none of them.

        Raises:
            DatasetError: the file is not a cache.
            OSError: the folder cannot be made.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        rows = [
            (_make_key(text), vector.astype("<f4").tobytes()) for text, vector in vectors.items()
        ]
        with self._open() as connection:
            connection.executemany("INSERT OR REPLACE INTO embeddings VALUES (?, ?)", rows)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            connection = sqlite3.connect(self.path, timeout=_WAIT_SECONDS)
            try:
                with connection:
                    connection.execute(
                        "CREATE TABLE IF NOT EXISTS embeddings"
                        " (key BLOB PRIMARY KEY, vector BLOB NOT NULL)"
                    )
                    yield connection
            finally:
                connection.close()
        except sqlite3.Error as error:
            raise DatasetError(
                f"{self.path} cannot be used as a cache of embeddings: {error}. Delete it, or name "
                "another folder."
            ) from error


def _make_key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _split(items: Sequence[bytes], size: int) -> Iterator[Sequence[bytes]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
