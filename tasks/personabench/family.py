"""Which tasks there are on PersonaBench datasets."""

from personamem.loaders.personabench.schema import NOISE_SPLITS
from personamem.tasks.families import Mode, TaskFamily

FAMILY = TaskFamily(
    name="personabench",
    splits=tuple(NOISE_SPLITS),
    grouped_splits=tuple(NOISE_SPLITS),
    conditions=("full", "nocontext", "oracle", "rag", "memory"),
    modes=(Mode("", "_open_yaml", ("recall", "f1", "unparsable")),),
)
