"""The progress of a run."""

from dataclasses import dataclass, replace

from personamem.dataset_builder.llm.records import Failure, Outcome


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a run.

    Args:
        total: requests, or None for an iterator of unknown length.
        stored: requests whose outcome was stored before.
        answered: requests that were sent and answered.
        failed: requests that failed, in this run or in an earlier one that stored the failure.
        attempts: requests that were sent, repeats included.
        prompt_tokens: of this run, as the server counts them.
        completion_tokens: of this run, as the server counts them.
        cost: of this run, in the currency of the prices.
        seconds: since the first request was sent.
        trouble: what the run waits for while nothing goes on, else "".
    """

    total: int | None = None
    stored: int = 0
    answered: int = 0
    failed: int = 0
    attempts: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    trouble: str = ""

    def add(self, **counts: int | float) -> "Progress":
        """Return the state with these numbers added."""
        return replace(self, **{name: getattr(self, name) + more for name, more in counts.items()})

    def note(self, outcome: Outcome, is_new: bool) -> "Progress":
        """Return the state after an outcome, which is new or was stored before."""
        if isinstance(outcome, Failure):
            return self.add(failed=1)
        if not is_new:
            return self.add(stored=1)
        return self.add(
            answered=1,
            prompt_tokens=outcome.prompt_tokens or 0,
            completion_tokens=outcome.completion_tokens or 0,
        )

    @property
    def done(self) -> int:
        """Requests that have an outcome."""
        return self.stored + self.answered + self.failed

    @property
    def rate(self) -> float:
        """New answers per second."""
        return self.answered / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Seconds left at this rate, or None if the rate or the total is unknown."""
        if self.total is None or not self.rate:
            return None
        return (self.total - self.done) / self.rate
