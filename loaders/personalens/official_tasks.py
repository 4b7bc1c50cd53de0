"""The tasks of the official PersonaLens release: their definitions, and those of a user."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from sys import intern

from personamem.loaders.formats.errors import DatasetError, suggest_choice
from personamem.loaders.formats.files import find_file, has_file
from personamem.loaders.personalens.official_format import (
    TASK,
    USER_TASKS,
    SituationForm,
    UserTaskForm,
    read_form,
    read_lines,
)
from personamem.loaders.personalens.schema import DOMAINS, Situation, Task

MULTI_DOMAIN = "Multi-Domain"

NOMINAL = {
    "device": {"Smartphone", "Laptop", "Smart speaker", "Tablet", "Smartwatch"},
    "time_of_day": {"Morning", "Afternoon", "Evening", "Night"},
    "day_of_week": {
        *("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    },
    "environment": {"Quiet", "Noisy"},
}
"""The values of situations that the paper names; a location may be anything."""

_TASK_ID = re.compile(r"(?:SD-(?P<domain>.+)|MD)-task-(?P<number>\d+)")


def read_definitions(base: Path, folder: str) -> dict[str, Task]:
    """Return the tasks of ``base/folder`` by id; none if there is no such folder.

    Raises DatasetError.
    """
    found: dict[str, Task] = {}
    if not (base / folder).is_dir():
        return found
    for name in (*DOMAINS, MULTI_DOMAIN):
        if not has_file(base, f"{folder}/{name}"):
            continue
        path = find_file(base, f"{folder}/{name}/task.jsonl")
        for form in read_lines(path, TASK):
            is_multi = name == MULTI_DOMAIN
            domains = form.domains or ([] if is_multi else [name])
            refuse_unknown_domains(path, domains)
            task_id = f"MD-task-{form.number}" if is_multi else f"SD-{name}-task-{form.number}"
            found[task_id] = Task(
                task_id=task_id,
                kind="MD" if is_multi else "SD",
                number=form.number,
                domains=tuple(map(intern, domains)),
                description=form.description,
                intent=form.intent,
                goal=form.goal,
                types=tuple(map(intern, form.types)),
            )
    return found


def read_user_tasks(path: Path, strays: Counter[str]) -> Iterator[tuple[Task, Situation]]:
    """Yield the tasks of a user with their situations; count values off the lists of the paper.

    Raises DatasetError.
    """
    for form in read_form(path, USER_TASKS).values():
        refuse_unknown_domains(path, form.domains)
        yield _make_task(path, form), _make_situation(form.situations, strays)


def _make_task(path: Path, form: UserTaskForm) -> Task:
    match = _TASK_ID.fullmatch(form.task_id)
    if match is None or match["domain"] not in (None, *DOMAINS) or not form.domains:
        raise DatasetError(
            f"{path}: task_id is {form.task_id!r}, of the domains {form.domains}. Accepted: "
            "SD-<Domain>-task-<number> or MD-task-<number>, and at least one domain."
        )
    return Task(
        task_id=intern(form.task_id),
        kind="SD" if match["domain"] else "MD",
        number=int(match["number"]),
        domains=tuple(map(intern, form.domains)),
        description=form.description,
        intent=form.intent,
        goal=form.goal,
        types=tuple(map(intern, form.types)),
    )


def _make_situation(form: SituationForm, strays: Counter[str]) -> Situation:
    values = {name: intern(value) for name, value in form.model_dump().items()}
    for name, accepted in NOMINAL.items():
        if values[name] not in accepted:
            strays[f"situations with another {name.replace('_', ' ')}"] += 1
    return Situation(**values)


def refuse_unknown_domains(path: Path, domains: Sequence[str]) -> None:
    """Raise a DatasetError that names the first domain that there is not."""
    for domain in domains:
        if domain not in DOMAINS:
            raise DatasetError(
                f"{path}: unknown domain {domain!r}.{suggest_choice(domain, DOMAINS)} "
                f"Accepted: {', '.join(DOMAINS)}."
            )
