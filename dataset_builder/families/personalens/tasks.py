"""The tasks of all domains and of several, as records, with their content."""

from collections.abc import Iterator
from functools import cache

from personamem.dataset_builder.families.personalens.content_schema import (
    TaskContent,
    read_domains,
    read_several,
    type_by_key,
)
from personamem.loaders.personalens.schema import Task, TaskKind


@cache
def list_tasks() -> tuple[tuple[Task, TaskContent], ...]:
    """Return all tasks with their content: those of one domain first, in the order of domains."""
    return tuple(_list_tasks())


def _list_tasks() -> Iterator[tuple[Task, TaskContent]]:
    for domain in read_domains():
        for number, content in enumerate(domain.tasks, start=1):
            task_id = f"SD-{domain.domain}-task-{number}"
            yield _make_task(task_id, "SD", number, (domain.domain,), content), content
    for number, content in enumerate(read_several(), start=1):
        yield _make_task(f"MD-task-{number}", "MD", number, content.domains, content), content


def _make_task(
    task_id: str, kind: TaskKind, number: int, domains: tuple[str, ...], content: TaskContent
) -> Task:
    return Task(
        task_id=task_id,
        kind=kind,
        number=number,
        domains=domains,
        description=content.about,
        intent=content.intent,
        goal=content.goal,
        types=tuple(type_by_key()[key][1].name for key in content.types),
    )
