"""Open replies to be judged: samples that lm-eval logged of the second release's open tasks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jsonlines

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.json_files import parse_json
from personamem.loaders.formats.model_text import strip_reasoning
from personamem.loaders.personamem.version2.records import KINDS

PATTERN = "samples_personamem_v2_*_open_*.jsonl"


@dataclass(frozen=True, slots=True)
class OpenReply:
    """A reply with what it is judged by; ``text`` is empty where a model wrote no reply."""

    question_id: str
    persona: int
    kind: str
    pref_type: str
    scenario: str
    query: str
    preference: str
    former: str
    gold: str
    secrets: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class OpenRun:
    """The replies of one file of samples."""

    path: Path
    replies: tuple[OpenReply, ...]

    @property
    def name(self) -> str:
        """The task and the model's folder."""
        task = self.path.stem.removeprefix("samples_").rpartition("_")[0]
        return f"{self.path.absolute().parent.name}, {task}"


def read_open_runs(paths: Sequence[Path]) -> list[OpenRun]:
    """Read files of samples, and all of open tasks that folders hold; each file is read once.

    Raises:
        InvalidInputError: a path that does not exist or holds none, or a file that is damaged.
    """
    files = dict.fromkeys(found for path in paths for found in _find_files(path))
    return [OpenRun(path, tuple(_read_file(path))) for path in files]


def _find_files(path: Path) -> list[Path]:
    if not path.exists():
        raise InvalidInputError(
            f"{path} does not exist. Accepted: a samples_*.jsonl, or a folder with some."
        )
    if not path.is_dir():
        return [path]
    found = sorted(path.rglob(PATTERN))
    if not found:
        raise InvalidInputError(
            f"{path} holds no {PATTERN}. Accepted: what personamem eval or lm_eval wrote with "
            "--log_samples for tasks personamem_v2_..._open."
        )
    return found


def _read_file(path: Path) -> Iterator[OpenReply]:
    number = 0
    try:
        with jsonlines.open(path, loads=partial(parse_json, allow_nan=True)) as rows:
            for number, row in enumerate(rows, start=1):
                yield _read_row(row, f"{path}, line {number}")
    except (OSError, UnicodeDecodeError, jsonlines.InvalidLineError) as error:
        raise InvalidInputError(f"{path} cannot be read: {error}.") from error
    if not number:
        raise InvalidInputError(f"{path} holds no samples.")


def _read_row(row: Any, where: str) -> OpenReply:
    try:
        doc = row["doc"]
        if doc["mode"] != "open" or doc["kind"] not in KINDS:
            raise ValueError("it is not of an open task")
        return OpenReply(
            question_id=str(doc["question_id"]),
            persona=int(doc["persona_id"]),
            kind=str(doc["kind"]),
            pref_type=str(doc["question_type"]),
            scenario=str(doc["scenario"]),
            query=str(doc["user_question_or_message"]),
            preference=str(doc["preference"]),
            former=str(doc["prev_pref"]),
            gold=str(doc["gold"]),
            secrets=tuple(str(secret) for secret in doc["secrets"]),
            text=strip_reasoning(str(row["resps"][0][0])) or "",
        )
    except (LookupError, TypeError, ValueError) as error:
        raise InvalidInputError(
            f"{where} is not a sample of a task personamem_v2_..._open, as --log_samples writes "
            f"them ({type(error).__name__}: {error})."
        ) from error
