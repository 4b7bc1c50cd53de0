"""Temperatures, fuel use, paper sizes and map scales."""

from personamem.dataset_builder.core.grammar import with_article as a
from personamem.dataset_builder.fillers.draw import Draw, Slots, Turn, focus, questions, series
from personamem.dataset_builder.fillers.notation import fixed, ratio, significant

_PAPER = {
    "A": ((841, 1189), (594, 841), (420, 594), (297, 420), (210, 297), (148, 210), (105, 148)),
    "B": ((1000, 1414), (707, 1000), (500, 707), (353, 500), (250, 353), (176, 250), (125, 176)),
    "C": ((917, 1297), (648, 917), (458, 648), (324, 458), (229, 324), (162, 229), (114, 162)),
}
_VEHICLES = (
    ("small car", (39, 65), (32, 45)),
    ("estate car", (45, 82), (45, 65)),
    ("minibus", (75, 140), (60, 90)),
    ("delivery van", (70, 130), (60, 90)),
    ("camper van", (85, 150), (60, 100)),
    ("lorry", (190, 390), (200, 600)),
    ("bus", (200, 400), (180, 400)),
)
"""Vehicles with their use in tenths of a litre per 100 km and the litres of their tank."""

_SITES = (
    ("plot", "lot", "yard"),
    ("field", "meadow", "quarry"),
    ("lake", "forest", "nature reserve"),
)
"""What is drawn at scales up to 1:1,000, up to 1:5,000 and beyond."""


def temperature(draw: Draw) -> list[Turn]:
    """Celsius, Fahrenheit and kelvin."""
    return series(draw, _temperature)


def fuel_use(draw: Draw) -> list[Turn]:
    """Litres per 100 km, miles per US gallon, and the fuel of a distance."""
    return questions(draw, _fuel)


def paper_size(draw: Draw) -> list[Turn]:
    """Sheets of ISO 216 and 269: sides, area, weight, pixels."""
    return questions(draw, _paper)


def map_scale(draw: Draw) -> list[Turn]:
    """Distances and areas on maps and plans."""
    return questions(draw, _map)


def _temperature(draw: Draw) -> Slots:
    tenths = draw.integer(-800, 4_000)
    if draw.chance(0.5):
        celsius = 5 * (tenths - 320)
        return {
            "value": f"{ratio(tenths, 10, 1)} °F",
            "unit": "Celsius",
            "other_unit": "kelvin",
            "answer": f"{ratio(celsius, 90)} °C",
            "formula": f"({ratio(tenths, 10, 1)} - 32) × 5/9",
            "middle": f"{ratio(tenths, 10, 1)} - 32 = {ratio(tenths - 320, 10, 1)}",
            "other": f"{_kelvin(celsius)} K",
            "swapped": ratio(5 * tenths - 2_880, 90),
            "gap": "one degree Fahrenheit is 5/9 of a degree Celsius",
            "cold": "water freezes at 32 °F, which is 0 °C",
            "order": "subtract 32 first and then multiply by 5/9",
        }
    return {
        "value": f"{ratio(tenths, 10, 1)} °C",
        "unit": "Fahrenheit",
        "other_unit": "kelvin",
        "answer": f"{ratio(9 * tenths + 1_600, 50)} °F",
        "formula": f"{ratio(tenths, 10, 1)} × 9/5 + 32",
        "middle": f"{ratio(tenths, 10, 1)} × 1.8 = {ratio(9 * tenths, 50)}",
        "other": f"{ratio(tenths * 10 + 27_315, 100)} K",
        "swapped": ratio(9 * tenths + 2_880, 50),
        "gap": "one degree Celsius is 1.8 degrees Fahrenheit",
        "cold": "water freezes at 0 °C, which is 32 °F",
        "order": "multiply by 1.8 first and then add 32",
    }


def _kelvin(celsius_by_90: int) -> str:
    return ratio(celsius_by_90 * 10 + 27_315 * 9, 900)


