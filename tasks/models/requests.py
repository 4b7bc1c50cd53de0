"""The answers to lm-eval's requests, each in its place."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from lm_eval.api.instance import Instance

from personamem.loaders.formats.errors import PersonamemError

Answer = TypeVar("Answer")


class MissingAnswerError(PersonamemError, RuntimeError):
    """A model has gone through all requests and left some unanswered, which is a fault of ours."""


class AnswerSheet(Generic[Answer]):
    """The answers to requests, entered in any order."""

    def __init__(self, requests: Sequence[Instance]) -> None:
        """Begin without any answer."""
        self._requests = requests
        self._answers: dict[int, Answer] = {}

    def enter(self, number: int, answer: Answer) -> None:
        """Put down the answer to the request with a number."""
        self._answers[number] = answer

    def collect(self) -> list[Answer]:
        """Return the answers in the order of the requests.

        Raises:
            MissingAnswerError: naming the first request that has none.
        """
        missing = [number for number in range(len(self._requests)) if number not in self._answers]
        if missing:
            raise MissingAnswerError(
                f"{name_request(self._requests[missing[0]])}: the model gave no answer "
                f"({len(missing)} of {len(self._requests)} requests have none). "
                "No result is returned, because the others would be taken for the wrong requests."
            )
        return [self._answers[number] for number in range(len(self._requests))]


def name_request(request: Instance) -> str:
    """Return a request's task and document, for messages."""
    return f"{request.task_name or 'A request'}, document {request.doc_id}"
