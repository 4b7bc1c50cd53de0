"""Importing the libraries of the extra ``rag`` when they are needed."""

from importlib import import_module
from typing import Any

from personamem.loaders.formats.errors import PersonamemError


def import_extra(module: str) -> Any:
    """Import a library of the extra ``rag``.

    Raises:
        PersonamemError: it, or what it needs, is not installed; says what to run.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise PersonamemError(
            f"Retrieval needs the package {error.name!r}. Run: pip install personamem[rag]"
        ) from error
