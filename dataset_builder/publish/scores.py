"""Scores that lm-eval wrote down, for the card of the dataset that they were measured on."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from personamem.cards import Score
from personamem.loaders.formats.errors import InvalidInputError

METRIC = "acc,none"
ERROR = "acc_stderr,none"
GROUP = "acc_"
THIRDS = ("near", "middle", "far", "stderr")
"""Of ``acc_...``: no groups of questions that a dataset names."""


def read_scores(path: Path, folder: Path, address: str) -> list[Score]:
    """Return the scores in a results_*.json of lm-eval or ``personamem eval``.

    Only whole tasks on this dataset, in its folder or at its address, may stand on its card.
    ``address`` is owner/name@tag.

    Raises:
        InvalidInputError: not such a file, no task of ours, another dataset, or a limited run.
    """
    try:
        results = json.loads(path.read_bytes())
        tasks: Mapping[str, Mapping[str, Any]] = results["results"]
        scored = {task: found for task, found in tasks.items() if METRIC in found}
        configs, counts = results["configs"], results["n-samples"]
        model = _name_model(str(results["model_name"]))
        date = datetime.fromtimestamp(float(results["date"]), UTC).date().isoformat()
        scores = [
            Score(
                model=model,
                task=task,
                accuracy=float(found[METRIC]),
                standard_error=_read_error(found.get(ERROR)),
                questions=int(counts[task]["effective"]),
                date=date,
                groups=_read_groups(found),
            )
            for task, found in scored.items()
            if task in configs
        ]
        whole = all(counts[s.task]["effective"] == counts[s.task]["original"] for s in scores)
        sources = {str(configs[score.task]["dataset_path"]) for score in scores}
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInputError(
            f"{path} is no results_*.json of lm-eval or `personamem eval` ({error!r})."
        ) from error
    if not scores:
        raise InvalidInputError(f"{path} holds no accuracy of a personamem task.")
    if not whole:
        raise InvalidInputError(f"{path} is of a run with --limit; a card takes whole splits.")
    for source in sources:
        if source != address and Path(source).resolve() != folder.resolve():
            raise InvalidInputError(
                f"{path} is about {source}; accepted: results on {folder} or {address}."
            )
    return scores


def _name_model(name: str) -> str:
    """Return a Hub id as it is, and of a path on this machine the last part."""
    path = Path(name)
    return path.name if path.is_absolute() or path.exists() else name


def _read_groups(found: Mapping[str, Any]) -> dict[str, float]:
    """Return the accuracies on question types and levels, by their names."""
    groups = {}
    for key, value in found.items():
        metric, _, kind = key.partition(",")
        name = metric.removeprefix(GROUP)
        if kind == "none" and name != metric and name not in THIRDS and _is_share(value):
            groups[name] = float(value)
    return groups


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value <= 1


def _read_error(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
