"""The part of the card that is about PersonaBench."""

from pathlib import Path

from personamem.cards.family import FamilyCard
from personamem.cards.render import name_pinned, render_slots
from personamem.dataset_builder.families.personabench.card_fields import TABLES
from personamem.loaders.formats.manifest import Manifest
from personamem.loaders.personabench.schema import FAMILY, NOISE_SPLITS

TEMPLATE = Path(__file__).with_name("card.md.jinja")


def describe_card(manifest: Manifest, repo_id: str | None) -> FamilyCard:
    """Return the family's part of the card; ``repo_id`` is the Hub id once it is published."""
    record = manifest.families[FAMILY]
    counts = record.model_dump()
    splits = sorted(record.splits, key=lambda split: NOISE_SPLITS.get(split, 1.0))
    slots = render_slots(
        TEMPLATE,
        open=counts,
        pinned=name_pinned(manifest, repo_id),
        default_split=splits[-1],
        highest_noise=NOISE_SPLITS.get(splits[-1], 0.0),
    )
    return FamilyCard(
        name=FAMILY,
        tables=TABLES,
        splits=tuple(splits),
        num_questions=counts["questions"],
        task_categories=("question-answering",),
        slots=slots,
    )
