"""The families as the builder knows them, loaded from ``loaders.formats.registry``."""

from collections.abc import Iterable, Iterator
from importlib import import_module

from personamem.cards.family import FamilyCard
from personamem.dataset_builder.families.base import Family
from personamem.loaders.formats.errors import unknown_choice
from personamem.loaders.formats.manifest import Manifest
from personamem.loaders.formats.registry import FAMILIES


def get_family(name: str) -> Family:
    """Return a family by its name. Raises InvalidInputError that names those that exist."""
    if name not in FAMILIES:
        raise unknown_choice("family", name, tuple(FAMILIES))
    family: Family = import_module(FAMILIES[name].builder).FAMILY
    return family


def list_families() -> Iterator[Family]:
    """Yield every family, in the order of the registry."""
    return (get_family(name) for name in FAMILIES)


def list_default_families() -> list[str]:
    """Return the names of the families that are built where nobody names any."""
    return [family.name for family in list_families() if family.is_default]


def describe_cards(manifest: Manifest, repo_id: str | None = None) -> list[FamilyCard]:
    """Return what the families of a dataset say about it on its card."""
    return [get_family(name).describe_card(manifest, repo_id) for name in manifest.families]


def list_imports(families: Iterable[str] | None) -> list[str]:
    """Return what the processes of a build import; None stands for all families."""
    texts = [FAMILIES[name].texts for name in families or FAMILIES if name in FAMILIES]
    return ["personamem.dataset_builder.packaging.worker_imports", *filter(None, texts)]


def import_builders() -> None:
    """Import everything that builds need, for processes that are forked afterwards."""
    for family in list_families():
        family.import_builder()
