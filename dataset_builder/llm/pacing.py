"""When a request may be sent: a number of them at a time, and none while the server is away.

A server counts as away if nobody listens, or if attempts at so many different requests in a row
have failed (status 429 included) that chance does not explain it. Then all requests wait, and one
at a time probes the server, after pauses that grow with the time for which it has been away.
Attempts that fail meanwhile count against no request. The first success ends the wait; so does any
reply, even an error, if there was none before.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from personamem.dataset_builder.llm.errors import ServerError
from personamem.loaders.formats.transport import FIRST_PAUSE, TransportError

FAILED_REQUESTS = 8
"""If a quarter of all attempts fail by chance, eight in a row have a probability of 1 in 65,000."""

PROBE_SHARE = 0.1
"""The pause before a probe, as a share of the time away."""

LONGEST_PROBE_PAUSE = 2.0


class Stopped(Exception):
    """The run has ended, and no further request is sent."""


class Pacer:
    """Decides, for all tasks of one run, when the next request is sent to the server.

    Args:
        concurrency: requests at a time.
        patience: seconds of errors without one success after which the server is given up.
        first_patience: the same, as long as the server has not replied once.
        report: called with the problem when the server goes away, and with "" when it is back.

    ``errors_in_a_row`` counts those of all requests since the last success of any.
    """

    def __init__(
        self,
        concurrency: int,
        patience: float,
        first_patience: float,
        report: Callable[[str], None] = lambda problem: None,
    ) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._patience, self._first_patience = patience, min(first_patience, patience)
        self._report = report
        self.errors_in_a_row = 0
        self._has_replied = False
        self._stopped = asyncio.Event()
        self._is_probed = False
        self._away_since: float | None = None
        self._is_silent = False
        self._no_probe_before = 0.0
        self._changed = asyncio.Event()
        self._failed: set[str] = set()
        self._failing_since: float | None = None

    @asynccontextmanager
    async def take_turn(self) -> AsyncIterator[None]:
        """Wait until a request may be sent, and hold one of the slots while it is under way.

        Call ``note_success`` or ``note_error`` before the turn ends.

        Raises:
            Stopped: the run has been stopped.
        """
        async with self._slots:
            is_probe = await self._wait_for_server()
            try:
                yield
            finally:
                if is_probe:
                    self._is_probed = False
                    self._wake()

    async def pause(self, seconds: float) -> None:
        """Sleep; raise Stopped when the run is stopped."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), seconds)
        self.check()

    def check(self) -> None:
        """Raise Stopped if the run has been stopped."""
        if self._stopped.is_set():
            raise Stopped

    def stop(self) -> None:
        """Send no further request."""
        self._stopped.set()
        self._wake()

    def note_success(self) -> None:
        """Note that the server has answered."""
        self._has_replied = True
        self.errors_in_a_row = 0
        self._failed.clear()
        self._failing_since = None
        self._come_back()

    def note_error(self, key: str, error: TransportError) -> bool:
        """Note a failed attempt; return whether the request itself may be the cause.

        Raises:
            ServerError: the server has failed for too long, or asks for too long a pause.
        """
        now = time.monotonic()
        if self._failing_since is None:
            self._failing_since = now
        self._has_replied = self._has_replied or error.status is not None
        self._check_patience(now - self._failing_since, error)
        self.errors_in_a_row += 1
        if error.status is not None and self._is_silent:
            self._failed.clear()
            self._come_back()
        was_there = self._away_since is None
        self._failed.add(key)
        is_away = error.is_unreachable or len(self._failed) >= FAILED_REQUESTS
        if was_there and is_away:
            self._away_since = now
            self._is_silent = error.status is None
            self._report(str(error))
        self._no_probe_before = max(self._no_probe_before, now + error.retry_after)
        return was_there and not error.is_unreachable

    def _come_back(self) -> None:
        if self._away_since is not None:
            self._away_since, self._is_silent = None, False
            self._report("")
            self._wake()

    def _check_patience(self, failing: float, error: TransportError) -> None:
        if not self._has_replied and failing > self._first_patience:
            raise ServerError(
                f"The server has not replied once in {failing:,.0f} s: {error}. Check base_url, "
                "and whether the server is running."
            )
        if error.retry_after > self._patience:
            problem = f"The server asks to be left alone for {error.retry_after:,.0f} s"
        elif failing > self._patience:
            problem = f"The server has answered nothing for {failing:,.0f} s"
        else:
            return
        raise ServerError(
            f"{problem}; the most to wait is {self._patience:,.0f} s. The last error: {error}. "
            "All answers so far are stored; run again to go on."
        )

    async def _wait_for_server(self) -> bool:
        """Wait while the server is away; return whether the turn is a probe."""
        while True:
            self.check()
            if self._away_since is None:
                return False
            if not self._is_probed:
                self._is_probed = True
                try:
                    await self.pause(self._seconds_to_probe(self._away_since))
                except BaseException:
                    self._is_probed = False
                    raise
                return True
            await self._changed.wait()

    def _seconds_to_probe(self, away_since: float) -> float:
        now = time.monotonic()
        pause = min(max(PROBE_SHARE * (now - away_since), FIRST_PAUSE), LONGEST_PROBE_PAUSE)
        return max(pause, self._no_probe_before - now)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
