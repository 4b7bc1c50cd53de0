"""Pictures of the card: users by age, scenarios by how many domains they have."""

from personamem.cards.family import Picture
from personamem.dataset_builder.families.personalens.record import PersonaLensRecord
from personamem.dataset_builder.reports.bars import draw_bars
from personamem.dataset_builder.reports.pictures import make_pictures
from personamem.loaders.personalens.schema import FAMILY


def draw_pictures(record: PersonaLensRecord) -> tuple[Picture, ...]:
    """Return the pictures of a dataset; nothing but ``record`` goes into them."""
    drawn = (
        (
            "users",
            "Users by age",
            "Ages are drawn by the shares that the family declares.",
            draw_bars({name: {"users": number} for name, number in record.ages.items()}),
        ),
        (
            "scenarios",
            "Scenarios by domains",
            "A scenario is one user with one task, of one domain or of several.",
            draw_bars(
                {
                    name: {
                        "one domain": split.single_domain_scenarios,
                        "several domains": split.multi_domain_scenarios,
                    }
                    for name, split in record.splits.items()
                }
            ),
        ),
    )
    return make_pictures(FAMILY, drawn)
