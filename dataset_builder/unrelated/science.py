"""Elements, countries, the solar system, and school physics."""

# ruff: noqa: RUF001 - the multiplication sign is meant

from personamem.dataset_builder.grammar import with_article
from personamem.dataset_builder.unrelated.content_files import load_rows
from personamem.dataset_builder.unrelated.draw import Draw, Slots, Turn, focus, questions, series
from personamem.dataset_builder.unrelated.notation import decimal, join, ratio, significant
from personamem.dataset_builder.unrelated.records import markdown

LIGHT_SPEED = 299_792_458
"""Metres per second, exact by definition."""


def elements(draw: Draw) -> list[Turn]:
    """Facts on chemical elements, and molar masses of compounds."""
    turns = questions(draw, _element)
    return [
        Turn("molar", "molar_reply", _molar(draw)) if index and draw.chance(0.6) else turn
        for index, turn in enumerate(turns)
    ]


def countries(draw: Draw) -> list[Turn]:
    """Capitals, regions, country codes and calling codes."""
    return questions(draw, _countries)


def astronomy(draw: Draw) -> list[Turn]:
    """Weights on other planets, light travel times, orbital periods."""
    return questions(draw, _planet)


def physics(draw: Draw) -> list[Turn]:
    """Density, Ohm's law, kinetic energy, and waves."""
    return series(draw, lambda draw: draw.pick((_density, _ohm, _kinetic, _wave, _fall))(draw))


def _element(draw: Draw) -> Slots:
    chosen = draw.rows("elements", draw.integer(2, 4))
    name, symbol, number, mass, group = chosen[0]
    heavy = max(chosen, key=lambda row: float(row[3]))
    grams = draw.integer(2, 900)
    slots = {
        "name": name,
        "symbol": symbol,
        "number": number,
        "mass": mass,
        "group": group,
        "names": join([row[0] for row in chosen]),
        "table": markdown(
            ("element", "symbol", "number", "mass (u)"),
            [(row[0], row[1], int(row[2]), row[3]) for row in chosen],
        ),
        "heavy": heavy[0],
        "heavy_mass": heavy[3],
        "sorted": join([f"{row[0]} ({row[2]})" for row in sorted(chosen, key=_atomic_number)]),
        "grams": str(grams),
        "moles": significant(grams * 1000, round(float(mass) * 1000), 4),
        "other": chosen[1][0],
        "other_symbol": chosen[1][1],
        "other_group": chosen[1][4],
        "other_number": chosen[1][2],
    }
    names = slots["names"]
    return slots | focus(
        draw,
        (
            "symbol",
            f"the symbol and the atomic number of {name}",
            f"{symbol}, number {number}",
            f"{name} has the symbol {symbol} and the atomic number {number}",
        ),
        (
            "moles",
            f"the amount of substance, in moles, of {grams} g of {name}",
            f"{slots['moles']} mol",
            f"{grams} g divided by {mass} g/mol is {slots['moles']} mol of {name}",
        ),
        (
            "heaviest",
            f"the element with the largest atomic mass {_among(len(chosen))} {names}",
            slots["heavy"],
            f"with {slots['heavy_mass']} u, {slots['heavy']} has the largest atomic mass",
        ),
        (
            "order",
            f"the order of {names} by atomic number",
            slots["sorted"],
            f"by atomic number they run {slots['sorted']}",
        ),
        (
            "group",
            f"the group of elements that {name} belongs to",
            with_article(group),
            f"{name} is classed as {with_article(group)}",
        ),
    )


def _among(number: int) -> str:
    """Return the preposition for a choice from ``number`` things."""
    return "of" if number == 2 else "among"


def _atomic_number(row: tuple[str, ...]) -> int:
    return int(row[2])


