"""Users with tasks as samples of inspect-ai, and back from a sample to user and task."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personalens import PersonaLens, load_personalens
from personamem.loaders.personalens.benchmark import select_users
from personamem.loaders.personalens.schema import Situation, TaskKind
from personamem.tasks.personalens.dialogues.prompts import Scene

PUBLISHED_SAMPLE = 50
"""Users of the paper's results; a smaller set is used whole."""

SampleChoice = int | str | Sequence[str] | None

load_users = lru_cache(maxsize=2)(load_personalens)
"""The data of a source, read once for the tasks of all settings."""


def choose_scenarios(source: str, sample: SampleChoice) -> PersonaLens:
    """Return a sample of users: None for 50 (or all of fewer), "all", a size, or ids of users.

    Raises InvalidInputError and DatasetError, see ``load_personalens``.
    """
    data = load_users(source)
    if sample == "all" or (sample is None and len(data.profiles) <= PUBLISHED_SAMPLE):
        return data
    chosen: int | Iterable[str] = PUBLISHED_SAMPLE if sample is None else sample
    return select_users(data, chosen)


def make_dataset(source: str, sample: SampleChoice, kind: TaskKind, setting: str) -> MemoryDataset:
    """Return a sample for each scenario of one kind, user by user."""
    data = choose_scenarios(source, sample)
    found = [each for each in data.scenarios if data.task_by_id[each.task_id].kind == kind]
    if not found:
        raise InvalidInputError(f"{source} has no scenarios of kind {kind} for these users.")
    samples = []
    for scenario in found:
        task = data.task_by_id[scenario.task_id]
        metadata = {
            "user_id": scenario.user_id,
            "task_id": scenario.task_id,
            "kind": kind,
            "domains": list(task.domains),
            "setting": setting,
            "situation": asdict(scenario.situation),
        }
        samples.append(
            Sample(
                id=f"{scenario.user_id}/{scenario.task_id}",
                input=task.intent,
                target=task.goal,
                metadata=metadata,
            )
        )
    return MemoryDataset(samples, name=f"personalens_{kind.lower()}", location=data.source)


def find_scene(source: str, metadata: dict[str, Any]) -> Scene:
    """Return the scene of a sample. Raises InvalidInputError if the source has no longer both."""
    data = load_users(source)
    try:
        profile = data.profile_by_id[metadata["user_id"]]
        task = data.task_by_id[metadata["task_id"]]
    except KeyError as error:
        raise InvalidInputError(f"{source} has no {error}, which a sample is about.") from error
    return Scene(profile, task, Situation(**metadata["situation"]))
