"""A PersonaLens release of two users in the official JSON layout, to be changed by hand."""

import json
from pathlib import Path
from typing import Any

from personamem.loaders.personalens.schema import DOMAINS

SITUATION = {
    "Location": "Leeds, United Kingdom",
    "Device": "Tablet",
    "Time of Day": "Morning",
    "Day of the Week": "Friday",
    "Environment": "Quiet",
}


def make_profile(user_id: str, interests: set[str]) -> dict[str, Any]:
    return {
        "affinities": {domain: {"First Choice": "red", "Choices": ["one"]} for domain in DOMAINS},
        "demographics": {
            "user_id": user_id,
            "age": "25-34 years old",
            "gender": "Female",
            "employment_status": "Working full-time",
            "education": "University Bachelors Degree",
            "marital_status": "Married",
            "english_proficiency": "Fluent",
            "ethnicity": "N/A",
            "religion": "N/A",
            "birth_country": "Chile",
            "reside_country": "United Kingdom",
        },
        "interests": {domain: int(domain in interests) for domain in DOMAINS},
        "interactions": {domain: f"They asked about {domain}." for domain in DOMAINS},
    }


def make_definition(number: int, domains: list[str] | None = None) -> dict[str, Any]:
    task = {
        "Task Number": number,
        "Task Description": "The user wants to choose.",
        "User Intent": "Choose one.",
        "Task Goal": "One is chosen.",
        "Relevant Affinity Types": ["Choices"],
    }
    return task if domains is None else {**task, "Relevant Domains": domains}


def make_user_task(task_id: str, domains: list[str]) -> dict[str, Any]:
    definition = make_definition(int(task_id.rpartition("-")[2]), domains)
    del definition["Task Number"]
    return {**definition, "task_id": task_id, "situations": SITUATION}


def write_release(folder: Path, schema: bool = True) -> Path:
    """Write user0, who likes books and games, and user1, who likes books alone."""
    for domain in DOMAINS:
        write_lines(folder / "task" / domain / "task.jsonl", [make_definition(1)])
    several = [make_definition(1, ["Books", "Games"])]
    write_lines(folder / "task" / "Multi-Domain" / "task.jsonl", several)
    for user_id, interests in (("user0", {"Books", "Games"}), ("user1", {"Books"})):
        place = folder / "profile" / user_id
        write_json(place / "profile.json", make_profile(user_id, interests))
        single = {
            f"Task {number}": make_user_task(f"SD-{domain}-task-1", [domain])
            for number, domain in enumerate(sorted(interests), start=1)
        }
        write_json(place / "tasks.json", single)
        both = len(interests) == 2
        several_of_user = {"Task 1": make_user_task("MD-task-1", ["Books", "Games"])}
        write_json(place / "tasks_md.json", several_of_user if both else {})
    if schema:
        write_json(folder / "schema.json", [make_domain(domain) for domain in DOMAINS])
    return folder


def make_domain(domain: str) -> dict[str, Any]:
    shared = {"description": "A choice.", "is_categorical": True}
    return {
        "domain": domain,
        "description": "Choosing.",
        "tasks": [],
        "affinities": [
            {"name": "First Choice", "has_multiple_values": False, "possible_values": ["red"]}
            | shared,
            {"name": "Choices", "has_multiple_values": True, "possible_values": ["one", "two"]}
            | shared,
        ],
    }


def write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")


def write_lines(path: Path, rows: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def change_json(path: Path, *keys: str, value: Any) -> None:
    """Set one value in a JSON file."""
    content = json.loads(path.read_text("utf-8"))
    place = content
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    path.write_text(json.dumps(content), "utf-8")
