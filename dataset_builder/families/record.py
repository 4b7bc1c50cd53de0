"""The record of a family in a manifest: plain values as the family's own model reads them."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.manifest import MANIFEST, Manifest

Record = TypeVar("Record", bound=BaseModel)


def read_record(manifest: Manifest, family: str, kind: type[Record]) -> Record:
    """Return what the manifest says about ``family``.

    Raises:
        DatasetError: the manifest has no such family, a key is missing, or a value cannot be; the
            first key at fault is named.
    """
    if family not in manifest.families:
        raise DatasetError(f"{MANIFEST}: families has no entry {family!r}.")
    try:
        return kind.model_validate(manifest.families[family].model_dump())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, (family, *first["loc"])))
        found = "" if first["type"] == "missing" else f" (found {_shorten(repr(first['input']))})"
        raise DatasetError(f"{MANIFEST}: families.{where}: {first['msg']}{found}.") from error


def _shorten(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:80]}..."
