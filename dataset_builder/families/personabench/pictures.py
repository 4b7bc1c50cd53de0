"""Pictures of the card: open questions by category, documents by level of noise."""

from personamem.cards.family import Picture
from personamem.dataset_builder.families.personabench.record import PersonaBenchRecord
from personamem.dataset_builder.reports.bars import draw_bars
from personamem.dataset_builder.reports.pictures import make_pictures
from personamem.loaders.personabench.schema import FAMILY


def draw_pictures(record: PersonaBenchRecord) -> tuple[Picture, ...]:
    """Return the pictures of a dataset; nothing but ``record`` goes into them."""
    splits = sorted(record.splits.items(), key=lambda item: item[1].noise)
    drawn = (
        (
            "questions",
            "Open questions by category",
            "The same questions are asked at every level of noise.",
            draw_bars({name: {"questions": n} for name, n in record.categories.items()}),
        ),
        (
            "documents",
            "Documents by level of noise",
            "More noise, more documents that reveal nothing asked for.",
            draw_bars({name: split.kinds for name, split in splits}),
        ),
    )
    return make_pictures(FAMILY, drawn)
