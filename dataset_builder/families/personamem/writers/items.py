"""What a model writes for PersonaMem: everyday chats."""

from collections.abc import Sequence
from dataclasses import dataclass

from personamem.dataset_builder.core.config import ModelSettings
from personamem.dataset_builder.families.personamem.writers.briefs import ChatBrief
from personamem.dataset_builder.families.personamem.writers.chat_checks import read_chat
from personamem.dataset_builder.families.personamem.writers.chat_prompts import request_chat
from personamem.dataset_builder.fillers import Chat
from personamem.dataset_builder.llm import Request


@dataclass(frozen=True, slots=True)
class ChatItem:
    """An everyday chat of one context."""

    brief: ChatBrief
    settings: ModelSettings
    kind: str = "chats"

    def request(self, faults: Sequence[str] = ()) -> Request:
        """Return the request for the messages."""
        return request_chat(self.brief, self.settings, faults)

    def read(self, text: str) -> Chat:
        """Return the chat in an answer. Raises RejectedTextError."""
        return read_chat(self.brief, text)
