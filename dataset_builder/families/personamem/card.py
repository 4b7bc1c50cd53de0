"""The part of the card that is about PersonaMem."""

from collections.abc import Mapping
from pathlib import Path

from personamem.cards.family import FamilyCard
from personamem.cards.render import name_pinned, render_slots
from personamem.dataset_builder.families.personamem.card_fields import (
    CHECK_MEANINGS,
    QUESTION_TYPE_MEANINGS,
    TABLES,
)
from personamem.dataset_builder.families.personamem.flat import describe_hub_tasks
from personamem.dataset_builder.families.personamem.pictures import draw_pictures
from personamem.dataset_builder.families.personamem.record import PersonaMemRecord, SplitRecord
from personamem.dataset_builder.families.record import read_record
from personamem.loaders.formats.manifest import Manifest
from personamem.loaders.personamem.files import FAMILY

TEMPLATE = Path(__file__).with_name("card.md.jinja")


def describe_card(manifest: Manifest, repo_id: str | None) -> FamilyCard:
    """Return the family's part of the card; ``repo_id`` is the Hub id once it is published.

    Raises:
        DatasetError: the manifest's record of the family lacks a key, or a value cannot be.
    """
    record = read_record(manifest, FAMILY, PersonaMemRecord)
    splits = record.splits
    num_questions = sum(split.questions for split in splits.values())
    slots = render_slots(
        TEMPLATE,
        splits=splits,
        num_questions=num_questions,
        num_contexts=sum(split.contexts for split in splits.values()),
        default_split=next(iter(splits)),
        readings=record.readings,
        filler=record.filler,
        chats=manifest.writer.items.get("chats"),
        counts={
            key: _count_by_name(splits, key) for key in ("question_types", "topics", "letters")
        },
        question_type_meanings=QUESTION_TYPE_MEANINGS,
        tokenizer=manifest.tokenizer,
        source=repo_id or "SOURCE",
        pinned=name_pinned(manifest, repo_id),
        published=repo_id is not None,
        hub_tasks=[task.id for task in describe_hub_tasks(list(splits))],
        hub_name=repo_id or "OWNER/NAME",
        version=manifest.version,
    )
    return FamilyCard(
        name=FAMILY,
        tables=TABLES,
        splits=tuple(splits),
        num_questions=num_questions,
        task_categories=("question-answering", "multiple-choice"),
        slots=slots,
        check_meanings=CHECK_MEANINGS,
        pictures=draw_pictures(record),
    )


def _count_by_name(splits: Mapping[str, SplitRecord], key: str) -> dict[str, dict[str, int]]:
    """Return the counts under ``key`` by name, then by split; names as they first appear."""
    counts: dict[str, dict[str, int]] = {}
    for split, record in splits.items():
        for name, count in getattr(record, key).items():
            counts.setdefault(name, {})[split] = count
    return counts
