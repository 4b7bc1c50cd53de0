"""Unrelated sessions: exchanges on small problems whose answers are computed, hence right."""

from personamem.dataset_builder.fillers.pasted import PastedWriter
from personamem.dataset_builder.fillers.writer import UnrelatedWriter, kinds

__all__ = ["PastedWriter", "UnrelatedWriter", "kinds"]
