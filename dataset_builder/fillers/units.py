"""Conversions between units, by exact integer ratios of the units' definitions."""

from collections.abc import Callable
from functools import cache

from personamem.dataset_builder.fillers.content_files import Row, load_rows
from personamem.dataset_builder.fillers.draw import Draw, Slots, Turn
from personamem.dataset_builder.fillers.notation import (
    about,
    is_exact,
    places_for,
    ratio,
    significant,
)

_LARGEST_STEP = 20_000
_FASTEST = {"m/s": 90, "km/h": 320, "mph": 220, "kn": 70, "ft/s": 310}
"""The highest speeds, as of trains, ships and storms."""

_ROUNDED = (", rounded", ", to five digits or so", ", after rounding")
_ALL_EXACT = ("No value had to be rounded.", "All the values are exact.")
_ALL_ROUNDED = (
    "Long decimals are rounded.",
    "Decimals beyond the fifth digit are rounded off.",
    "Values with many decimals are rounded.",
)
_UP_TO = (", up to rounding", ", apart from rounding", ", within rounding")
_ROUGH = (
    " For a rough estimate, {coarse} {target_symbol} will do.",
    " In your head, {coarse} {target_symbol} is near enough.",
    " As a round figure, {coarse} {target_symbol} comes close.",
)


def conversion(quantity: str) -> Callable[[Draw], list[Turn]]:
    """Return the problem "convert a value of this quantity"; ``quantity`` is a units table."""

    def problem(draw: Draw) -> list[Turn]:
        source, target = draw.pick(_pairs(quantity))
        turns = [_ask(draw, "ask", source, target)]
        for _ in range(draw.follow_ups()):
            style = draw.integer(0, 2)
            if style == 0:
                turns.append(Turn("again", "again_reply", _convert(draw, source, target)))
            elif style == 1:
                source, target = target, source
                turns.append(_ask(draw, "back", source, target))
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


def _ask(draw: Draw, name: str, source: Row, target: Row) -> Turn:
    """Return a problem; warnings about rounding go with rounded numbers only."""
    slots = _convert(draw, source, target)
    rounded = slots["equals"] == "≈" and slots["coarse"] != slots["answer"]
    return Turn(name, "reply", slots, "reply_more" if rounded else "reply_more†")


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


def _value(draw: Draw, source: Row) -> tuple[int, int]:
    limit = _FASTEST.get(source[2])
    if limit:
        return (
            (draw.integer(11, 10 * limit), 10) if draw.chance(0.5) else (draw.integer(2, limit), 1)
        )
    if draw.chance(0.35):
        return draw.integer(11, 9_999), 10
    return draw.integer(2, 999) if draw.chance(0.6) else draw.integer(1_000, 48_000), 1


def _convert(draw: Draw, source: Row, target: Row) -> Slots:
    numerator, denominator = _ratio(source, target)
    value, scale = _value(draw, source)
    top, bottom = value * numerator, scale * denominator
    places = places_for(top, bottom, 5)
    slots = _names(source, target)
    slots["value"] = ratio(value, scale, 1)
    slots["answer"] = ratio(top, bottom, places)
    exact = is_exact(top, bottom, places)
    slots["about"] = about(draw, exact)
    slots["coarse"] = _coarse(top, bottom)
    slots["rounded"] = "" if exact else draw.pick(_ROUNDED)
    slots["up_to"] = "" if exact else draw.pick(_UP_TO)
    slots["rough"] = "" if slots["coarse"] == slots["answer"] else draw.pick(_ROUGH).format(**slots)
    if slots["answer"] == "1":
        slots["target"] = target[1]
    return slots


def _coarse(numerator: int, denominator: int) -> str:
    whole = numerator // denominator
    if whole < 100:
        return significant(numerator, denominator, 2)
    unit = 10 ** (len(str(whole)) - 2)
    return f"{(whole + unit // 2) // unit * unit:,}"


def _convert_list(draw: Draw, source: Row, target: Row) -> Slots:
    numerator, denominator = _ratio(source, target)
    values = [_value(draw, source) for _ in range(draw.integer(3, 5))]
    lines = [f"| {source[2]} | {target[2]} |", "| ---: | ---: |"]
    lines.extend(
        f"| {ratio(value, scale, 1)} | {significant(value * numerator, scale * denominator)} |"
        for value, scale in values
    )
    slots = _names(source, target)
    exact = all(
        is_exact(top := value * numerator, low := scale * denominator, places_for(top, low, 5))
        for value, scale in values
    )
    slots["accuracy"] = draw.pick(_ALL_EXACT if exact else _ALL_ROUNDED)
    slots["values"] = "; ".join(ratio(value, scale, 1) for value, scale in values)
    slots["table"] = "\n".join(lines)
    return slots
