"""The bank: all needs with their content, and the proof that readers understood it."""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any, Literal

from personamem.dataset_builder.families.personamem.lives.need import Need, list_needs, load_need
from personamem.dataset_builder.families.personamem.lives.readings import (
    count_agreeing,
    find_unproven,
    load_readings,
    locate_readings,
)
from personamem.loaders.formats.errors import InvalidInputError

Part = Literal["", "a", "b"]
"""A half of the bank, or all of it: what is trained on one half never showed the other's texts."""

NeedId = tuple[str, str]
"""Topic and key of a need."""


@cache
def list_need_ids(part: Part = "") -> tuple[NeedId, ...]:
    """Return the topic and key of every need, or of those of one part, in order.

    The parts share no need, and each has about half of the needs of every topic.
    """
    everything = [(path.parent.name, path.stem) for path in list_needs()]
    if not part:
        return tuple(everything)
    by_topic = sorted(everything, key=lambda need_id: (need_id[0], _hash_id(need_id)))
    return tuple(sorted(by_topic[part == "b" :: 2]))


@cache
def get_need(need_id: NeedId) -> Need:
    """Return the content of a need; each file is read once a process."""
    return load_need(locate_need(need_id))


@cache
def require_proof(need_ids: Sequence[NeedId] | None = None) -> None:
    """Raise InvalidInputError unless readers have understood every artefact as it stands."""
    for need_id in need_ids or list_need_ids():
        path = locate_need(need_id)
        problems = find_unproven(get_need(need_id), load_readings(path))
        if problems:
            more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
            raise InvalidInputError(
                f"{path}: {problems[0]}{more}. Have it read with `personamem content check --out "
                f"BATCH`, whose answers go into {locate_readings(path).name}, or restore the text."
            )


@cache
def rate_realism(need_id: NeedId) -> dict[str, float]:
    """Return how real readers found each artefact of a need, 1 to 10, by its place."""
    found = load_readings(locate_need(need_id)).artefacts
    return {
        place: mean(reading.realism for reading in read.readings) for place, read in found.items()
    }


@cache
def describe_proof() -> dict[str, Any]:
    """Return what the manifest says of the readings of the whole bank.

    ``agreement`` is the share of readings, those of rejected texts included, in which a reader saw
    what the text was written to show.
    """
    records = [load_readings(locate_need(need_id)) for need_id in list_need_ids()]
    kept = [item for record in records for item in record.artefacts.items()]
    rejected = [(read.place, read) for record in records for read in record.rejected]
    readings = sum(len(read.readings) for _, read in (*kept, *rejected))
    agreeing = sum(count_agreeing(place, read) for place, read in (*kept, *rejected))
    return {
        "needs": len(records),
        "artefacts": len(kept),
        "rejected": len(rejected),
        "readings": readings,
        "agreement": round(agreeing / max(1, readings), 4),
        "readers": sorted({record.readers for record in records}),
    }


def _hash_id(need_id: NeedId) -> str:
    return hashlib.sha256("/".join(need_id).encode()).hexdigest()


def locate_need(need_id: NeedId) -> Path:
    """Return the file of a need."""
    topic, key = need_id
    return Path(__file__).parent / "content" / topic / f"{key}.yaml"
