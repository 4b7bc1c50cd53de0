"""Which tasks there are on the official second release, and on sets in its columns."""

from personamem.loaders.personamem.version2.records import SPLITS
from personamem.tasks.families import Mode, TaskFamily

GENERATE = Mode("", "_v2_generate_yaml", ("acc", "unparsable"))
LOGLIKELIHOOD = Mode("ll", "_v2_loglikelihood_yaml", ("acc",))
OPEN = Mode("open", "_v2_open_yaml", ("empty",))

FAMILY = TaskFamily(
    name="personamem_v2",
    splits=SPLITS,
    grouped_splits=SPLITS,
    conditions=("full", "nocontext", "profile", "oracle", "rag", "memory"),
    modes=(GENERATE, LOGLIKELIHOOD, OPEN),
)
