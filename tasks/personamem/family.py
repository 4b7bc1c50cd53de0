"""Which tasks there are on PersonaMem datasets."""

from personamem.loaders.formats.schema import SIZES
from personamem.tasks.families import Mode, TaskFamily

GENERATE = Mode("", "_generate_yaml", ("acc", "unparsable"))
LOGLIKELIHOOD = Mode("ll", "_loglikelihood_yaml", ("acc",))

FAMILY = TaskFamily(
    name="personamem",
    splits=tuple(SIZES),
    # The sizes of the official release.
    grouped_splits=("32k", "128k", "1M"),
    conditions=("full", "nocontext", "oracle", "rag", "memory"),
    modes=(GENERATE, LOGLIKELIHOOD),
)
