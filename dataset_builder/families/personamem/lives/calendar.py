"""Calendars: on which days the sessions of a cohort may lie."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from personamem.dataset_builder.core.people import FIRST_DAY
from personamem.dataset_builder.core.rng import make_rng

SPANS = {"4k": 90, "8k": 120, "32k": 365, "64k": 540, "128k": 800, "1M": 1_400}
"""Days from the first session to the last, so that a day rarely has several."""

_APART = 30
"""The least time between two sessions on one need, where it can be kept: such a part of all."""

_AFTERMATH = 12
"""Days at the end that no mention is drawn on: requests that follow one lie here at the latest."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """The days from ``start`` on, ``span`` of them."""

    start: date
    span: int

    @property
    def days_apart(self) -> int:
        """How many days lie between two sessions on one need, if possible."""
        return self.span // _APART

    def draw_day(
        self, boundaries: Sequence[float], stage: int, random: Random, until: float = 1.0
    ) -> date:
        """Return a day within a stage; stages share no day.

        Stages lie in the share ``until`` of the calendar, of which ``boundaries`` are shares.
        """
        edges = self._list_edges(boundaries, until)
        first, last = edges[stage], edges[stage + 1] - 1
        return self.start + timedelta(days=first + random.randrange(max(1, last - first)))

    def list_stage_starts(self, boundaries: Sequence[float], until: float = 1.0) -> list[date]:
        """Return the first day of each stage."""
        return [self.start + timedelta(days=days) for days in self._list_edges(boundaries, until)][
            :-1
        ]

    def _list_edges(self, boundaries: Sequence[float], until: float) -> list[int]:
        span = int(until * (self.span - _AFTERMATH))
        return [0, *(round(share * span) for share in boundaries), span]

    def draw_any_day(self, random: Random) -> date:
        """Return any day."""
        return self.start + timedelta(days=random.randrange(self.span))


def draw_calendar(seed: int, size: str, cohort: int) -> Calendar:
    """Return the calendar of a cohort's contexts of a size."""
    random = make_rng(seed, "calendar", size, cohort)
    return Calendar(FIRST_DAY + timedelta(days=random.randrange(500)), SPANS[size])
