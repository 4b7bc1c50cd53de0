"""The JSON files of the official release, written from the same records as the tables.

official/data/profile/user<n>/{profile,tasks,tasks_md}.json
official/data/task/<Domain>/task.jsonl
official/res/schema.json
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from personamem.dataset_builder.families.personalens.users import User
from personamem.loaders.personalens.official_tasks import MULTI_DOMAIN
from personamem.loaders.personalens.schema import (
    DOMAINS,
    PreferenceType,
    Profile,
    Scenario,
    Situation,
    Task,
)

ROOT = "official"


def encode_user(user: User, tasks: Mapping[str, Task]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a user by name."""
    folder = f"{ROOT}/data/profile/{user.profile.user_id}"
    yield f"{folder}/profile.json", _encode(_make_profile(user.profile))
    for kind, name in (("SD", "tasks.json"), ("MD", "tasks_md.json")):
        own = [each for each in user.scenarios if tasks[each.task_id].kind == kind]
        numbered = enumerate(own, start=1)
        content = {f"Task {n}": _make_scenario(each, tasks[each.task_id]) for n, each in numbered}
        yield f"{folder}/{name}", _encode(content)


def encode_tasks(tasks: Iterable[Task]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of task definitions by name."""
    lines: dict[str, list[str]] = {}
    for task in tasks:
        folder = task.domains[0] if task.kind == "SD" else MULTI_DOMAIN
        row: dict[str, Any] = {"Task Number": task.number, **_describe(task)}
        if task.kind == "MD":
            row["Relevant Domains"] = list(task.domains)
        lines.setdefault(folder, []).append(json.dumps(row, ensure_ascii=False) + "\n")
    for folder, rows in lines.items():
        yield f"{ROOT}/data/task/{folder}/task.jsonl", "".join(rows).encode()


def encode_schema(types: Sequence[PreferenceType], tasks: Sequence[Task]) -> tuple[str, bytes]:
    """Return the name and content of the schema."""
    content = []
    for domain in DOMAINS:
        own = [each for each in types if each.domain == domain]
        named = [each for each in tasks if each.domains == (domain,)]
        content.append(
            {
                "domain": domain,
                "description": own[0].domain_description,
                "tasks": [{"name": t.task_id, "description": t.intent} for t in named],
                "affinities": [
                    {
                        "name": each.type,
                        "description": each.description,
                        "is_categorical": each.kind == "categorical",
                        "has_multiple_values": each.form == "list",
                        "possible_values": list(each.values),
                    }
                    for each in own
                ],
            }
        )
    return f"{ROOT}/res/schema.json", _encode(content)


def _make_profile(profile: Profile) -> dict[str, Any]:
    demographics = profile.demographics
    affinities: dict[str, dict[str, Any]] = {domain: {} for domain in DOMAINS}
    for each in profile.preferences:
        value = each.values[0] if each.form == "single" else list(each.values)
        affinities[each.domain][each.type] = value
    return {
        "affinities": affinities,
        "demographics": {
            "user_id": profile.user_id,
            **{name: getattr(demographics, name) for name in demographics.__slots__},
        },
        "interests": {domain: int(domain in profile.interests) for domain in DOMAINS},
        "interactions": {each.domain: each.text for each in profile.histories},
    }


def _make_scenario(scenario: Scenario, task: Task) -> dict[str, Any]:
    return {
        **_describe(task),
        "task_id": task.task_id,
        "situations": _make_situation(scenario.situation),
        "Relevant Domains": list(task.domains),
    }


def _describe(task: Task) -> dict[str, Any]:
    return {
        "Task Description": task.description,
        "User Intent": task.intent,
        "Task Goal": task.goal,
        "Relevant Affinity Types": list(task.types),
    }


def _make_situation(situation: Situation) -> dict[str, str]:
    return {
        "Location": situation.location,
        "Device": situation.device,
        "Time of Day": situation.time_of_day,
        "Day of the Week": situation.day_of_week,
        "Environment": situation.environment,
    }


def _encode(content: object) -> bytes:
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()
