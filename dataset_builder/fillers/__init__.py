"""What fills contexts beside what questions are about, with answers that are right."""

from personamem.dataset_builder.fillers.everyday import (
    Chat,
    list_chats_of_anybody,
    list_everyday_chats,
)
from personamem.dataset_builder.fillers.pasted import PastedWriter
from personamem.dataset_builder.fillers.source import read_filler
from personamem.dataset_builder.fillers.writer import UnrelatedWriter, kinds

__all__ = [
    "Chat",
    "PastedWriter",
    "UnrelatedWriter",
    "kinds",
    "list_chats_of_anybody",
    "list_everyday_chats",
    "read_filler",
]
