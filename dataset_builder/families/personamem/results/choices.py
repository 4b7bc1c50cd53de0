"""Which option an answer chose, and what that option is to the user."""

from collections.abc import Sequence

from personamem.loaders.formats.schema import LETTERS
from personamem.loaders.personamem.letters import read_letter

NO_LETTER = "no letter"
"""The role of an answer from which no letter could be read."""


def find_chosen(text: str | None, likelihoods: Sequence[float]) -> int | None:
    """Return the index of the option that a reply names; None if it names none.

    Without a text, it is the likeliest option, the first of equal ones.
    """
    if text is None:
        return likelihoods.index(max(likelihoods))
    letter = read_letter(text)
    return None if letter is None else LETTERS.index(letter)


def name_role(chosen: int | None, roles: Sequence[str]) -> str:
    """Return the role of the option chosen, such as former; empty where nobody states roles."""
    if not any(roles):
        return ""
    return NO_LETTER if chosen is None else roles[chosen]
