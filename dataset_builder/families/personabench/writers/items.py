"""What a model writes for PersonaBench: private documents."""

from collections.abc import Sequence
from dataclasses import dataclass

from personamem.dataset_builder.core.config import ModelSettings
from personamem.dataset_builder.families.personabench.briefs import DocumentBrief
from personamem.dataset_builder.families.personabench.writers.document_checks import read_document
from personamem.dataset_builder.families.personabench.writers.document_prompts import (
    request_document,
)
from personamem.dataset_builder.llm import Request
from personamem.loaders.personabench.schema import Utterance


@dataclass(frozen=True, slots=True)
class DocumentItem:
    """The messages of a private document of somebody in a community."""

    brief: DocumentBrief
    settings: ModelSettings
    kind: str = "documents"

    def request(self, faults: Sequence[str] = ()) -> Request:
        """Return the request for the messages."""
        return request_document(self.brief, self.settings, faults)

    def read(self, text: str) -> tuple[Utterance, ...]:
        """Return all messages of the document. Raises RejectedTextError."""
        return read_document(self.brief, text)
