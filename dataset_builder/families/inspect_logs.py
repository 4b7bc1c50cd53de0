"""Logs of inspect-ai (``*.eval``) in the form of lm-eval's results, so that one reader serves both.

Tasks of this package state in their metadata which lm-eval task they are; the Hub's tasks, which
``eval.yaml`` describes, are known by the columns of the flat table.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from personamem.loaders.formats.errors import DatasetError, PersonamemError

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

SUFFIX = ".eval"
HUB = "hf/"
_DIALS = ("quad_id", "level")
_UNREAD = {"messages", "events", "store", "attachments", "events_data", "timelines"}
"""Of a sample: megabytes of conversation that no figure needs."""


def read_inspect_log(path: Path) -> Mapping[str, Any]:
    """Return what a log holds as lm-eval's ``results_*.json`` states it; empty for other tasks.

    Raises:
        PersonamemError: inspect-ai is not installed.
        DatasetError: the log is damaged, or of a run that did not end.
    """
    log = _read(path)
    known = log.eval.metadata or {}
    task = str(known.get("lm_eval_task") or _name_hub_task(path, log))
    if not task:
        return {}
    if log.status != "success" or log.results is None:
        raise DatasetError(
            f"{path} is of a run with the status {log.status}. Accepted: a run that ended; "
            f"inspect eval-retry {path.name} goes on with it."
        )
    scores = {
        f"{name},none": metric.value
        for scored in log.results.scores
        for name, metric in scored.metrics.items()
    }
    dataset = str(known.get("dataset") or log.eval.dataset.location or "")
    return {
        "results": {task: scores},
        "configs": {
            task: {
                "dataset_path": dataset,
                "test_split": known.get("split"),
                "dataset_kwargs": {"condition": known.get("condition", "full")},
                "metadata": known.get("settings") or {},
            }
        },
        "n-samples": {
            task: {
                "original": log.eval.dataset.samples,
                "effective": log.results.total_samples,
            }
        },
        "model_name": log.eval.model,
        "date": datetime.fromisoformat(log.eval.created).timestamp(),
    }


def read_inspect_samples(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the samples of a log as lm-eval's ``--log_samples`` writes them.

    Raises:
        PersonamemError: inspect-ai is not installed.
        DatasetError: a sample is damaged.
    """
    from inspect_ai.log import read_eval_log_samples

    try:
        for sample in read_eval_log_samples(
            path, all_samples_required=False, exclude_fields=_UNREAD
        ):
            yield _convert(sample)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise DatasetError(f"{path} holds a sample that cannot be read: {error}.") from error


def _read(path: Path) -> "EvalLog":
    try:
        from inspect_ai.log import read_eval_log
    except ModuleNotFoundError as error:
        raise PersonamemError(
            f"{path} is a log of inspect-ai, which needs the package {error.name!r}. Run: "
            "pip install personamem[inspect]"
        ) from error
    try:
        return read_eval_log(path, header_only=True)
    except Exception as error:
        # A zip file of JSON, read by another package: it may raise anything.
        raise DatasetError(f"{path} cannot be read as a log of inspect-ai: {error}.") from error


def _name_hub_task(path: Path, log: "EvalLog") -> str:
    """Return the task that the flat table states; empty for other benchmarks of the Hub."""
    from inspect_ai.log import read_eval_log_sample_summaries

    if not log.eval.task.startswith(HUB):
        return ""
    names = {str(each.metadata.get("task", "")) for each in read_eval_log_sample_summaries(path)}
    return names.pop() if len(names) == 1 else ""


def _convert(sample: "EvalSample") -> dict[str, Any]:
    from inspect_ai.scorer import value_to_float

    scores = list((sample.scores or {}).values())
    # Beside the score of the lm-eval task, a judge's may stand.
    score = next((each for each in scores if "values" in (each.metadata or {})), scores[0])
    known, doc = score.metadata or {}, dict(sample.metadata)
    values, prompt = known.get("values"), known.get("prompt") or {}
    if values is None:
        doc["dials"] = {name: doc.get(name, "") for name in _DIALS}
        values = {"acc": value_to_float()(score.value)}
        prompt = {"split": str(doc.get("task", "")).rpartition("_")[2], "condition": "full"}
    return {
        "doc": doc,
        "arguments": {"gen_args_0": {"arg_0": prompt}},
        "resps": [[sample.output.completion]],
        **values,
    }
