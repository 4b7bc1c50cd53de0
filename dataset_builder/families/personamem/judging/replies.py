"""Open replies to be judged: logged samples of the second release's open tasks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from personamem.dataset_builder.families.inspect_logs import SUFFIX
from personamem.dataset_builder.families.sample_rows import name_run, read_rows
from personamem.loaders.formats.errors import InvalidInputError
from personamem.tasks.personamem_v2.judging.replies import OpenReply, make_reply

PATTERN = "samples_personamem_v2_*_open_*.jsonl"
LOGS = f"*personamem-v2-*-open_*{SUFFIX}"
"""Logs of inspect-ai, as it names them by default."""


@dataclass(frozen=True, slots=True)
class OpenRun:
    """The replies of one file of samples."""

    path: Path
    replies: tuple[OpenReply, ...]

    @property
    def name(self) -> str:
        """The model and the task."""
        return ", ".join(name_run(self.path)[:2])


def read_open_runs(paths: Sequence[Path]) -> list[OpenRun]:
    """Read files of samples, and all of open tasks that folders hold; each file is read once.

    Raises:
        InvalidInputError: a path that does not exist or holds none, or samples of other tasks.
        DatasetError: a file that is damaged.
    """
    files = dict.fromkeys(found for path in paths for found in _find_files(path))
    return [OpenRun(path, tuple(_read_file(path))) for path in files]


def _find_files(path: Path) -> list[Path]:
    if not path.exists():
        raise InvalidInputError(
            f"{path} does not exist. Accepted: a samples_*.jsonl, a log of inspect-ai (.eval), or "
            "a folder with some."
        )
    if not path.is_dir():
        return [path]
    found = sorted([*path.rglob(PATTERN), *path.rglob(LOGS)])
    if not found:
        raise InvalidInputError(
            f"{path} holds no {PATTERN}. Accepted: what personamem eval or lm_eval wrote with "
            "--log_samples for tasks personamem_v2_..._open, and inspect-ai's logs of them."
        )
    return found


def _read_file(path: Path) -> Iterator[OpenReply]:
    where = ""
    for where, row in read_rows(path):
        yield _read_row(row, where)
    if not where:
        raise InvalidInputError(f"{path} holds no samples.")


def _read_row(row: Any, where: str) -> OpenReply:
    try:
        return make_reply(row["doc"], str(row["resps"][0][0]))
    except (LookupError, TypeError, ValueError) as error:
        raise InvalidInputError(
            f"{where} is not a sample of a task personamem_v2_..._open, as --log_samples and "
            f"inspect-ai write them ({type(error).__name__}: {error})."
        ) from error
