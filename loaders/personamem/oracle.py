"""The oracle condition: only the sessions in which a question's evidence lies."""

from bisect import bisect_right
from collections.abc import Collection, Sequence

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import Message, Question
from personamem.loaders.personamem.dataset import PersonaMem


def oracle_messages_for(data: PersonaMem, question: Question) -> list[Message]:
    """Return the sessions that hold the question's evidence, whole but not past its end index.

    Where nothing in particular proves the gold (an option is right because it was never mentioned),
    the sessions with the related mentions are taken.

    Raises:
        InvalidInputError: the dataset has no annotations, as the official releases.
    """
    annotation = data.evidence_for(question)
    if annotation is None:
        raise missing_annotations(data)
    indices = annotation.evidence_message_indices or annotation.related_message_indices
    starts = data.session_starts(question.shared_context_id)
    return select_sessions(data.messages_for(question), starts, indices)


def missing_annotations(data: PersonaMem) -> InvalidInputError:
    """Return the error for the oracle condition on a dataset that cannot have it."""
    return InvalidInputError(
        f"The oracle condition needs annotations (which messages prove an answer), and "
        f"{data.source} has none: the official releases do not say. Accepted: a dataset built by "
        "personamem."
    )


def select_sessions(
    messages: Sequence[Message], session_starts: Sequence[int], indices: Collection[int]
) -> list[Message]:
    """Return the messages of every session that holds one of the message indices, in order.

    Args:
        messages: a context, or its beginning.
        session_starts: message indices, ascending, the first 0.
        indices: message indices; those past the end of ``messages`` count for nothing.
    """
    chosen = {bisect_right(session_starts, index) for index in indices if index < len(messages)}
    return [
        message
        for index, message in enumerate(messages)
        if bisect_right(session_starts, index) in chosen
    ]
