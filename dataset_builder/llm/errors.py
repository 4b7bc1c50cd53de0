"""What can go wrong between a request and its stored answer, for a caller to tell apart."""

from personamem.loaders.formats.errors import PersonamemError


class StoreError(PersonamemError):
    """A store of answers that cannot be opened, read or written. What it holds is untouched."""


class ServerError(PersonamemError):
    """A server that refuses every request, or has answered none for too long."""


class BudgetSpentError(PersonamemError):
    """The budget leaves no room for the next request. All answers that were paid are stored."""


class UnreadableAnswerError(PersonamemError):
    """A text in which no JSON of the wanted form was found; the message is a reason to tell."""
