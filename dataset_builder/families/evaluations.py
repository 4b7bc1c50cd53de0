"""What evaluations left behind: files of results as lm-eval and our commands write them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from personamem.loaders.formats.errors import DatasetError, InvalidInputError


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A file of results: ``given`` is the path that a user named, the file itself or a folder."""

    given: Path
    path: Path
    content: Mapping[str, Any]

    @property
    def is_of_lm_eval(self) -> bool:
        """Whether lm-eval wrote it."""
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
    for path in sorted(given.rglob("*.json")) if given.is_dir() else [given]:
        try:
            content = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            # Among others in a folder, a file that is no JSON is nobody's results.
            if given.is_dir() and not path.name.startswith("results_"):
                continue
            raise DatasetError(f"{path} cannot be read as JSON: {error}.") from error
        if isinstance(content, dict):
            yield Evaluation(given, path, content)
