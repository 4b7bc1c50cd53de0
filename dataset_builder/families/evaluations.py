"""What evaluations left behind: files of results as lm-eval and our commands write them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from personamem.dataset_builder.families.inspect_logs import SUFFIX, read_inspect_log
from personamem.dataset_builder.families.sample_rows import read_rows
from personamem.loaders.formats.errors import DatasetError, InvalidInputError


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A file of results: ``given`` is the path that a user named, the file itself or a folder."""

    given: Path
    path: Path
    content: Mapping[str, Any]

    @property
    def is_of_lm_eval(self) -> bool:
        """Whether it holds results of tasks, of lm-eval's or of the same tasks on inspect-ai."""
        return all(isinstance(self.content.get(key), dict) for key in ("results", "configs"))

    @property
    def tasks(self) -> list[str]:
        """The names of the tasks that it holds results of."""
        return list(self.content["configs"]) if self.is_of_lm_eval else []

    @property
    def model(self) -> str:
        """The name of the model."""
        name = self.content.get("model_name") or self.content.get("model_source")
        return str(name or "unknown model")

    @property
    def date(self) -> float:
        """When it ran, in seconds since 1970; 0 if nobody says."""
        value = self.content.get("date")
        return float(value) if isinstance(value, (int, float)) else 0.0

    def read_samples(self, task: str) -> Iterator[tuple[str, Any]]:
        """Yield the answers to a task: what to call each in an error, and lm-eval's row of it.

        Raises:
            InvalidInputError: there are none beside the results.
            DatasetError: they cannot be read.
        """
        if self.path.suffix == SUFFIX:
            yield from read_rows(self.path)
            return
        stamp = self.path.stem.removeprefix("results_")
        path = self.path.with_name(f"samples_{task}_{stamp}.jsonl")
        if not path.is_file():
            raise InvalidInputError(
                f"{self.path} has the accuracy of {task} without its answers: {path.name} is not "
                "beside it. Accepted: results of an evaluation with --log_samples."
            )
        yield from read_rows(path)


def read_evaluations(paths: Sequence[Path]) -> list[Evaluation]:
    """Read files of results, and all that folders hold; each file is read once.

    Raises:
        InvalidInputError: a path that does not exist.
        DatasetError: a file of results that is not JSON.
    """
    return [found for path in dict.fromkeys(paths) for found in _read_path(path)]


def _read_path(given: Path) -> Iterator[Evaluation]:
    if not given.exists():
        raise InvalidInputError(f"{given} does not exist. Accepted: results, or folders with them.")
    for path in _list_files(given) if given.is_dir() else [given]:
        if path.suffix == SUFFIX:
            yield Evaluation(given, path, read_inspect_log(path))
            continue
        try:
            content = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            # Among others in a folder, a file that is no JSON is nobody's results.
            if given.is_dir() and not path.name.startswith("results_"):
                continue
            raise DatasetError(f"{path} cannot be read as JSON: {error}.") from error
        if isinstance(content, dict):
            yield Evaluation(given, path, content)


def _list_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in (".json", SUFFIX))
