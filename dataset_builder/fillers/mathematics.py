"""Geometry, compound growth, and chances of dice and cards."""

from functools import cache
from math import comb, hypot, pi, sqrt

from personamem.dataset_builder.core.grammar import with_article as a
from personamem.dataset_builder.fillers.draw import Draw, Slots, Turn, series
from personamem.dataset_builder.fillers.notation import decimal, money, ratio
from personamem.dataset_builder.fillers.records import markdown

_RATIO = (
    "divide the favourable cases by the possible cases",
    "count the favourable rolls and divide by the number of all rolls",
    "compare the rolls that fit with all rolls",
)
_STOCKS = (
    ("litres", "A tank"),
    ("kg", "A stockpile"),
    ("litres", "A cistern"),
    ("kWh", "A battery bank"),
    ("m³", "A reservoir"),
    ("tonnes", "A silo"),
)
"""What grows, in units that can be divided, and what holds it."""

_HANDS = (
    "count hands, since no card is put back",
    "compare the hands that fit with all possible hands",
    "count the combinations, as the order of the cards does not matter",
)


def geometry(draw: Draw) -> list[Turn]:
    """Areas, volumes and lengths of plain shapes."""
    return series(draw, lambda draw: draw.pick(_SHAPES)(draw))


def compound_interest(draw: Draw) -> list[Turn]:
    """A quantity that grows by a fixed percentage each period."""
    return series(draw, _growth)


def probability(draw: Draw) -> list[Turn]:
    """Chances of dice sums, of repeated throws and of drawn cards."""
    turns = series(draw, lambda draw: draw.pick((_dice_sum, _at_least_once, _cards))(draw))
    if draw.chance(0.2):
        turns[0] = Turn("half", "half_reply", turns[0].slots, "reply_more")
    return turns


def _shape(name: str, given: str, law: str, insert: str, value: float, unit: str) -> Slots:
    return {
        "shape": name,
        "given": given,
        "law": law,
        "insert": insert,
        "answer": f"{decimal(value)} {unit}",
        "rounding": ""
        if abs(100 * value - round(100 * value)) < 1e-6
        else "; the rounding to two decimals comes last",
        "double": f"{decimal(2 * value)} {unit}",
        "triple": f"{decimal(3 * value)} {unit}",
    }


def _rectangle(draw: Draw) -> Slots:
    width, height = draw.integer(3, 190), draw.integer(3, 190)
    slots = _shape(
        "the diagonal of a rectangle",
        f"sides of {width} m and {height} m",
        "d = √(a² + b²)",
        f"√({width * width:,} + {height * height:,})",
        hypot(width, height),
        "m",
    )
    perimeter = 2 * (width + height)
    return slots | {"extra": f"its area is {width * height:,} m² and its perimeter {perimeter} m"}


def _circle(draw: Draw) -> Slots:
    radius = draw.integer(12, 990) / 10
    slots = _shape(
        "the area of a circle",
        f"a radius of {radius} cm",
        "A = π · r²",
        f"π × {decimal(radius * radius)}",
        pi * radius * radius,
        "cm²",
    )
    return slots | {"extra": f"its circumference is 2πr = {decimal(2 * pi * radius)} cm"}


def _cylinder(draw: Draw) -> Slots:
    radius, height = draw.integer(2, 90), draw.integer(3, 200)
    volume = pi * radius * radius * height
    slots = _shape(
        "the volume of a cylinder",
        f"a radius of {radius} cm and a height of {height} cm",
        "V = π · r² · h",
        f"π × {radius * radius:,} × {height}",
        volume,
        "cm³",
    )
    return slots | {"extra": f"that is {decimal(volume / 1000)} litres"}


def _cone(draw: Draw) -> Slots:
    radius, height = draw.integer(2, 60), draw.integer(3, 120)
    slots = _shape(
        "the volume of a cone",
        f"a radius of {radius} cm and a height of {height} cm",
        "V = π · r² · h / 3",
        f"π × {radius * radius:,} × {height} / 3",
        pi * radius * radius * height / 3,
        "cm³",
    )
    return slots | {"extra": f"its slant height is {decimal(hypot(radius, height))} cm"}


def _sphere(draw: Draw) -> Slots:
    radius = draw.integer(2, 95)
    slots = _shape(
        "the volume of a sphere",
        f"a radius of {radius} cm",
        "V = 4/3 · π · r³",
        f"4/3 × π × {radius**3:,}",
        4 / 3 * pi * radius**3,
        "cm³",
    )
    return slots | {"extra": f"its surface area is 4πr² = {decimal(4 * pi * radius * radius)} cm²"}


def _trapezium(draw: Draw) -> Slots:
    long = draw.integer(20, 190)
    short, height = draw.integer(3, long - 2), draw.integer(2, 90)
    slots = _shape(
        "the area of a trapezium",
        f"parallel sides of {long} m and {short} m and a height of {height} m",
        "A = (a + c) / 2 · h",
        f"({long} + {short}) / 2 × {height}",
        (long + short) * height / 2,
        "m²",
    )
    return slots | {"extra": f"its midline measures {decimal((long + short) / 2)} m"}


