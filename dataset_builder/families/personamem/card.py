"""The part of the card that is about PersonaMem."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from personamem.cards.family import FamilyCard
from personamem.cards.render import name_pinned, render_slots
from personamem.dataset_builder.families.personamem.card_fields import (
    QUESTION_TYPE_MEANINGS,
    TABLES,
)
from personamem.loaders.formats.manifest import Manifest
from personamem.loaders.personamem.files import FAMILY

TEMPLATE = Path(__file__).with_name("card.md.jinja")
COUNTED = ("question_types", "topics", "letters")
"""Keys of a split in the manifest that hold counts by name."""


def describe_card(manifest: Manifest, repo_id: str | None) -> FamilyCard:
    """Return the family's part of the card; ``repo_id`` is the Hub id once it is published."""
    splits: Mapping[str, Mapping[str, Any]] = manifest.families[FAMILY].splits
    slots = render_slots(
        TEMPLATE,
        splits=splits,
        default_split=next(iter(splits)),
        names={key: _collect_names(splits, key) for key in COUNTED},
        question_type_meanings=QUESTION_TYPE_MEANINGS,
        tokenizer=manifest.tokenizer,
        source=repo_id or "SOURCE",
        pinned=name_pinned(manifest, repo_id),
        published=repo_id is not None,
        version=manifest.version,
    )
    return FamilyCard(
        name=FAMILY,
        tables=TABLES,
        splits=tuple(splits),
        num_questions=sum(split["questions"] for split in splits.values()),
        task_categories=("question-answering", "multiple-choice"),
        slots=slots,
    )


def _collect_names(splits: Mapping[str, Mapping[str, Any]], key: str) -> list[str]:
    """Return the names counted under ``key`` in any split, in order of first appearance."""
    return list(dict.fromkeys(name for split in splits.values() for name in split[key]))