def _fuel(draw: Draw) -> Slots:
    vehicle, uses, tanks = draw.pick(_VEHICLES)
    tenths = draw.integer(*uses)
    distance = draw.integer(40, 2_400)
    us, imperial = 235_214_583, 282_480_936
    slots = {
        "use": ratio(tenths, 10, 1),
        "distance": f"{distance:,}",
        "fuel": ratio(tenths * distance, 1000),
        "us": ratio(us, tenths * 100_000),
        "imperial": ratio(imperial, tenths * 100_000),
        "reach": ratio(1000, tenths),
        "reach_ten": ratio(10_000, tenths, 0),
        "tank": str(tank := draw.integer(*tanks)),
        "range": ratio(tank * 1000, tenths, 0),
    }
    use, way = slots["use"], slots["distance"]
    return slots | focus(
        draw,
        (
            "fuel",
            f"the amount of fuel that {a(vehicle)} using {use} L/100 km needs for {way} km",
            f"{slots['fuel']} L",
            f"the {vehicle} needs {use} × {way} / 100 = {slots['fuel']} L",
            f"that is {use} × {way} / 100",
        ),
        (
            "mpg",
            f"the US mpg value of {use} L/100 km",
            f"{slots['us']} mpg",
            f"{use} L/100 km is 235.215 / {use} = {slots['us']} miles per US gallon",
            f"that is 235.215 / {use}",
        ),
        (
            "mpg",
            f"the imperial mpg value of {use} L/100 km",
            f"{slots['imperial']} mpg",
            f"{use} L/100 km is 282.481 / {use} = {slots['imperial']} miles per imperial gallon",
            f"that is 282.481 / {use}",
        ),
        (
            "range",
            f"the range of {a(vehicle)} with {tank} L in the tank, at {use} L/100 km",
            f"about {slots['range']} km",
            f"{tank} L are enough for about {tank} / {use} × 100 = {slots['range']} km",
            f"that is {tank} / {use} × 100",
        ),
    )


def _paper(draw: Draw) -> Slots:
    letter = draw.pick("AAABC")
    number = draw.integer(0, 6)
    width, height = _PAPER[letter][number]
    grams, sheets = draw.pick((60, 70, 75, 80, 90, 100, 120, 160, 200)), draw.integer(12, 900)
    dots = draw.pick((72, 96, 150, 200, 300, 600))
    slots = {
        "size": f"{letter}{number}",
        "width": str(width),
        "height": str(height),
        "area": f"{width * height:,}",
        "square": ratio(width * height, 1_000_000, 4),
        "grams": str(grams),
        "sheets": str(sheets),
        "sheet": ratio(width * height * grams, 1_000_000),
        "stack": ratio(width * height * grams * sheets, 1_000_000, 0),
        "dots": str(dots),
        "pixels": f"{fixed(width * dots * 10, 254, 0)} × {fixed(height * dots * 10, 254, 0)}",
        "quotient": ratio(height, width, 3),
        "inches": f"{ratio(width * 10, 254)} × {ratio(height * 10, 254)}",
        "half": f"{letter}{number + 1}",
    }
    size, sides = slots["size"], f"{width} × {height} mm"
    return slots | focus(
        draw,
        (
            "sides",
            f"the size of {size} paper in millimetres and inches",
            f"{sides} or {slots['inches']} inches",
            f"a sheet of {size} measures {sides}, which is {slots['inches']} inches",
            "the short side comes first",
        ),
        (
            "weight",
            f"the weight of {sheets} sheets of {size} at {grams} g/m²",
            f"about {slots['stack']} g",
            f"{sheets} sheets × {slots['square']} m² × {grams} g/m² is about {slots['stack']} g",
            f"that is {sheets} sheets × {slots['square']} m² × {grams} g/m²",
        ),
        (
            "pixels",
            f"the size of {size} in pixels at {dots} dpi",
            f"{slots['pixels']} pixels",
            f"{size} measures {sides}, and at {dots} dots per inch that makes "
            f"{slots['pixels']} pixels",
            draw.pick(
                (
                    f"each side is divided by 25.4 mm and multiplied by {dots}",
                    f"{width} mm and {height} mm are counted in steps of 25.4/{dots} mm",
                    f"an inch, 25.4 mm, holds {dots} of them",
                )
            ),
        ),
        (
            "area",
            f"the area of one sheet of {size} in square metres",
            f"{slots['square']} m²",
            f"{width} × {height} = {slots['area']} mm², which is {slots['square']} m²",
            f"{width} mm × {height} mm is {slots['area']} mm²",
        ),
    )


