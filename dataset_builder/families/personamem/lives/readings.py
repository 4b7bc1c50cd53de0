"""Readings: what readers understood from each artefact who saw it without the key.

A reader sees the text of one artefact and the names of the eight choices, and picks one. The record
lies beside the file of the need, with a digest of the text, so that a text that was changed
afterwards counts as unread. Who read is said in the record: these readers were language models.
"""

import hashlib
import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from personamem.dataset_builder.core.content_yaml import Strict, read_content
from personamem.dataset_builder.families.personamem.lives.need import Artefact, Need

NUM_READERS = 3

_MONTH = re.compile(r"\{(?:last|next)_month\}")

Stance = Literal["now", "other", "over", "other-over", "declined", "only"]

STANCES: dict[str, Stance] = {
    "artefacts": "now",
    "others": "other",
    "others_ended": "other-over",
    "endings": "over",
    "refusals": "declined",
    "condition": "only",
}
"""The stance that each group of artefacts shows."""


class Reading(Strict):
    """One reader on one artefact; ``realism`` is from 1 to 10."""

    choice: str
    stance: Stance
    realism: Annotated[int, Field(ge=1, le=10)]


class ReadArtefact(Strict):
    """All readings of an artefact, and the digest of the text that was read."""

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    readings: Annotated[tuple[Reading, ...], Field(min_length=NUM_READERS)]


class RejectedArtefact(ReadArtefact):
    """An artefact that readers did not understand; its text was rewritten or removed."""

    place: str


class Readings(Strict):
    """The record of a need: who read, every artefact by its place, and what was rejected."""

    readers: str
    artefacts: dict[str, ReadArtefact]
    rejected: tuple[RejectedArtefact, ...] = ()


def locate_readings(path: Path) -> Path:
    """Return the file of the readings for the file of a need."""
    return path.with_suffix(".readings.json")


def load_readings(path: Path) -> Readings:
    """Read the readings for the file of a need. Raises InvalidInputError naming file and entry."""
    return read_content(locate_readings(path), "readings", Readings)


def hash_artefact(artefact: Artefact) -> str:
    """Return the sha256, in hex, of what readers see: what the user types and pastes.

    Whether a month lies before or after makes no difference to what is understood.
    """
    shown = _MONTH.sub("{month}", f"{artefact.ask}\0{artefact.text or ''}")
    return hashlib.sha256(shown.encode()).hexdigest()


def find_unproven(need: Need, readings: Readings) -> list[str]:
    """Return the artefacts that are not proven, one line each: unread, changed or misread."""
    problems = []
    for choice in need.choices:
        for place, artefact in choice.list_implied():
            found = readings.artefacts.get(place)
            if found is None:
                problems.append(f"{place}: nobody has read it")
                continue
            if found.sha256 != hash_artefact(artefact):
                problems.append(f"{place}: its text was changed after it was read; read it again")
            picked = {reading.choice for reading in found.readings} - {choice.key}
            if picked:
                problems.append(f"{place}: read as {', '.join(sorted(picked))}")
            stances = {reading.stance for reading in found.readings}
            expected = STANCES[place.split(".")[1]]
            if stances != {expected}:
                problems.append(f"{place}: read as {', '.join(sorted(stances))}, not {expected}")
    return problems


def is_understood(place: str, read: ReadArtefact) -> bool:
    """Return whether all readers saw in an artefact what its place says."""
    return count_agreeing(place, read) == len(read.readings)


def count_agreeing(place: str, read: ReadArtefact) -> int:
    """Return how many readers saw in an artefact what its place, "choice.group.number", says."""
    key, group, _ = place.split(".")
    return sum(
        reading.choice == key and reading.stance == STANCES[group] for reading in read.readings
    )
