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


def unknown_choice(kind: str, value: object, choices: Iterable[object]) -> InvalidInputError:
    """Return the error for a value outside a closed set, naming the set and the nearest choice."""
    names = [str(choice) for choice in choices]
    near = get_close_matches(str(value), names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return InvalidInputError(f"Unknown {kind} {str(value)!r}.{hint} Accepted: {', '.join(names)}.")
