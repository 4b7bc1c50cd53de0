"""How far a run is."""

from dataclasses import dataclass, replace

from personamem.dataset_builder.llm.records import Failure, Outcome


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a run.

    Args:
        total: requests, or None for an iterator whose length is not known.
        stored: requests whose outcome was there before.
        answered: requests that were asked and answered.
        failed: requests that failed, in this run or stored as failed.
        attempts: what was sent, repeats included.
        prompt_tokens: as the server counted, of this run.
        completion_tokens: as the server counted, of this run.
        cost: of this run, in the currency of the prices.
        seconds: since the first request was sent.
        trouble: what is wrong while the server is away, else "".
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
        """Return the state with more of each of these."""
        return replace(self, **{name: getattr(self, name) + more for name, more in counts.items()})

    def note(self, outcome: Outcome, is_new: bool) -> "Progress":
        """Return the state after an outcome, which was asked for, or was there before."""
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
        """Answers a second, those from the store left out."""
        return self.answered / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Seconds at this rate, or None where nothing can be said."""
        if self.total is None or not self.rate:
            return None
        return (self.total - self.done) / self.rate
