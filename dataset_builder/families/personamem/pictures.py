"""Pictures of the card: questions by type and level, distances, what contexts are made of."""

from personamem.cards.family import Picture
from personamem.dataset_builder.families.personamem.dials import Level
from personamem.dataset_builder.families.personamem.record import (
    TENTHS,
    PersonaMemRecord,
    SplitRecord,
)
from personamem.dataset_builder.families.personamem.summary import PARTS
from personamem.dataset_builder.reports.bars import draw_bars
from personamem.dataset_builder.reports.lines import draw_lines
from personamem.dataset_builder.reports.pictures import make_pictures
from personamem.loaders.personamem.files import FAMILY


def draw_pictures(record: PersonaMemRecord) -> tuple[Picture, ...]:
    """Return the pictures of a dataset; nothing but ``record`` goes into them."""
    splits = record.splits
    kinds = draw_bars(_count_levels(list(splits.values())))
    distances = draw_lines(
        {name: _share_distances(split) for name, split in splits.items()},
        "percent of what a question sees, after its evidence",
    )
    parts = draw_bars(
        {
            name: {part: split.context_parts.get(part, 0) for part in PARTS}
            for name, split in splits.items()
        },
        whole=True,
    )
    drawn = (
        (
            "questions",
            "Questions by type and level of evidence",
            "All splits; the level says how the conversation tells what is asked.",
            kinds,
        ),
        (
            "distances",
            "How far back the evidence is",
            "Share of questions (up) by how much of what they see comes after it, in % (across).",
            distances,
        ),
        (
            "contexts",
            "What contexts are made of",
            "Tokens by kind of text, as shares; behind each bar the tokens of the split.",
            parts,
        ),
    )
    return make_pictures(FAMILY, drawn)


def _count_levels(splits: list[SplitRecord]) -> dict[str, dict[str, int]]:
    """Return questions by type, then by level, over all splits; levels from plain to hard."""
    known = [level.value for level in Level]
    names = dict.fromkeys(name for split in splits for name in split.levels)
    counts = {}
    for name in names:
        found = [split.levels.get(name, {}) for split in splits]
        levels = {level for each in found for level in each}
        counts[name.replace("_", " ")] = {
            level: sum(each.get(level, 0) for each in found)
            for level in (*known, *sorted(levels - set(known)))
        }
    return counts


def _share_distances(split: SplitRecord) -> dict[float, float]:
    total = sum(split.distances) or 1
    return {
        100 * (tenth + 1) / TENTHS: count / total for tenth, count in enumerate(split.distances)
    }
