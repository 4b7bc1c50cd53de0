"""Requests for chats: what a model is told of a brief, from templates in files."""

from collections.abc import Sequence

from personamem.dataset_builder.core.config import ModelSettings
from personamem.dataset_builder.families.personamem.writers.briefs import ChatBrief
from personamem.dataset_builder.families.personamem.writers.prompts import PROMPTS
from personamem.dataset_builder.llm import Request
from personamem.dataset_builder.llm.writing.response_schemas import JSON_TOKENS, name_messages


def name_fields(brief: ChatBrief) -> tuple[str, ...]:
    """Return the field of each message, the user's first."""
    return name_messages(["user", "assistant"] * (brief.messages // 2))


def request_chat(brief: ChatBrief, settings: ModelSettings, faults: Sequence[str] = ()) -> Request:
    """Return the request for a chat; ``faults`` are what earlier attempts got wrong, in order.

    Every attempt is another request, even after the same fault twice.
    """
    fields = name_fields(brief)
    prompt = PROMPTS.render("chat.jinja", brief=brief, fields=fields, faults=list(faults))
    most = 2 * brief.most_tokens + JSON_TOKENS * (len(fields) + 4)
    return PROMPTS.make_request(settings, prompt, most, fields, "system.jinja")
