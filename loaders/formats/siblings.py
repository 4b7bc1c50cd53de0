"""Hidden siblings of a dataset folder: the build under way, the version it replaces, its lock.

A build writes into ``.<name>.partial``, then renames ``<name>`` to ``.<name>.replaced`` and the
partial folder to ``<name>``. A build killed between the two renames leaves the earlier version only
in ``.<name>.replaced``; the next build restores it.
"""

from pathlib import Path

PARTIAL = ".partial"
REPLACED = ".replaced"
LOCK = ".lock"


def name_partial(folder: Path) -> Path:
    """Return where a build writes before ``folder`` is complete."""
    return _name_sibling(folder, PARTIAL)


def name_replaced(folder: Path) -> Path:
    """Return where the earlier version of ``folder`` is while a new one takes its place."""
    return _name_sibling(folder, REPLACED)


def name_lock(folder: Path) -> Path:
    """Return the file that a build of ``folder`` locks. It stays: only its lock comes and goes."""
    return _name_sibling(folder, LOCK)


def _name_sibling(folder: Path, suffix: str) -> Path:
    # Of a link, the folder that it names: that is what a build replaces.
    folder = folder.resolve()
    return folder.with_name(f".{folder.name}{suffix}")
