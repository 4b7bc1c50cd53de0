"""When a request may go out: so many at a time, and none while the server is away.

A server is taken to be away when nobody listens, or when attempts at so many different requests in
a row have failed (429 included) that chance does not explain it. Then all wait, and one request at
a time tries, after pauses that grow with the time that it has been away. Attempts that fail
meanwhile count against no request. The first success lets all go on, and so does any reply, even
an error, where there was none before.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from personamem.dataset_builder.llm.errors import ServerError
from personamem.dataset_builder.llm.faults import FIRST_PAUSE, Fault

FAILED_REQUESTS = 8
"""With a quarter of all attempts failing by chance, eight in a row are a matter of 1 in 65,000."""

PROBE_SHARE = 0.1
"""The pause before a probe as a share of the time away: so much of an outage is lost on top."""

LONGEST_PROBE_PAUSE = 2.0


class Stopped(Exception):
    """No further request is sent: something ended the run."""


class Pacer:
    """The way to one server, for all tasks of one run.

    Args:
        concurrency: requests at a time.
        patience: seconds of faults without one success after which the server is given up.
        report: called with what is wrong when the server goes away, with "" when it is back.

    ``faults_in_a_row`` counts those of all requests since the last success of any.
    """

    def __init__(
        self, concurrency: int, patience: float, report: Callable[[str], None] = lambda what: None
    ) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._patience = patience
        self._report = report
        self.faults_in_a_row = 0
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
        """Wait until a request may be sent, and hold one of the places while it is under way.

        Before the end of the turn, ``note_success`` or ``note_fault`` says how it went.

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
        """Let no further request go out."""
        self._stopped.set()
        self._wake()

    def note_success(self) -> None:
        """The server has answered."""
        self.faults_in_a_row = 0
        self._failed.clear()
        self._failing_since = None
        self._come_back()

    def note_fault(self, key: str, fault: Fault) -> bool:
        """Return whether the server was there, so that the fault may be the request's own.

        Raises:
            ServerError: the server has failed for too long, or asks for too long a pause.
        """
        now = time.monotonic()
        if self._failing_since is None:
            self._failing_since = now
        self._check_patience(now - self._failing_since, fault)
        self.faults_in_a_row += 1
        if fault.status is not None and self._is_silent:
            self._failed.clear()
            self._come_back()
        was_there = self._away_since is None
        self._failed.add(key)
        is_away = fault.is_away or len(self._failed) >= FAILED_REQUESTS
        if was_there and is_away:
            self._away_since = now
            self._is_silent = fault.status is None
            self._report(fault.what)
        self._no_probe_before = max(self._no_probe_before, now + fault.retry_after)
        return was_there and not fault.is_away

    def _come_back(self) -> None:
        if self._away_since is not None:
            self._away_since, self._is_silent = None, False
            self._report("")
            self._wake()

    def _check_patience(self, failing: float, fault: Fault) -> None:
        if fault.retry_after > self._patience:
            problem = f"The server wants to be left alone for {fault.retry_after:,.0f} s"
        elif failing > self._patience:
            problem = f"The server has answered nothing for {failing:,.0f} s"
        else:
            return
        raise ServerError(
            f"{problem}, and is waited for no longer than {self._patience:,.0f} s: {fault.what}. "
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
