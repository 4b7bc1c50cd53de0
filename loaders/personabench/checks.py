"""Checks that every layout on disk has to pass, with errors that name file, value and choices."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.personabench.schema import GoldValue


def refuse_duplicates(path: Path, kind: str, names: Sequence[str]) -> None:
    """Raise a DatasetError if a name occurs twice."""
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise DatasetError(f"{path}: {kind} {twice!r} occurs twice.")


def make_gold(
    where: str, gold: Mapping[str, Sequence[str]], person: str, sessions: Collection[str]
) -> tuple[GoldValue, ...]:
    """Return the values of a question with the sessions that reveal them, each session once.

    Args:
        where: what to call the question in an error.
        gold: session ids by value.
        person: whose question it is.
        sessions: the ids of all of that person's sessions.

    Raises:
        DatasetError: a session does not exist.
    """
    for value, alternatives in gold.items():
        for session_id in alternatives:
            if session_id not in sessions:
                raise DatasetError(
                    f"{where}: {value!r} points to session {session_id!r}, which does not "
                    f"exist. Accepted: the {len(sessions)} sessions of {person!r}, such as "
                    f"{min(sessions)!r}."
                )
    return tuple(GoldValue(value, tuple(dict.fromkeys(ids))) for value, ids in gold.items())
