"""What a model writes for PersonaMem: sessions, and the options of quads."""

from collections.abc import Sequence
from dataclasses import dataclass

from personamem.dataset_builder.core.config import ModelSettings
from personamem.dataset_builder.families.personamem.sessions import Brief, WrittenSession
from personamem.dataset_builder.families.personamem.writers.model.option_checks import read_options
from personamem.dataset_builder.families.personamem.writers.model.option_prompts import (
    request_options,
)
from personamem.dataset_builder.families.personamem.writers.model.options import OptionsBrief
from personamem.dataset_builder.families.personamem.writers.model.session_checks import (
    read_session,
)
from personamem.dataset_builder.families.personamem.writers.model.session_prompts import (
    request_session,
)
from personamem.dataset_builder.llm import Request


@dataclass(frozen=True, slots=True)
class SessionItem:
    """The messages of a session, after the embedded writer's system message."""

    brief: Brief
    settings: ModelSettings
    kind: str = "sessions"

    def request(self, faults: Sequence[str] = ()) -> Request:
        """Return the request for the messages."""
        return request_session(self.brief, self.settings, faults)

    def read(self, text: str) -> WrittenSession:
        """Return the session in an answer. Raises RejectedTextError."""
        return read_session(self.brief, text)


@dataclass(frozen=True, slots=True)
class OptionsItem:
    """The four options of a quad, or of a pair of quads, in their order."""

    brief: OptionsBrief
    settings: ModelSettings
    kind: str = "options"

    def request(self, faults: Sequence[str] = ()) -> Request:
        """Return the request for the four options."""
        return request_options(self.brief, self.settings, faults)

    def read(self, text: str) -> tuple[str, ...]:
        """Return the options in an answer. Raises RejectedTextError."""
        return read_options(self.brief, text)
