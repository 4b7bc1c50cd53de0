"""The part of the card that is about PersonaLens."""

from pathlib import Path

from personamem.cards.family import FamilyCard
from personamem.cards.render import name_pinned, render_slots
from personamem.dataset_builder.families.personalens.card_fields import CHECK_MEANINGS, TABLES
from personamem.dataset_builder.families.personalens.pictures import draw_pictures
from personamem.dataset_builder.families.personalens.record import PersonaLensRecord
from personamem.dataset_builder.families.record import read_record
from personamem.loaders.formats.manifest import Manifest
from personamem.loaders.personalens.schema import FAMILY

TEMPLATE = Path(__file__).with_name("card.md.jinja")


def describe_card(manifest: Manifest, repo_id: str | None) -> FamilyCard:
    """Return the family's part of the card; ``repo_id`` is the Hub id once it is published.

    Raises:
        DatasetError: the manifest's record of the family lacks a key, or a value cannot be.
    """
    record = read_record(manifest, FAMILY, PersonaLensRecord)
    (split, counts), *_ = record.splits.items()
    slots = render_slots(
        TEMPLATE,
        lens=record,
        counts=counts,
        split=split,
        pinned=name_pinned(manifest, repo_id),
    )
    return FamilyCard(
        name=FAMILY,
        tables=TABLES,
        splits=tuple(record.splits),
        num_questions=counts.questions,
        task_categories=("question-answering", "text-generation"),
        slots=slots,
        check_meanings=CHECK_MEANINGS,
        pictures=draw_pictures(record),
    )
