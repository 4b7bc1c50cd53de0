"""Errors that a user can act on: what is wrong, where, and what is accepted."""

from collections.abc import Iterable
from difflib import get_close_matches


class PersonamemError(Exception):
    """Base class of every error this project raises on purpose."""


class InvalidInputError(PersonamemError, ValueError):
    """A value, file or option that cannot be used. The message names it and what is accepted."""


class DatasetError(PersonamemError, ValueError):
    """A dataset folder or file that is missing, incomplete or inconsistent."""


class DatasetNotFoundError(DatasetError, FileNotFoundError):
    """A dataset source that does not exist."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


MOST_CHOICES = 20
"""That a message lists; of more, it gives the number."""


def unknown_choice(kind: str, value: object, choices: Iterable[object]) -> InvalidInputError:
    """Return the error for a value outside a closed set, naming the set and the nearest choice."""
    names = [str(choice) for choice in choices]
    more = len(names) - MOST_CHOICES
    listed = ", ".join(names[:MOST_CHOICES]) + (f" and {more:,} more" if more > 0 else "")
    return InvalidInputError(
        f"Unknown {kind} {str(value)!r}.{suggest_choice(value, names)} Accepted: {listed}."
    )


def suggest_choice(value: object, choices: Iterable[str]) -> str:
    """Return " Did you mean ...?" with the choice nearest to a value; empty if none is near."""
    near = get_close_matches(str(value), list(choices), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""
