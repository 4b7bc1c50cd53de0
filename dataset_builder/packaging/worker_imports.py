"""What the processes of a build need, loaded before they are forked so that none loads it itself.

Importing this module does it; nothing in it is called.
"""

import pyarrow as pa

from personamem.dataset_builder.families.registry import import_builders
from personamem.dataset_builder.packaging import build  # noqa: F401
from personamem.loaders.formats.tokens import count_tokens

import_builders()
count_tokens("")
pa.array([""])  # pyarrow looks for pandas when it first converts a list.
