"""What a shell completes: the splits of the dataset that was named."""

import typer

from personamem.loaders.formats.errors import PersonamemError


def complete_split(context: typer.Context, incomplete: str) -> list[str]:
    """Return the splits that begin so: of SOURCE if it can be read, else all that exist."""
    from personamem.dataset_builder.families.registry import list_families
    from personamem.tasks.registry import list_task_families

    source = context.params.get("source")
    known: list[str] = []
    if source:
        try:
            known = [name for family in list_families() for name in family.list_splits(source)]
        except PersonamemError:  # Half of a path, for example.
            known = []
    known = known or [name for family in list_task_families() for name in family.splits]
    return [name for name in known if name.startswith(incomplete)]
