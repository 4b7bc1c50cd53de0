"""Imports point one way: from the command line down to the schema, never back."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUILDER = "personamem.dataset_builder"

LAYERS = (
    {"errors", "schema", "open_schema"},
    {
        "streams",
        "tokens",
        "grammar",
        "content_yaml",
        "packs",
        "pages",
        "parallel",
        "ray_cluster",
        "ray_workers",
    },
    {"answers", "config", "ray_engine"},
    {"world"},
    {"planning", "sessions", "unrelated"},
    {"community"},
    {"writers"},
    {"contexts"},
    {"questions", "script"},
    {"audit", "results"},
    {"package", "diff"},
    {"build", "worker_imports", "publish"},
    {"cli"},
)
SHARED = tuple(f"{BUILDER}.{name}" for name in sorted(LAYERS[0]))
"""What readers may know of the builder."""

RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def sources(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", sources("dataset_builder"), ids=str)
def test_the_builder_imports_downwards(path: Path) -> None:
    parts = path.relative_to(ROOT / "dataset_builder").with_suffix("").parts
    if parts == ("__init__",):
        assert not list(imports_of(path))
        return
    rank = RANK[parts[0]]
    for name in imports_of(path):
        if name.startswith(f"{BUILDER}."):
            target = name.removeprefix(f"{BUILDER}.").split(".")[0]
            assert RANK[target] <= rank, f"{path.name} imports {name}"
        elif name.startswith("personamem.loaders"):
            assert parts[0] in ("audit", "build", "cli", "diff", "publish", "results"), (
                f"{path.name} imports {name}"
            )
        elif name.startswith("personamem.tasks.models"):
            assert parts[0] == "cli", f"{path.name} imports {name}"


@pytest.mark.parametrize(
    ("folder", "accepted"),
    [
        ("loaders", ("personamem.loaders", *SHARED)),
        ("tasks", ("personamem.loaders", "personamem.tasks.models", *SHARED)),
        ("cards", ("personamem.cards",)),
    ],
)
def test_readers_import_no_builder(folder: str, accepted: tuple[str, ...]) -> None:
    for path in sources(folder):
        for name in imports_of(path):
            if name.startswith("personamem."):
                assert name.startswith(accepted), f"{path.name} imports {name}"
