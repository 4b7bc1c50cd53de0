"""Temperatures, fuel use, paper sizes and map scales."""

# ruff: noqa: RUF001 - the multiplication sign is meant

from personamem.dataset_builder.unrelated.draw import Draw, Slots, Turn, focus, series
from personamem.dataset_builder.unrelated.notation import fixed, ratio

_PAPER = {
    "A": ((841, 1189), (594, 841), (420, 594), (297, 420), (210, 297), (148, 210), (105, 148)),
    "B": ((1000, 1414), (707, 1000), (500, 707), (353, 500), (250, 353), (176, 250), (125, 176)),
    "C": ((917, 1297), (648, 917), (458, 648), (324, 458), (229, 324), (162, 229), (114, 162)),
}


def temperature(draw: Draw) -> list[Turn]:
    """Celsius, Fahrenheit and kelvin."""
    return series(draw, _temperature)


def fuel_use(draw: Draw) -> list[Turn]:
    """Litres per 100 km, miles per US gallon, and the fuel of a distance."""
    return series(draw, _fuel)


def paper_size(draw: Draw) -> list[Turn]:
    """Sheets of ISO 216 and 269: sides, area, weight, pixels."""
    return series(draw, _paper)


def map_scale(draw: Draw) -> list[Turn]:
    """Distances and areas on maps and plans."""
    return series(draw, _map)


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
            "gap": "5/9",
            "cold": "32 °F is the ice point",
        }
    return {
        "value": f"{ratio(tenths, 10, 1)} °C",
        "unit": "Fahrenheit",
        "other_unit": "kelvin",
        "answer": f"{ratio(9 * tenths + 1_600, 50)} °F",
        "formula": f"{ratio(tenths, 10, 1)} × 9/5 + 32",
        "middle": f"{ratio(tenths, 10, 1)} × 1.8 = {ratio(9 * tenths, 50)}",
        "other": f"{ratio(tenths * 10 + 27_315, 100)} K",
        "gap": "1.8",
        "cold": "0 °C is the ice point",
    }


def _kelvin(celsius_by_90: int) -> str:
    return ratio(celsius_by_90 * 10 + 27_315 * 9, 900)


def _fuel(draw: Draw) -> Slots:
    tenths = draw.integer(32, 390)
    distance = draw.integer(40, 2_400)
    us, imperial = 235_214_583, 282_480_936
    slots = {
        "use": ratio(tenths, 10, 1),
        "distance": f"{distance:,}",
        "fuel": ratio(tenths * distance, 1000),
        "us": ratio(us, tenths * 100_000),
        "imperial": ratio(imperial, tenths * 100_000),
        "reach": ratio(1000, tenths),
        "engine": draw.pick(
            ("generator truck", "delivery van", "test engine", "snow plough", "patrol boat", "bus")
        ),
        "tank": str(tank := draw.integer(35, 400)),
        "range": ratio(tank * 1000, tenths, 0),
    }
    return slots | focus(
        draw,
        (
            f"the fuel that {slots['use']} L/100 km takes over {slots['distance']} km",
            f"{slots['fuel']} L",
            f"{slots['use']} × {slots['distance']} / 100 = {slots['fuel']} L",
        ),
        (
            f"the US mpg value of {slots['use']} L/100 km",
            f"{slots['us']} mpg",
            f"235.215 / {slots['use']} gives {slots['us']} miles per US gallon",
        ),
        (
            f"the imperial mpg value of {slots['use']} L/100 km",
            f"{slots['imperial']} mpg",
            f"282.481 / {slots['use']} gives {slots['imperial']} miles per imperial gallon",
        ),
        (
            f"the range of a {slots['engine']} with {slots['tank']} L at {slots['use']} L/100 km",
            f"{slots['range']} km",
            f"{slots['tank']} / {slots['use']} × 100 is about {slots['range']} km",
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
    return slots | focus(
        draw,
        (
            f"the size of {slots['size']} paper in millimetres and inches",
            f"{slots['width']} × {slots['height']} mm",
            f"a sheet of {slots['size']} has {slots['width']} × {slots['height']} "
            f"mm, or {slots['inches']} inches",
        ),
        (
            f"the weight of {slots['sheets']} sheets of {slots['size']} at {slots['grams']} g/m²",
            f"{slots['stack']} g",
            f"{slots['sheets']} sheets × {slots['square']} m² × {slots['grams']} "
            f"g/m² come to about {slots['stack']} g",
        ),
        (
            f"the pixel size of {slots['size']} at {slots['dots']} dpi",
            f"{slots['pixels']} px",
            f"{slots['inches']} inches at {slots['dots']} dots each make {slots['pixels']} pixels",
        ),
        (
            f"the area of one sheet of {slots['size']}",
            f"{slots['square']} m²",
            f"{slots['width']} × {slots['height']} = {slots['area']} mm², or {slots['square']} m²",
        ),
    )


def _map(draw: Draw) -> Slots:
    scale = draw.pick((500, 1_000, 2_500, 5_000, 10_000, 20_000, 25_000, 50_000, 100_000, 250_000))
    tenths = draw.integer(8, 690)
    metres = tenths * scale
    side, other = draw.integer(3, 90), draw.integer(3, 90)
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
        "plot": f"{ratio(side * scale, 1000)} m × {ratio(other * scale, 1000)} m",
        "hectares": ratio(side * other * scale * scale, 10**10, 3),
        "square": f"{scale * scale:,}",
    }
    return slots | focus(
        draw,
        (
            f"the real length of {slots['map']} cm on a {slots['scale']} map",
            f"{slots['real']}",
            f"{slots['map']} cm × {slots['number']} = {slots['centimetres']} cm, or "
            f"{slots['metres']} m",
        ),
        (
            f"the true size of a {slots['side']} by {slots['other']} mm plot on a "
            f"{slots['scale']} plan",
            f"{slots['plot']}",
            f"{slots['side']} by {slots['other']} mm at {slots['scale']} are "
            f"{slots['plot']}, an area of {slots['hectares']} ha",
        ),
        (
            f"the ground distance for {slots['map']} cm at {slots['scale']}, in metres",
            f"{slots['metres']} m",
            f"one centimetre is {slots['one']} m, so {slots['map']} cm are {slots['metres']} m",
        ),
    )
