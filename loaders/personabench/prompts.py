"""The prompt of an open question: some documents, oldest first, then the question."""

from collections.abc import Sequence

from personamem.loaders.formats.schema import Message
from personamem.loaders.personabench.chunks import render_plain
from personamem.loaders.personabench.records import Question, Session, order_by_time
from personamem.loaders.personabench.schema import DocumentKind

OPENING = (
    "I am {name}. These are private documents of mine, the oldest first: conversations with people "
    "I know, chats with an assistant, purchases."
)

_KEPT = (
    "I am {name}. This is what is kept of private documents of mine (conversations with people I "
    "know, chats with an assistant, purchases) and bears on my question:"
)
_NOTHING = "I am {name}. Nothing that is kept of private documents of mine bears on my question."

INSTRUCTION = (
    "Answer my question with a JSON list of short strings and nothing else: one string for each "
    'thing that is asked for, such as ["first thing", "second thing"], and a list of one string '
    "where there is one answer."
)

_HEADINGS: dict[DocumentKind, str] = {
    "conversation": "Conversation of {name} with {partner}",
    "user_ai_interaction": "Chat of {name} with an assistant",
    "purchase_history": "Purchases of {name}",
}


def render_documents(name: str, sessions: Sequence[Session]) -> str:
    """Return the documents of a person, in the order of time; an empty text without any."""
    if not sessions:
        return ""
    texts = [_render_document(name, session) for session in order_by_time(sessions)]
    return "\n\n".join([OPENING.format(name=name), *texts])


def render_memories(name: str, texts: Sequence[str]) -> str:
    """Return what a memory found in the documents of a person, in its order."""
    if not texts:
        return _NOTHING.format(name=name)
    return "\n\n".join([_KEPT.format(name=name), *texts])


def make_open_turn(question: Question) -> str:
    """Return the question, with who asks it and the form in which to answer."""
    return f"I am {question.person}. {INSTRUCTION}\n\nQuestion: {question.text}"


def make_open_messages(documents: str, question: Question) -> list[Message]:
    """Return the one user message, in which whatever the documents say comes first."""
    parts = [documents] if documents else []
    return [{"role": "user", "content": "\n\n".join([*parts, make_open_turn(question)])}]


def _render_document(name: str, session: Session) -> str:
    heading = _HEADINGS[session.kind].format(name=name, partner=session.partner)
    return f"{heading}\n{render_plain(session)}"
