"""Reading results: those that lm-eval wrote of our open tasks, and those of ``retrieve --json``."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from personamem.dataset_builder.families.evaluations import Evaluation
from personamem.dataset_builder.families.memory_report import ServedRun
from personamem.dataset_builder.families.personabench.results.records import (
    Results,
    RetrievalRun,
    Run,
    System,
)
from personamem.dataset_builder.families.samples import read_samples
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.memory.condition import read_memory_settings
from personamem.loaders.personabench.groups import GROUPS
from personamem.loaders.personabench.radar import RunScores
from personamem.loaders.personabench.retrieval import RetrievalScores
from personamem.loaders.personabench.schema import NOISE_SPLITS
from personamem.loaders.personabench.scoring import Agreement
from personamem.loaders.retrieval.settings import read_settings

PREFIX = "personabench_"

_Found = Run | RetrievalRun


def read_results(evaluations: Sequence[Evaluation]) -> tuple[Results, frozenset[Path]]:
    """Return the results on open questions, and the paths a user gave that hold some.

    Of several runs of one system at one noise level the last one counts.

    Raises:
        DatasetError: a file of results that is damaged.
    """
    by_file = [(evaluation, _read_evaluation(evaluation)) for evaluation in evaluations]
    found = [each for _, all_of_file in by_file for each in all_of_file]
    systems: dict[System, dict[float, Run]] = {}
    for run in sorted((each for each in found if isinstance(each, Run)), key=lambda run: run.date):
        systems.setdefault(run.system, {})[run.noise] = run
    results = Results(
        systems={system: dict(sorted(runs.items())) for system, runs in systems.items()},
        retrievals=[each for each in found if isinstance(each, RetrievalRun)],
    )
    return results, frozenset(evaluation.given for evaluation, own in by_file if own)


def _read_evaluation(evaluation: Evaluation) -> list[_Found]:
    names = [name for name in evaluation.tasks if name.startswith(PREFIX)]
    if _is_of_retrieve(evaluation.content):
        return [_read_retrieval(evaluation.path, evaluation.content)]
    return [_read_run(evaluation, name) for name in names]


def _is_of_retrieve(content: Mapping[str, Any]) -> bool:
    return {"retriever", "k", "chunks", "noise"} <= set(content)


def _read_run(evaluation: Evaluation, name: str) -> Run:
    path, content = evaluation.path, evaluation.content
    try:
        config, scores = content["configs"][name], content["results"][name]
        counts = content["n-samples"][name]
        metadata = config.get("metadata") or {}
        condition = str(config["dataset_kwargs"]["condition"])
        retrieval = _name_retrieval(condition, metadata)
        return Run(
            system=System(evaluation.model, condition, retrieval, str(config["dataset_path"])),
            noise=NOISE_SPLITS[config["test_split"]],
            questions=int(counts["effective"]),
            of=int(counts["original"]),
            words=_read_scores(scores, ""),
            items=_read_scores(scores, "item_"),
            unparsable=_read_score(scores, "unparsable"),
            date=evaluation.date,
            path=path,
            served=_read_served(path, name, retrieval) if condition == "memory" else None,
        )
    except (LookupError, TypeError, ValueError) as error:
        raise DatasetError(
            f"{path}: the results of {name} are not as lm-eval writes them "
            f"({type(error).__name__}: {error})."
        ) from error


def _read_served(path: Path, task: str, system: str) -> ServedRun | None:
    """Return the answers behind results; None if they were not logged."""
    samples = path.with_name(f"samples_{task}_{path.stem.removeprefix('results_')}.jsonl")
    if not samples.is_file():
        return None
    found = read_samples(samples).values()
    return ServedRun(
        system,
        tuple((each.scores.get("f1", 0.0) >= 1, each.memory) for each in found if each.memory),
    )


def _name_retrieval(condition: str, metadata: Mapping[str, Any]) -> str:
    if condition == "rag":
        settings = read_settings(metadata)
        return f"{settings.retriever}, k = {settings.k}"
    if condition == "memory":
        memory = read_memory_settings(metadata)
        return f"{memory.system} at {memory.budget}"
    return ""


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
