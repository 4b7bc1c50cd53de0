"""Conversions between units, by exact integer ratios of the units' definitions."""

from collections.abc import Callable
from functools import cache

from personamem.dataset_builder.unrelated.content_files import Row, load_rows
from personamem.dataset_builder.unrelated.draw import Draw, Slots, Turn
from personamem.dataset_builder.unrelated.notation import (
    about,
    is_exact,
    places_for,
    ratio,
    significant,
)

_LARGEST_STEP = 20_000


def conversion(quantity: str) -> Callable[[Draw], list[Turn]]:
    """Return the problem "convert a value of this quantity"; ``quantity`` is a units table."""

    def problem(draw: Draw) -> list[Turn]:
        source, target = draw.pick(_pairs(quantity))
        turns = [Turn("ask", "reply", _convert(draw, source, target))]
        for _ in range(draw.follow_ups()):
            style = draw.integer(0, 2)
            if style == 0:
                turns.append(Turn("again", "again_reply", _convert(draw, source, target)))
            elif style == 1:
                turns.append(Turn("back", "reply", _convert(draw, target, source)))
            else:
                turns.append(Turn("list", "list_reply", _convert_list(draw, source, target)))
        return turns

    return problem


@cache
def _pairs(quantity: str) -> tuple[tuple[Row, Row], ...]:
    rows = load_rows(quantity)
    return tuple(
        (source, target)
        for source in rows
        for target in rows
        if source[2] != target[2] and 1 / _LARGEST_STEP < _factor(source, target) < _LARGEST_STEP
    )


def _factor(source: Row, target: Row) -> float:
    numerator, denominator = _ratio(source, target)
    return numerator / denominator


def _ratio(source: Row, target: Row) -> tuple[int, int]:
    return int(source[3]) * int(target[4]), int(source[4]) * int(target[3])


def _names(source: Row, target: Row) -> Slots:
    numerator, denominator = _ratio(source, target)
    places = max(2, places_for(numerator, denominator, 8))
    return {
        "source": source[0],
        "one_source": source[1],
        "source_symbol": source[2],
        "target": target[0],
        "target_symbol": target[2],
        "factor": ratio(numerator, denominator, places),
        "equals": "=" if is_exact(numerator, denominator, places) else "≈",
    }


def _value(draw: Draw) -> tuple[int, int]:
    if draw.chance(0.35):
        return draw.integer(11, 9_999), 10
    return draw.integer(2, 999) if draw.chance(0.6) else draw.integer(1_000, 48_000), 1


def _convert(draw: Draw, source: Row, target: Row) -> Slots:
    numerator, denominator = _ratio(source, target)
    value, scale = _value(draw)
    top, bottom = value * numerator, scale * denominator
    places = places_for(top, bottom, 5)
    slots = _names(source, target)
    slots["value"] = ratio(value, scale, 1)
    slots["answer"] = ratio(top, bottom, places)
    slots["about"] = about(draw, is_exact(top, bottom, places))
    slots["coarse"] = _coarse(top, bottom)
    return slots


def _coarse(numerator: int, denominator: int) -> str:
    whole = numerator // denominator
    if whole < 100:
        return significant(numerator, denominator, 2)
    unit = 10 ** (len(str(whole)) - 2)
    return f"{(whole + unit // 2) // unit * unit:,}"


def _convert_list(draw: Draw, source: Row, target: Row) -> Slots:
    numerator, denominator = _ratio(source, target)
    values = [_value(draw) for _ in range(draw.integer(3, 5))]
    lines = [f"| {source[2]} | {target[2]} |", "| ---: | ---: |"]
    lines.extend(
        f"| {ratio(value, scale, 1)} | {significant(value * numerator, scale * denominator)} |"
        for value, scale in values
    )
    slots = _names(source, target)
    slots["values"] = "; ".join(ratio(value, scale, 1) for value, scale in values)
    slots["table"] = "\n".join(lines)
    return slots