def _map(draw: Draw) -> Slots:
    scale = draw.pick((500, 1_000, 2_500, 5_000, 10_000, 20_000, 25_000, 50_000, 100_000, 250_000))
    tenths = draw.integer(8, 690)
    metres = tenths * scale
    side, other = draw.integer(3, 90), draw.integer(3, 90)
    unit, name = (1_000_000, "km") if scale > 5_000 else (1_000, "m")
    shift = (2 * side + 1) * (2 * other + 1) - 4 * side * other
    sheet = "plan" if scale <= 2_500 else "map"
    slots = {
        "scale": f"1:{scale:,}",
        "number": f"{scale:,}",
        "map": ratio(tenths, 10, 1),
        "real": f"{ratio(metres, 1_000_000, 4)} km",
        "metres": ratio(metres, 1000),
        "centimetres": ratio(metres, 10, 1),
        "one": ratio(scale, 100),
        "side": str(side),
        "other": str(other),
        "plot": f"{ratio(side * scale, unit, 3)} {name} × {ratio(other * scale, unit, 3)} {name}",
        "half": ratio(scale, 2_000),
        "shift": significant(shift * 100, 4 * side * other, 2),
        "sheet": sheet,
        "hectares": ratio(side * other * scale * scale, 10**10, 3),
        "square": f"{scale * scale:,}",
    }
    drawn, scaled = slots["map"], slots["scale"]
    place = draw.pick(_SITES[(scale > 1_000) + (scale > 5_000)])
    return slots | focus(
        draw,
        (
            "length",
            f"the real length of {drawn} cm on a {scaled} {sheet}, in kilometres",
            slots["real"],
            f"{drawn} cm × {slots['number']} = {slots['centimetres']} cm, which is {slots['real']}",
            draw.pick(
                (
                    f"{drawn} cm × {slots['number']} is {slots['centimetres']} cm",
                    f"in centimetres, it would be {slots['centimetres']}",
                    f"the first step, times {slots['number']}, leads to {slots['centimetres']} cm",
                )
            ),
        ),
        (
            "plot",
            f"the {draw.pick(('true', 'real', 'actual'))} size of a {place} that measures "
            f"{side} mm × {other} mm on a {scaled} {sheet}",
            slots["plot"],
            f"the sides of {side} mm and {other} mm, multiplied by {slots['number']}, become "
            f"{slots['plot']}",
            draw.pick(
                (
                    f"the sides of {side} mm and {other} mm are multiplied by {slots['number']}",
                    f"in reality both sides are {slots['number']} times as long",
                    f"that is {slots['number']} × {side} mm by {slots['number']} × {other} mm",
                )
            ),
        ),
        (
            "length",
            f"the distance on the ground for {drawn} cm on a {scaled} {sheet}, in metres",
            f"{slots['metres']} m",
            f"one centimetre stands for {slots['one']} m, so {drawn} cm are {slots['metres']} m",
            draw.pick(
                (
                    f"one centimetre stands for {slots['one']} m",
                    f"each centimetre on paper is {slots['one']} m in reality",
                    f"that is {drawn} times {slots['one']} m",
                )
            ),
        ),
    )
