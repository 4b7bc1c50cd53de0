"""The errors between a request and its stored answer, which callers handle differently."""

from personamem.loaders.formats.errors import PersonamemError


class StoreError(PersonamemError):
    """A store of answers cannot be opened, read or written. What it holds is unchanged."""


class ServerError(PersonamemError):
    """A server refuses every request, or has answered none for too long."""


class BudgetSpentError(PersonamemError):
    """The budget leaves no room for the next request. All answers that were paid for are stored."""


class UnreadableAnswerError(PersonamemError):
    """A text holds no JSON of the expected form; the message says what is missing."""
