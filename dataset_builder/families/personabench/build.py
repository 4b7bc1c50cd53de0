"""Building PersonaBench: one job that makes all tables, and the files that hold them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from personamem.dataset_builder.families.base import BuildJob, BuiltFamily
from personamem.dataset_builder.families.personabench.audit.findings import require_sound
from personamem.dataset_builder.families.personabench.config import PersonaBenchConfig, configure
from personamem.dataset_builder.families.personabench.files import (
    encode_communities,
    summarise_communities,
    write_communities,
)
from personamem.dataset_builder.families.personabench.rows import make_tables
from personamem.dataset_builder.families.personabench.texts import Documents


@dataclass(frozen=True, slots=True)
class BuiltCommunities:
    """What a worker returns: files by name, rows of each table, counts and checks."""

    files: Mapping[str, bytes]
    rows: Mapping[str, int]
    summary: Mapping[str, Any]
    checks: Mapping[str, Any]


def start_build(job: BuildJob) -> Callable[[], BuiltFamily]:
    """Start to make the tables; the returned function waits for them and writes the files."""
    wait = job.pool.start(build_communities, (configure(job.config), job.texts or {}))

    def finish() -> BuiltFamily:
        built = wait()
        write_communities(job.folder, built.files)
        return BuiltFamily(built.summary, built.rows, built.checks)

    return finish


def build_communities(job: tuple[PersonaBenchConfig, Documents]) -> BuiltCommunities:
    """Build the open questions and check them. Raises GateError."""
    config, written = job
    tables = make_tables(config.seed, config.communities, written)
    checks = require_sound(config, tables)
    files, rows = encode_communities(tables)
    return BuiltCommunities(files, rows, summarise_communities(tables), checks)
