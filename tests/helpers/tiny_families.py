"""The smallest configuration of every family of the registry, and datasets built from it.

``tests/dataset_builder/families/<name>/tiny.yaml`` holds the section of a family; a family without
the file is built with its defaults.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from filelock import FileLock

from personamem.dataset_builder.core.config import BuildConfig
from personamem.dataset_builder.families.configuration import make_config
from personamem.loaders.formats.manifest import hash_file
from personamem.loaders.formats.registry import FAMILIES

FOLDER = Path(__file__).resolve().parents[1] / "dataset_builder" / "families"


def read_tiny_section(family: str) -> dict[str, Any]:
    """Return the settings of a family for tests."""
    path = FOLDER / family / "tiny.yaml"
    section: dict[str, Any] = yaml.safe_load(path.read_text("utf-8")) if path.is_file() else {}
    return section


def make_tiny_config(*families: str, **values: Any) -> BuildConfig:
    """Return a configuration of tiny ``families``, all of the registry where none is named."""
    sections = {name: read_tiny_section(name) for name in families or FAMILIES}
    return make_config(families=sections, **values)


def make_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """Return ``folder``, which ``make`` fills once for all processes of a test run."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_name(f"{folder.name}.lock")):
        if not folder.exists():
            make(folder)
    return folder


def hash_files(folder: Path) -> dict[str, str]:
    """Return the sha256 of every file of a folder by its relative path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hash_file(path) for path in files}