def _molar(draw: Draw) -> Slots:
    name, formula, atoms = draw.row("compounds")
    masses = {row[1]: round(float(row[3]) * 1000) for row in load_rows("elements")}
    parts, total = [], 0
    for atom in atoms.split():
        symbol, count = atom.split(":")
        parts.append(f"{count} × {ratio(masses[symbol], 1000, 3)}")
        total += int(count) * masses[symbol]
    grams = draw.integer(3, 800)
    return {
        "name": name,
        "formula": formula,
        "parts": " + ".join(parts),
        "molar": ratio(total, 1000, 3),
        "grams": str(grams),
        "moles": significant(grams * 1000, total, 4),
        "atoms": join(
            [f"{atom.split(':')[1]} of {atom.split(':')[0]}" for atom in atoms.split()]
        ),
    }


def _countries(draw: Draw) -> Slots:
    chosen = draw.rows("countries", draw.integer(3, 5))
    country, capital, region, code, calling = chosen[0]
    other = chosen[1]
    slots = {
        "country": country,
        "capital": capital,
        "region": region,
        "code": code,
        "calling": f"+{calling}",
        "other": other[0],
        "other_capital": other[1],
        "other_region": other[2],
        "other_calling": f"+{other[4]}",
        "countries": join([row[0] for row in chosen]),
        "capitals": join([row[1] for row in chosen]),
        "pairs": join([f"{row[0]} with {row[1]}" for row in chosen]),
        "other_code": other[3],
        "table": markdown(
            ("country", "capital", "code", "calling code"),
            [(row[0], row[1], row[3], f"+{row[4]}") for row in chosen],
        ),
        "sorted": join(sorted(row[1] for row in chosen)),
        "longest": max((row[1] for row in chosen), key=len),
        "length": str(len(capital.replace(" ", ""))),
    }
    return slots | focus(
        draw,
        (
            "capital",
            f"the capital of {country}",
            capital,
            f"{country}, in {region}, has {capital} as its capital",
        ),
        (
            "capitals",
            f"the capitals of {slots['countries']}",
            slots["capitals"],
            f"the pairs are {slots['pairs']}",
        ),
        (
            "capital",
            f"the country whose capital is {capital}",
            country,
            f"{capital} is the capital of {country}, in {region}",
        ),
        (
            "calling",
            f"the international calling code of {country}",
            slots["calling"],
            f"phone numbers in {country} start with {slots['calling']} when dialled from abroad",
        ),
        (
            "code",
            f"the two-letter ISO code of {country}",
            code,
            f"ISO 3166 gives {country} the code {code}",
        ),
    )


def _planet(draw: Draw) -> Slots:
    name, gravity, distance, period = draw.row("planets")
    mass = draw.integer(2, 950)
    seconds = int(distance) * 10**6 // LIGHT_SPEED
    unit = 149_598
    slots = {
        "planet": name,
        "gravity": ratio(int(gravity), 100),
        "mass": str(mass),
        "force": ratio(mass * int(gravity), 100, 1),
        "earth": ratio(mass * 981, 100, 1),
        "share": ratio(int(gravity) * 100, 981, 1),
        "distance": ratio(int(distance), 1000, 1),
        "units": significant(int(distance), unit, 4),
        "seconds": f"{seconds:,}",
        "minutes": f"{seconds // 60} min {seconds % 60} s",
        "days": ratio(int(period), 10, 1),
        "years": significant(int(period) * 100, 365_250, 4),
        "orbits": ratio(draw.integer(10, 300) * 36525, int(period) * 10, 2),
        "thing": draw.pick(("probe", "crate", "lander", "rover", "block", "beacon", "drill")),
    }
    return slots | focus(
        draw,
        (
            "weight",
            f"the weight of a {mass} kg {slots['thing']} on {name}, in newtons",
            f"{slots['force']} N",
            f"on {name}, {mass} kg weigh {mass} × {slots['gravity']} = {slots['force']} N",
        ),
        (
            "light",
            f"the time that sunlight takes to reach {name}",
            slots["minutes"],
            f"to cover {slots['distance']} million km, light needs {slots['seconds']} s, "
            f"which is {slots['minutes']}",
        ),
        (
            "orbit",
            f"the orbital period of {name}",
            f"{slots['days']} days",
            f"one orbit of {name} takes {slots['days']} days, or {slots['years']} years",
        ),
        (
            "distance",
            f"the mean distance of {name} from the Sun in astronomical units",
            f"{slots['units']} AU",
            f"{slots['distance']} million km divided by 149.598 million km is {slots['units']} AU",
        ),
    )


