"""What holds of every source file: one idea in 300 lines or less, families known to registries."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from personamem.loaders.formats.registry import FAMILIES

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("bench", "cards", "dataset_builder", "examples", "loaders", "tasks", "tests", "website")
MOST_LINES = 300
REGISTRIES = ("loaders/formats/registry.py", "tasks/inspect_tasks/registered.py")
# In two pieces, since this file is one of those it looks into.
SECOND_FAMILY = re.compile("persona" + "bench|commu" + "nit", re.IGNORECASE)


def list_sources() -> Iterator[Path]:
    yield from ROOT.glob("*.py")
    for folder in FOLDERS:
        yield from (ROOT / folder).rglob("*.py")


def list_scripts_and_styles() -> Iterator[Path]:
    """The site is ours to the last file: a library that is bundled would be named here."""
    for kind in ("js", "css", "html"):
        yield from (ROOT / "dataset_builder").rglob(f"*.{kind}")


def test_no_file_is_long() -> None:
    paths = [*list_sources(), *list_scripts_and_styles()]
    lengths = {path: path.read_text("utf-8").count("\n") for path in paths}
    assert len(lengths) > 320
    assert {str(path) for path, lines in lengths.items() if lines > MOST_LINES} == set()


def test_the_second_family_is_named_in_its_folders_and_the_registry_alone() -> None:
    """So a third takes a folder and a line, as the second did."""
    name = list(FAMILIES)[1]
    found = []
    for path in list_sources():
        place = path.relative_to(ROOT)
        if name in place.parts or place.as_posix() in REGISTRIES:
            continue
        lines = path.read_text("utf-8").splitlines()
        found += [
            f"{place}:{number}: {line.strip()}"
            for number, line in enumerate(lines, start=1)
            if SECOND_FAMILY.search(f"{place} {line}")
        ]
    assert found == []


@pytest.mark.parametrize(
    "text", ["Persona" + "Bench", "persona" + "bench_noise_0", "the commu" + "nities"]
)
def test_the_names_looked_for_are_those_of_the_family(text: str) -> None:
    assert SECOND_FAMILY.search(text)
