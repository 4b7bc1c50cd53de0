"""The pieces a model writes, each with its request and its check."""

from collections.abc import Sequence
from dataclasses import dataclass

from personamem.dataset_builder.answers import Request
from personamem.dataset_builder.community.briefs import DocumentBrief
from personamem.dataset_builder.config import ModelSettings
from personamem.dataset_builder.open_schema import Utterance
from personamem.dataset_builder.sessions import Brief, WrittenSession
from personamem.dataset_builder.writers.model.document_checks import read_document
from personamem.dataset_builder.writers.model.document_prompts import request_document
from personamem.dataset_builder.writers.model.option_checks import read_options
from personamem.dataset_builder.writers.model.option_prompts import request_options
from personamem.dataset_builder.writers.model.options import OptionsBrief
from personamem.dataset_builder.writers.model.session_checks import read_session
from personamem.dataset_builder.writers.model.session_prompts import request_session


@dataclass(frozen=True, slots=True)
class SessionPiece:
    """The messages of a session, behind the embedded writer's system message."""

    brief: Brief
    settings: ModelSettings
    kind: str = "sessions"

    def request(self, faults: Sequence[str] = ()) -> Request:
        """Return the request for the messages."""
        return request_session(self.brief, self.settings, faults)

    def read(self, text: str) -> WrittenSession:
        """Return the session in an answer. Raises FlawError."""
        return read_session(self.brief, text)


@dataclass(frozen=True, slots=True)
class OptionsPiece:
    """The four options of a quad, or of a pair of quads, in their order."""

    brief: OptionsBrief
    settings: ModelSettings
    kind: str = "options"

    def request(self, faults: Sequence[str] = ()) -> Request:
        """Return the request for the four options."""
        return request_options(self.brief, self.settings, faults)

    def read(self, text: str) -> tuple[str, ...]:
        """Return the options in an answer. Raises FlawError."""
        return read_options(self.brief, text)


@dataclass(frozen=True, slots=True)
class DocumentPiece:
    """The messages of a private document of somebody in a community."""

    brief: DocumentBrief
    settings: ModelSettings
    kind: str = "documents"

    def request(self, faults: Sequence[str] = ()) -> Request:
        """Return the request for the messages."""
        return request_document(self.brief, self.settings, faults)

    def read(self, text: str) -> tuple[Utterance, ...]:
        """Return all messages of the document. Raises FlawError."""
        return read_document(self.brief, text)
