"""Reading results: those that lm-eval wrote of our open tasks, and those of ``retrieve --json``."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from personamem.dataset_builder.families.personabench.results.records import (
    Results,
    RetrievalRun,
    Run,
    System,
)
from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.personabench.groups import GROUPS
from personamem.loaders.personabench.radar import RunScores
from personamem.loaders.personabench.retrieval import RetrievalScores
from personamem.loaders.personabench.schema import NOISE_SPLITS
from personamem.loaders.personabench.scoring import Agreement
from personamem.loaders.retrieval.settings import read_settings

PREFIX = "personabench_"

_Found = Run | RetrievalRun


def read_results(paths: Sequence[Path]) -> Results:
    """Read result files, and the folders that hold them.

    Of several runs of one system at one noise level the last one counts.

    Raises:
        InvalidInputError: a path that does not exist, or that holds no results of open questions;
            the tasks that it has instead are named.
        DatasetError: a file of results that is damaged.
    """
    found = [each for path in paths for each in _read_path(path)]
    systems: dict[System, dict[float, Run]] = {}
    for run in sorted((each for each in found if isinstance(each, Run)), key=lambda run: run.date):
        systems.setdefault(run.system, {})[run.noise] = run
    return Results(
        systems={system: dict(sorted(runs.items())) for system, runs in systems.items()},
        retrievals=[each for each in found if isinstance(each, RetrievalRun)],
    )


def _read_path(path: Path) -> list[_Found]:
    if not path.exists():
        raise InvalidInputError(f"{path} does not exist. Accepted: results, or folders with them.")
    files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    found: list[_Found] = []
    others: set[str] = set()
    for file in files:
        content = _read_json(file, strict=not path.is_dir())
        if _is_of_lm_eval(content):
            names = [name for name in content["configs"] if name.startswith(PREFIX)]
            others.update(set(content["configs"]) - set(names))
            found += [_read_run(file, content, name) for name in names]
        elif _is_of_retrieve(content):
            found.append(_read_retrieval(file, content))
    if not found:
        has = f", but of {', '.join(sorted(others))}" if others else ""
        raise InvalidInputError(
            f"{path} holds no results of open questions{has}. Accepted: what lm-eval or "
            f"personamem eval wrote with --output_path for tasks {PREFIX}..., and what personamem "
            "retrieve wrote with --json."
        )
    return found


def _read_json(path: Path, strict: bool) -> Any:
    """Read a file; among others in a folder, one that is no JSON is nobody's results."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        if strict or path.name.startswith("results_"):
            raise DatasetError(f"{path} cannot be read as JSON: {error}.") from error
        return None


def _is_of_lm_eval(content: Any) -> bool:
    return isinstance(content, dict) and all(
        isinstance(content.get(key), dict) for key in ("results", "configs")
    )


def _is_of_retrieve(content: Any) -> bool:
    return isinstance(content, dict) and {"retriever", "k", "chunks", "noise"} <= set(content)


def _read_run(path: Path, content: Mapping[str, Any], name: str) -> Run:
    try:
        config, scores = content["configs"][name], content["results"][name]
        counts = content["n-samples"][name]
        metadata = config.get("metadata") or {}
        condition = str(config["dataset_kwargs"]["condition"])
        settings = read_settings(metadata)
        retrieval = f"{settings.retriever}, k = {settings.k}" if condition == "rag" else ""
        model = str(content.get("model_name") or content.get("model_source") or "unknown model")
        return Run(
            system=System(model, condition, retrieval, str(config["dataset_path"])),
            noise=NOISE_SPLITS[config["test_split"]],
            questions=int(counts["effective"]),
            of=int(counts["original"]),
            words=_read_scores(scores, ""),
            items=_read_scores(scores, "item_"),
            unparsable=_read_score(scores, "unparsable"),
            date=float(content.get("date") or 0.0),
            path=path,
        )
    except (LookupError, TypeError, ValueError) as error:
        raise DatasetError(
            f"{path}: the results of {name} are not as lm-eval writes them "
            f"({type(error).__name__}: {error})."
        ) from error


def _read_scores(scores: Mapping[str, Any], kind: str) -> RunScores:
    groups = dict(_read_groups(scores, kind))
    return RunScores(groups, _read_score(scores, f"{kind}updating"))


def _read_groups(scores: Mapping[str, Any], kind: str) -> Iterator[tuple[str, Agreement]]:
    for group in GROUPS:
        suffix = "" if group == "overall" else f"_{group}"
        if f"{kind}recall{suffix},none" in scores:
            agreement = Agreement(
                precision=_read_score(scores, f"{kind}precision{suffix}"),
                recall=_read_score(scores, f"{kind}recall{suffix}"),
                f1=float(scores.get(f"{kind}f1{suffix},none", math.nan)),
            )
            if not math.isnan(agreement.recall):
                yield group, agreement


def _read_score(scores: Mapping[str, Any], name: str) -> float:
    return float(scores[f"{name},none"])


def _read_retrieval(path: Path, content: Mapping[str, Any]) -> RetrievalRun:
    try:
        return RetrievalRun(
            source=str(content["source"]),
            retriever=str(content["retriever"]),
            k=int(content["k"]),
            chunks=str(content["chunks"]),
            scores={
                float(noise): {
                    str(group): RetrievalScores(
                        int(each["questions"]), float(each["recall"]), float(each["ndcg"])
                    )
                    for group, each in groups.items()
                }
                for noise, groups in content["noise"].items()
            },
        )
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise DatasetError(
            f"{path} is not as personamem retrieve writes it ({type(error).__name__}: {error})."
        ) from error
