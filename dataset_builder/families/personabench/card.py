"""The part of the card that is about PersonaBench."""

from pathlib import Path

from personamem.cards.family import FamilyCard
from personamem.cards.render import name_pinned, render_slots
from personamem.dataset_builder.families.personabench.card_fields import (
    CATEGORY_MEANINGS,
    CHECK_MEANINGS,
    TABLES,
)
from personamem.dataset_builder.families.personabench.pictures import draw_pictures
from personamem.dataset_builder.families.personabench.record import PersonaBenchRecord
from personamem.dataset_builder.families.record import read_record
from personamem.loaders.formats.manifest import Manifest
from personamem.loaders.personabench.schema import FAMILY

TEMPLATE = Path(__file__).with_name("card.md.jinja")


def describe_card(manifest: Manifest, repo_id: str | None) -> FamilyCard:
    """Return the family's part of the card; ``repo_id`` is the Hub id once it is published.

    Raises:
        DatasetError: the manifest's record of the family lacks a key, or a value cannot be.
    """
    record = read_record(manifest, FAMILY, PersonaBenchRecord)
    splits = dict(sorted(record.splits.items(), key=lambda item: item[1].noise))
    highest = next(reversed(splits))
    slots = render_slots(
        TEMPLATE,
        open=record,
        splits=splits,
        category_meanings=CATEGORY_MEANINGS,
        pinned=name_pinned(manifest, repo_id),
        default_split=highest,
        highest_noise=splits[highest].noise,
    )
    return FamilyCard(
        name=FAMILY,
        tables=TABLES,
        splits=tuple(splits),
        num_questions=record.questions,
        task_categories=("question-answering",),
        slots=slots,
        check_meanings=CHECK_MEANINGS,
        pictures=draw_pictures(record),
    )
