"""The two rubrics, chosen by what a reply is to do, and the request that asks for a grade.

A reply about the user is to use what is known (positive); one about what was to be forgotten, about
somebody else or about confidential data is to leave it out (negative). The class of a row decides,
never a phrase in its text.
"""

from pathlib import Path

from personamem.dataset_builder.families.personamem.judging.replies import OpenReply
from personamem.dataset_builder.llm import Request
from personamem.dataset_builder.llm.writing.templating import PromptTemplates

POSITIVE_KINDS = ("self", "updated")

PROMPTS = PromptTemplates(Path(__file__).parent / "templates")

_UNKNOWN_SECRET = "(any such value in the reply that the message does not give)"


def make_request(reply: OpenReply, model: str, max_tokens: int) -> Request:
    """Return the request for the grade of one reply."""
    return Request(
        model=model,
        messages=(
            {"role": "system", "content": PROMPTS.render("system.jinja")},
            {"role": "user", "content": render_rubric(reply)},
        ),
        parameters={"temperature": 0, "max_tokens": max_tokens},
    )


def render_rubric(reply: OpenReply) -> str:
    """Return what the judge is told about one reply."""
    if reply.kind in POSITIVE_KINDS:
        return PROMPTS.render(
            "positive.jinja",
            preference=reply.preference,
            former=reply.former if reply.kind == "updated" else "",
            query=reply.query,
            gold=reply.gold,
            reply=reply.text,
        )
    return PROMPTS.render(
        "negative.jinja",
        kind=reply.kind,
        withheld=name_withheld(reply),
        query=reply.query,
        gold=reply.gold,
        reply=reply.text,
    )


def name_withheld(reply: OpenReply) -> str:
    """Return what a reply must not use."""
    if reply.kind == "sensitive":
        return "\n".join(reply.secrets) or _UNKNOWN_SECRET
    if reply.kind == "forget":
        return reply.former or reply.preference
    return reply.preference