def _heron(draw: Draw) -> Slots:
    first, second = draw.integer(5, 90), draw.integer(5, 90)
    third = draw.integer(abs(first - second) + 1, first + second - 1)
    half = (first + second + third) / 2
    area = sqrt(half * (half - first) * (half - second) * (half - third))
    factors = " × ".join(decimal(half - side) for side in (0, first, second, third))
    slots = _shape(
        "the area of a triangle",
        f"sides of {first} cm, {second} cm and {third} cm",
        "A = √(s(s - a)(s - b)(s - c)), where s is half the perimeter",
        f"√({factors})",
        area,
        "cm²",
    )
    return slots | {"extra": f"its perimeter is {first + second + third} cm"}


_SHAPES = (_rectangle, _circle, _cylinder, _cone, _sphere, _trapezium, _heron)


def _growth(draw: Draw) -> Slots:
    tenths, periods = draw.integer(4, 120), draw.integer(3, 18)
    start = draw.integer(100, 90_000) * 100
    top, bottom = (1000 + tenths) ** periods, 1000**periods
    shown = min(periods, 4)
    rows = [
        (period, money(_scaled(start, (1000 + tenths) ** period, 1000**period)))
        for period in range(1, shown + 1)
    ]
    end = _scaled(start, top, bottom)
    unit, holder = draw.pick(_STOCKS)
    return {
        "holder": holder,
        "table_lead": "period by period, it runs"
        if shown == periods
        else draw.pick(("the beginning looks like this", "the first periods are these")),
        "start": money(start),
        "rate": ratio(tenths, 10, 1),
        "periods": str(periods),
        "factor": ratio(1000 + tenths, 1000, 3),
        "power": ratio(top, bottom, 6),
        "end": money(end),
        "gain": money(end - start),
        "simple": money(start + _scaled(start, tenths * periods, 1000)),
        "table": markdown(("period", "amount"), rows),
        "shown": str(shown),
        "percent": ratio((top - bottom) * 100, bottom),
        "doubling": ratio(720, tenths, 1),
        "unit": unit,
    }


def _scaled(cents: int, numerator: int, denominator: int) -> int:
    return (2 * cents * numerator + denominator) // (2 * denominator)


@cache
def _ways(dice: int, sides: int) -> tuple[int, ...]:
    ways = [1]
    for _ in range(dice):
        longer = [0] * (len(ways) + sides)
        for total, count in enumerate(ways):
            for face in range(1, sides + 1):
                longer[total + face] += count
        ways = longer
    return tuple(ways)


def _chance(event: str, favourable: int, possible: int, why: str, law: str) -> Slots:
    return {
        "event": event,
        "favourable": f"{favourable:,}",
        "possible": f"{possible:,}",
        "percent": ratio(favourable * 100, possible, 3),
        "decimal": ratio(favourable, possible, 5),
        "against": ratio((possible - favourable) * 100, possible, 3),
        "odds": ratio(possible, favourable, 1),
        # "One in 1.3" is no help to anybody.
        "rate": f"about 1 in {ratio(possible, favourable, 1)}"
        if 3 * favourable < possible
        else f"{favourable:,}/{possible:,}",
        "often": f"once in {ratio(possible, favourable, 0)}"
        if 20 * favourable < possible
        else f"{ratio(favourable * 100, possible, 0)} times in a hundred",
        "verdict": "likelier than"
        if 2 * favourable > possible
        else "less likely than"
        if 2 * favourable < possible
        else "exactly as likely as",
        "yes": "Yes" if 2 * favourable > possible else "No",
        "why": why,
        "law": law,
    }


def _dice_sum(draw: Draw) -> Slots:
    dice, sides = draw.integer(2, 3), draw.pick((4, 6, 6, 6, 8, 10, 12, 20))
    total = draw.integer(dice + 1, dice * sides - 1)
    ways = _ways(dice, sides)
    return _chance(
        f"rolling a total of {total} with {'two' if dice == 2 else 'three'} {sides}-sided dice",
        ways[total],
        sides**dice,
        f"there are {sides}^{dice} = {sides**dice:,} equally likely rolls, and {ways[total]:,} of "
        f"them add{'s' * (ways[total] == 1)} up to {total}",
        draw.pick(_RATIO),
    )


def _at_least_once(draw: Draw) -> Slots:
    sides, throws = draw.pick((4, 6, 6, 8, 10, 12, 20)), draw.integer(2, 9)
    face = draw.integer(1, sides)
    missing = (sides - 1) ** throws
    one = f"{'an' if face in (8, 11, 18) else 'a'} {face}"
    return _chance(
        f"rolling at least one {face} in {throws} rolls of {a(str(sides))}-sided die",
        sides**throws - missing,
        sides**throws,
        f"there are {sides}^{throws} = {sides**throws:,} possible series of rolls, and "
        f"{sides - 1}^{throws} = {missing:,} of them never show {one}",
        f"subtract the chance of never rolling {one} from 1",
    )


def _cards(draw: Draw) -> Slots:
    hand = draw.integer(2, 7)
    name, size = draw.pick((("ace", 4), ("heart", 13), ("red card", 26), ("face card", 12)))
    wanted = draw.integer(1, min(hand, 3))
    favourable = comb(size, wanted) * comb(52 - size, hand - wanted)
    count = ("one", "two", "three")[wanted - 1]
    plural = name if wanted == 1 else f"{name}s"
    return _chance(
        f"drawing exactly {count} {plural} in {hand} cards from a full deck of 52",
        favourable,
        comb(52, hand),
        f"there are C({size}, {wanted}) × C({52 - size}, {hand - wanted}) = {favourable:,} hands "
        f"out of C(52, {hand}) = {comb(52, hand):,}",
        draw.pick(_HANDS),
    )
