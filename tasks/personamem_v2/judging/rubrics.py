"""The two rubrics, chosen by what a reply is to do, and the messages that ask for a grade.

A reply about the user is to use what is known (positive); one about what was to be forgotten, about
somebody else or about confidential data is to leave it out (negative). The class of a row decides,
never a phrase in its text.
"""

from functools import cache
from pathlib import Path

from jinja2 import FileSystemLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from personamem.loaders.formats.schema import Message
from personamem.tasks.personamem_v2.judging.replies import OpenReply

POSITIVE_KINDS = ("self", "updated")

TEMPLATES = Path(__file__).parent / "templates"

_UNKNOWN_SECRET = "(any such value in the reply that the message does not give)"


def make_messages(reply: OpenReply) -> tuple[Message, Message]:
    """Return what a judge is asked about one reply: a system message and the rubric."""
    return (
        {"role": "system", "content": _render("system.jinja")},
        {"role": "user", "content": render_rubric(reply)},
    )


def render_rubric(reply: OpenReply) -> str:
    """Return what the judge is told about one reply."""
    if reply.kind in POSITIVE_KINDS:
        return _render(
            "positive.jinja",
            preference=reply.preference,
            former=reply.former if reply.kind == "updated" else "",
            query=reply.query,
            gold=reply.gold,
            reply=reply.text,
        )
    return _render(
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


def _render(name: str, **values: str) -> str:
    return _make_environment().get_template(name).render(values).strip()


@cache
def _make_environment() -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
