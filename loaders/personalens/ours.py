"""Reading the PersonaLens tables of a dataset of ours; each file is held against the manifest."""

from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.manifest import MANIFEST, check_file, read_manifest
from personamem.loaders.formats.parquet import read_records
from personamem.loaders.formats.sources import Source, find_files
from personamem.loaders.personalens.benchmark import PersonaLens
from personamem.loaders.personalens.schema import SPLIT, TABLES, Profile, Task

Row = TypeVar("Row")


def list_tables() -> list[str]:
    """Return the names of the files that hold the tables."""
    return [f"{name}/{SPLIT}.parquet" for name in TABLES]


def read_ours(source: Source, folder: Path, check: bool = True) -> PersonaLens:
    """Read all tables of ``source``, whose manifest lies in ``folder``.

    ``check`` is False where the files have been held against the manifest before.

    Raises:
        DatasetError: the manifest lists no profiles, a table is missing, changed or malformed, or
            names a user, task or domain that does not exist.
    """
    manifest = read_manifest(folder / MANIFEST)
    if not all(manifest.lists(name) for name in list_tables()):
        raise DatasetError(
            f"{source} has no PersonaLens: its {MANIFEST} does not list {', '.join(list_tables())}."
        )
    # What is fetched now is of the same commit.
    pinned = source if source.hub_id is None else replace(source, revision=folder.name)
    root = find_files(pinned, list_tables())
    rows: dict[str, list[tuple[str, Any]]] = {}
    for name, record in TABLES.items():
        file = f"{name}/{SPLIT}.parquet"
        if check:
            check_file(manifest, file, root / file)
        rows[name] = read_records(root / file, record)
    _check_references(rows)
    return PersonaLens(
        source=str(source),
        strays={},
        **{name: tuple(row for _, row in found) for name, found in rows.items()},
    )


def _check_references(rows: dict[str, list[tuple[str, Any]]]) -> None:
    types = {(row.domain, row.type) for _, row in rows["preference_types"]}
    domains = {domain for domain, _ in types}
    profiles: dict[str, Profile] = {}
    for where, row in rows["profiles"]:
        if row.user_id in profiles:
            raise DatasetError(f"{where}: user_id {row.user_id!r} occurs twice.")
        profiles[row.user_id] = row
        for domain in row.interests:
            if domain not in domains:
                raise DatasetError(f"{where}: interests has {domain!r}. {_accept(domains)}")
        for preference in row.preferences:
            if (preference.domain, preference.type) not in types:
                raise DatasetError(
                    f"{where}: preferences has the type {preference.type!r} of "
                    f"{preference.domain!r}, which is not in preference_types."
                )
    tasks: dict[str, Task] = {}
    for where, row in rows["tasks"]:
        tasks[row.task_id] = row
        if not domains.issuperset(row.domains) or not row.domains:
            raise DatasetError(f"{where}: domains is {list(row.domains)}. {_accept(domains)}")
    for table in ("scenarios", "quads"):
        for where, row in rows[table]:
            if row.user_id not in profiles or row.task_id not in tasks:
                raise DatasetError(
                    f"{where} is of user {row.user_id!r} and task {row.task_id!r}; one of them is "
                    "not in profiles or tasks."
                )
            masked = set(tasks[row.task_id].domains) - set(profiles[row.user_id].interests)
            if masked:
                raise DatasetError(
                    f"{where}: task {row.task_id!r} is about {', '.join(sorted(masked))}, which "
                    f"{row.user_id} is not interested in."
                )
    for where, row in rows["quads"]:
        if len(row.options) != 4 or not 0 <= row.answer_index < 4:
            raise DatasetError(f"{where}: four options and an answer_index from 0 to 3 are needed.")


def _accept(names: set[str]) -> str:
    return f"Accepted: {', '.join(sorted(names))}."