def _density(draw: Draw) -> Slots:
    material, density = draw.row("materials")
    litres = draw.integer(3, 9_000)
    kilograms = ratio(litres * int(density), 10_000)
    verb = "floats on" if int(density) < 1000 else "sinks in"
    return {
        "problem": f"the mass of {ratio(litres, 10, 1)} litres of {material}",
        "given": f"a density of {int(density):,} kg/m³ and a volume of {ratio(litres, 10_000, 4)} m³",
        "law": "m = ρ · V",
        "insert": f"{int(density):,} × {ratio(litres, 10_000, 4)}",
        "answer": f"{kilograms} kg",
        "remark": f"{material} {verb} fresh water, whose density is 1,000 kg/m³",
        "inverse": "V = m / ρ",
    }


def _ohm(draw: Draw) -> Slots:
    volts, ohms = draw.integer(3, 400), draw.integer(2, 990)
    return {
        "problem": f"the current through a {ohms} Ω resistor at {volts} V",
        "given": f"a voltage of {volts} V and a resistance of {ohms} Ω",
        "law": "I = U / R",
        "insert": f"{volts} / {ohms}",
        "answer": f"{significant(volts, ohms, 4)} A",
        "remark": f"the resistor turns U²/R, about {significant(volts * volts, ohms, 4)} W, into heat",
        "inverse": "R = U / I",
    }


def _kinetic(draw: Draw) -> Slots:
    mass, speed = draw.integer(2, 4_000), draw.integer(2, 60)
    return {
        "problem": f"the kinetic energy of a {mass:,} kg {draw.pick(('cart', 'sled', 'crane load', 'lift cage'))} moving at {speed} m/s",
        "given": f"a mass of {mass:,} kg and a speed of {speed} m/s",
        "law": "E = ½ · m · v²",
        "insert": f"0.5 × {mass:,} × {speed * speed:,}",
        "answer": f"{ratio(mass * speed * speed, 2, 1)} J",
        "remark": f"at twice the speed the energy would be four times as large, {ratio(mass * speed * speed * 2, 1, 0)} J",
        "inverse": "v = √(2E / m)",
    }


def _wave(draw: Draw) -> Slots:
    megahertz = draw.integer(2, 6_000)
    return {
        "problem": f"the wavelength of a {megahertz:,} MHz radio signal",
        "given": f"the speed of light, {LIGHT_SPEED:,} m/s, and a frequency of {megahertz:,} MHz",
        "law": "λ = c / f",
        "insert": f"{LIGHT_SPEED:,} / {megahertz * 10**6:,}",
        "answer": f"{significant(LIGHT_SPEED, megahertz * 10**6, 4)} m",
        "remark": f"a quarter-wave antenna for it would be {significant(LIGHT_SPEED, 4 * megahertz * 10**6, 4)} m long",
        "inverse": "f = c / λ",
    }


def _fall(draw: Draw) -> Slots:
    height = draw.integer(2, 300)
    seconds = (2 * height / 9.81) ** 0.5
    return {
        "problem": f"the time that a fall from {height} m takes without air drag",
        "given": f"a height of {height} m and g = 9.81 m/s²",
        "law": "t = √(2h / g)",
        "insert": f"√({2 * height} / 9.81)",
        "answer": f"{decimal(seconds)} s",
        "remark": f"the speed on reaching the ground is about {decimal(9.81 * seconds)} m/s",
        "inverse": "h = ½ · g · t²",
    }
