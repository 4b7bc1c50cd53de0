"""Time zones by fixed UTC offset, and sums of durations."""

from personamem.dataset_builder.fillers.draw import Draw, Slots, Turn, series
from personamem.dataset_builder.fillers.notation import join, plural, ratio

# Offsets lie up to 25 hours apart, so a late hour can fall two days on.
_DAYS = {
    -2: "the second day before",
    -1: "the previous day",
    0: "the same day",
    1: "the next day",
    2: "the second day after",
}


def time_zone(draw: Draw) -> list[Turn]:
    """A local time turned into that of another place, both with their UTC offset."""
    return series(draw, _zones)


def duration(draw: Draw) -> list[Turn]:
    """Sums of durations, seconds written as hours, time between two clock readings."""
    forms = draw.shuffled((("sum", _sum), ("seconds", _seconds), ("between", _between)))
    return [
        Turn(name, f"{name}_reply", make(draw)) for name, make in forms[: 1 + draw.follow_ups()]
    ]


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _offset(minutes: int) -> str:
    hours, rest = divmod(abs(minutes), 60)
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{hours}:{rest:02d}" if rest else f"UTC{sign}{hours}"


def _shift(minutes: int) -> str:
    hours, rest = divmod(abs(minutes), 60)
    gap = f"{hours} h {rest} min" if rest else f"{hours} h"
    return f"{'add' if minutes > 0 else 'subtract'} {gap}" if minutes else "change nothing"


def _spell(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    parts = [(hours, "h"), (rest // 60, "min"), (rest % 60, "s")]
    return " ".join(f"{value} {unit}" for value, unit in parts if value) or "0 s"


def _zones(draw: Draw) -> Slots:
    (here, here_text), (there, there_text) = draw.rows("city_offsets", 2)
    while here_text == there_text:
        there, there_text = draw.row("city_offsets")
    here_offset, there_offset = int(here_text), int(there_text)
    local = 5 * draw.integer(0, 287) + draw.integer(0, 4)
    utc = local - here_offset
    target = utc + there_offset
    days = target // 1440
    difference = there_offset - here_offset
    ahead = "ahead of" if difference > 0 else "behind"
    gap = abs(difference)
    hours, rest = divmod(gap, 60)
    distance = f"{hours} h {rest} min" if rest else f"{hours} h"
    lines = (
        "| place | offset | clock |",
        "| --- | --- | --- |",
        f"| {here} | {_offset(here_offset)} | {_clock(local)} |",
        f"| UTC | 0 | {_clock(utc % 1440)} |",
        f"| {there} | {_offset(there_offset)} | {_clock(target % 1440)} |",
    )
    return {
        "here": here,
        "there": there,
        "here_offset": _offset(here_offset),
        "there_offset": _offset(there_offset),
        "local": _clock(local),
        "utc": _clock(utc % 1440),
        "utc_day": ("the day before", "the same day", "the day after")[utc // 1440 + 1],
        "target": _clock(target % 1440),
        "day": _DAYS[days],
        "relation": f"{distance} {ahead} {here}",
        "to_utc": _shift(-here_offset),
        "from_utc": _shift(there_offset),
        "distance": distance,
        "table": "\n".join(lines),
    }


def _sum(draw: Draw) -> Slots:
    parts = [draw.integer(35, 14_000) for _ in range(draw.integer(3, 5))]
    total = sum(parts)
    seconds = sum(part % 60 for part in parts)
    minutes = sum(part // 60 % 60 for part in parts)
    hours = sum(part // 3600 for part in parts)
    return {
        "parts": join([_spell(part) for part in parts]),
        "number": str(len(parts)),
        "hours": str(hours),
        "minutes": str(minutes),
        "seconds": str(seconds),
        "answer": _spell(total),
        "total": f"{total:,}",
        "mean": _spell(round(total / len(parts))),
        "decimal": ratio(total, 3600),
    }


def _seconds(draw: Draw) -> Slots:
    total = draw.integer(3_700, 900_000)
    hours, rest = divmod(total, 3600)
    minutes, seconds = divmod(rest, 60)
    days = hours // 24
    return {
        "total": f"{total:,}",
        "hours": str(hours),
        "rest": f"{rest:,}",
        "minutes": str(minutes),
        "seconds": str(seconds),
        "taken": f"{hours * 3600:,}",
        "answer": f"{hours}:{minutes:02d}:{seconds:02d}",
        "days": f"{plural(days, 'day')} and {hours % 24} h" if days else "less than one day",
    }


def _between(draw: Draw) -> Slots:
    start, length = draw.integer(0, 1439), draw.integer(14, 1380)
    end = start + length
    hour = (start // 60 + 1) * 60
    first = hour - start
    route = (
        f"up to {_clock(hour % 1440)} it takes {first} min, and {_spell(60 * (length - first))} "
        f"more to {_clock(end % 1440)}"
        if length > first
        else f"no full hour lies in between, and {end % 60 or 60} - {start % 60} = {length}"
    )
    return {
        "start": _clock(start),
        "end": _clock(end % 1440),
        "answer": _spell(length * 60),
        "length": f"{length:,}",
        "decimal": ratio(length, 60),
        "route": route,
        "night": "passes midnight" if end >= 1440 else "stays within one day",
        "formula": f"{end // 60 % 24 * 60 + end % 60} - {start}"
        + (" + 1440" if end >= 1440 else ""),
    }
