"""What a manifest states about a dataset, held against what is found: files and counts."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from personamem.dataset_builder.core.findings import Check, Section, Violations
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.manifest import MANIFEST, Manifest, check_file
from personamem.loaders.formats.records import show_value

FILES = Check(
    Section.STRUCTURE,
    "files",
    "Files that are missing, or whose size, sha256 or rows are not those of the manifest.",
)
FACTS = Check(
    Section.STRUCTURE, "manifest", "Facts that the manifest states and the dataset contradicts."
)


def check_files(
    manifest: Manifest, folder: Path, names: Iterable[str], whole: bool, violations: Violations
) -> None:
    """Check files against the manifest; each is read once.

    A part fetched from the Hub is not ``whole``: it comes without the files that nothing reads.
    """
    for name in names:
        path = folder / name
        if whole or path.exists():
            try:
                check_file(manifest, name, path)
            except (DatasetError, OSError) as error:
                violations.add(FILES, str(error))


def check_facts(
    stated: Mapping[str, Any], found: Mapping[str, Any], where: str, violations: Violations
) -> None:
    """Check that the manifest states exactly what was found, at the key ``where`` or at its top."""
    for row in _list_differences(stated, found, where):
        violations.add(FACTS, f"{MANIFEST}: {row}")


def _list_differences(stated: Any, found: Any, where: str) -> Iterator[str]:
    if not isinstance(stated, Mapping) or not isinstance(found, Mapping):
        # A list read back from JSON stands for a tuple; True is not 1.
        if type(stated) is not type(found) or stated != found:
            yield f"{where} is {show_value(stated)}, found {show_value(found)}"
        return
    for key in sorted(stated.keys() | found.keys()):
        place = f"{where}.{key}" if where else key
        if key not in found:
            yield f"{place} is stated, and nothing bears it out"
        elif key not in stated:
            yield f"{place} is missing, found {show_value(found[key])}"
        else:
            yield from _list_differences(stated[key], found[key], place)
