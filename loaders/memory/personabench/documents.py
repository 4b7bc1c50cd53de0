"""Private documents as a memory gets them: each archive is a user, each document a session.

Archives are kept apart like users of a service, also those of people who know each other: who asks
knows their own documents and no others. A talk between people has no assistant in it, so all its
messages are the user's and begin with the name of who speaks; so is a list of purchases.
"""

from collections.abc import Iterator
from pathlib import Path

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.memory.protocol import DatedMessage
from personamem.loaders.memory.steps import AddStep, AskStep, Step, name_user
from personamem.loaders.personabench.benchmark import PersonaBench, load_personabench
from personamem.loaders.personabench.chunks import render_purchases
from personamem.loaders.personabench.records import (
    Archive,
    GroundedQuestion,
    Session,
    list_asked,
)
from personamem.loaders.personabench.schema import NOISE_SPLITS

_BOUGHT = "Bought:"


def open_split(source: str | Path, split: str) -> "PrivateDocuments | None":
    """Return a noise level of a dataset or a release; None if ``split`` names no such level.

    Raises:
        PersonamemError: see ``load_personabench`` and ``PrivateDocuments``.
    """
    return PrivateDocuments(load_personabench(source), split) if split in NOISE_SPLITS else None


class PrivateDocuments:
    """The archives of one noise level, and what happens to a memory of each.

    The id of a context is ``community/person``. Questions are those that are scored.
    """

    def __init__(self, data: PersonaBench, split: str) -> None:
        """Read the noise level ``split``, one of ``NOISE_SPLITS``.

        Raises:
            InvalidInputError: the dataset has no such level.
            DatasetError: see ``PersonaBench.archives``; an archive without documents.
        """
        self.source, self.split = data.source, split
        self._archives = {name_archive(each): each for each in data.archives(NOISE_SPLITS[split])}
        for context_id, archive in self._archives.items():
            if not archive.sessions:
                raise DatasetError(f"{self.source}: {context_id} has no documents at {split}.")
        self.context_ids = tuple(self._archives)

    def map_questions(self) -> dict[str, str]:
        """Return the context of each question, by their ids."""
        return {
            asked.question.question_id: context_id
            for context_id, archive in self._archives.items()
            for asked in list_asked(archive)
        }

    def list_steps(self, context_id: str) -> Iterator[Step]:
        """Yield the documents of an archive by time, then its questions on the last day."""
        archive, user = self._archives[context_id], name_user(context_id)
        sessions = archive.in_time_order()
        for session in sessions:
            yield AddStep(user, session.session_id, tuple(_make_messages(session)))
        for asked in list_asked(archive):
            yield _ask(asked, user, sessions[-1].time.date().isoformat())


def name_archive(archive: Archive) -> str:
    """Return the id of an archive: the community and the person."""
    return f"{archive.person.community}/{archive.person.name}"


def _ask(asked: GroundedQuestion, user: str, day: str) -> AskStep:
    return AskStep(
        user=user,
        question_id=asked.question.question_id,
        query=asked.question.text,
        as_of=day,
        evidence=tuple(value.session_ids for value in asked.gold),
        related=None,
    )


def _make_messages(session: Session) -> Iterator[DatedMessage]:
    stamp = session.time.isoformat()
    for message in session.messages:
        if session.kind == "conversation":
            text = f"{message.role}: {message.content}"
            yield DatedMessage(role="user", content=text, timestamp=stamp)
        else:
            yield DatedMessage(role=message.role, content=message.content, timestamp=stamp)
    if session.purchases:
        text = "\n".join([_BOUGHT, *render_purchases(session)])
        yield DatedMessage(role="user", content=text, timestamp=stamp)
