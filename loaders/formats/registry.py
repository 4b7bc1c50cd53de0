"""The registry of families: one line each, in the order in which commands list them.

It names modules and imports none: ``dataset_builder.families.registry`` and ``tasks.registry`` load
their part of a family from here.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FamilyModules:
    """The modules of a family; each has a ``FAMILY``.

    ``builder`` has one of ``dataset_builder.families.base.Family``, ``tasks`` one of
    ``tasks.families.TaskFamily``. ``memory`` has a function ``open_split`` that returns what
    memories are run over (see ``loaders.memory.timeline``); empty for chats, and where there is
    nothing to remember. ``texts`` is imported ahead by the processes of a build.
    """

    builder: str
    tasks: str
    memory: str = ""
    texts: str = ""


def _name_modules(folder: str, memory: str = "", texts: str = "") -> FamilyModules:
    return FamilyModules(
        f"personamem.dataset_builder.families.{folder}.family",
        f"personamem.tasks.{folder}.family",
        memory,
        texts,
    )


FAMILIES = {
    "personamem": _name_modules(
        "personamem", texts="personamem.dataset_builder.families.personamem.loaded_texts"
    ),
    "personabench": _name_modules(
        "personabench", memory="personamem.loaders.memory.personabench.documents"
    ),
    "personalens": _name_modules("personalens"),
}
"""Families by name."""

RELEASES = ("personamem.tasks.personamem_v2.family",)
"""Modules with the tasks of releases that nothing here builds; like ``FamilyModules.tasks``."""
