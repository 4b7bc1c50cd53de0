"""Elements, countries, the solar system, and school physics."""

# ruff: noqa: RUF001 - the multiplication sign is meant

from personamem.dataset_builder.unrelated.content_files import load_rows
from personamem.dataset_builder.unrelated.draw import Draw, Slots, Turn, focus, series
from personamem.dataset_builder.unrelated.notation import decimal, join, ratio, significant
from personamem.dataset_builder.unrelated.records import markdown

LIGHT_SPEED = 299_792_458
"""Metres per second, exact by definition."""


def elements(draw: Draw) -> list[Turn]:
    """Facts on chemical elements, and molar masses of compounds."""
    turns = [Turn("ask", "reply", _element(draw))]
    for _ in range(draw.follow_ups()):
        if draw.chance(0.6):
            turns.append(Turn("molar", "molar_reply", _molar(draw)))
        else:
            turns.append(Turn("again", "again_reply", _element(draw)))
    return turns


def countries(draw: Draw) -> list[Turn]:
    """Capitals, regions, country codes and calling codes."""
    return series(draw, _countries)


def astronomy(draw: Draw) -> list[Turn]:
    """Weights on other planets, light travel times, orbital periods."""
    return series(draw, _planet)


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
        "sorted": ", ".join(f"{row[1]} {row[2]}" for row in sorted(chosen, key=_atomic_number)),
        "grams": str(grams),
        "moles": significant(grams * 1000, round(float(mass) * 1000), 4),
        "other": chosen[1][0],
        "other_symbol": chosen[1][1],
        "other_group": chosen[1][4],
        "other_number": chosen[1][2],
    }
    return slots | focus(
        draw,
        (
            f"the symbol and atomic number of {slots['name']}",
            f"{slots['symbol']}, {slots['number']}",
            f"{slots['name']} has the symbol {slots['symbol']} and atomic number {slots['number']}",
        ),
        (
            f"the amount in moles of {slots['grams']} g of {slots['name']}",
            f"{slots['moles']} mol",
            f"{slots['grams']} g / {slots['mass']} g/mol = {slots['moles']} mol of {slots['name']}",
        ),
        (
            f"the heaviest by atomic mass of {slots['names']}",
            f"{slots['heavy']}",
            f"{slots['heavy']} leads with {slots['heavy_mass']} u",
        ),
        (
            f"the order of {slots['names']} by atomic number",
            f"{slots['sorted']}",
            f"sorted by number they run {slots['sorted']}",
        ),
        (
            f"the group that {slots['name']} belongs to",
            f"{slots['group']}",
            f"{slots['name']} is classed under the heading {slots['group']}",
        ),
    )


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
        "atoms": atoms.replace(":", " "),
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
        "pairs": "; ".join(f"{row[0]} - {row[1]}" for row in chosen),
        "table": markdown(
            ("country", "capital", "code", "dial"),
            [(row[0], row[1], row[3], f"+{row[4]}") for row in chosen],
        ),
        "sorted": ", ".join(sorted(row[1] for row in chosen)),
        "longest": max((row[1] for row in chosen), key=len),
        "length": str(len(capital.replace(" ", ""))),
    }
    return slots | focus(
        draw,
        (
            f"the capital of {slots['country']}",
            f"{slots['capital']}",
            f"{slots['capital']} is the capital of {slots['country']}",
        ),
        (
            f"the capitals of {slots['countries']}",
            f"{slots['capitals']}",
            f"the pairs are {slots['pairs']}",
        ),
        (
            f"the country whose capital is {slots['capital']}",
            f"{slots['country']}",
            f"{slots['capital']} is the capital of {slots['country']}",
        ),
        (
            f"the calling code of {slots['country']}",
            f"{slots['calling']}",
            f"calls to {slots['country']} start with {slots['calling']}",
        ),
        (
            f"the ISO two-letter code of {slots['country']}",
            f"{slots['code']}",
            f"{slots['country']} has the ISO 3166 code {slots['code']}",
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
        "thing": draw.pick(("probe", "crate", "lander", "rover", "block", "satellite", "drill")),
    }
    return slots | focus(
        draw,
        (
            f"the weight of a {slots['mass']} kg {slots['thing']} on {slots['planet']}, in newtons",
            f"{slots['force']} N",
            f"{slots['mass']} kg × {slots['gravity']} m/s² = {slots['force']} N on "
            f"{slots['planet']}",
        ),
        (
            f"the time that sunlight takes to {slots['planet']}",
            f"{slots['minutes']}",
            f"light covers {slots['distance']} million km in {slots['seconds']} s, "
            f"that is {slots['minutes']}",
        ),
        (
            f"the orbital period of {slots['planet']}",
            f"{slots['days']} days",
            f"one orbit of {slots['planet']} takes {slots['days']} days or {slots['years']} years",
        ),
        (
            f"the mean distance of {slots['planet']} from the Sun in astronomical units",
            f"{slots['units']} AU",
            f"{slots['distance']} million km are {slots['units']} AU",
        ),
    )


def _density(draw: Draw) -> Slots:
    material, density = draw.row("materials")
    litres = draw.integer(3, 9_000)
    kilograms = ratio(litres * int(density), 10_000)
    floats = int(density) < 1000
    return {
        "problem": f"the mass of {ratio(litres, 10, 1)} litres of {material}",
        "given": f"density {int(density):,} kg/m³, volume {ratio(litres, 10_000, 4)} m³",
        "law": "m = ρ · V",
        "insert": f"{int(density):,} × {ratio(litres, 10_000, 4)}",
        "answer": f"{kilograms} kg",
        "remark": f"{material} {'floats on' if floats else 'sinks in'} fresh water of 1,000 kg/m³",
        "inverse": "V = m / ρ",
    }


def _ohm(draw: Draw) -> Slots:
    volts, ohms = draw.integer(3, 400), draw.integer(2, 990)
    return {
        "problem": f"the current through {ohms} Ω at {volts} V",
        "given": f"voltage {volts} V, resistance {ohms} Ω",
        "law": "I = U / R",
        "insert": f"{volts} / {ohms}",
        "answer": f"{significant(volts, ohms, 4)} A",
        "remark": f"the power is U²/R, about {significant(volts * volts, ohms, 4)} W",
        "inverse": "R = U / I",
    }


def _kinetic(draw: Draw) -> Slots:
    mass, speed = draw.integer(2, 4_000), draw.integer(2, 60)
    return {
        "problem": f"the kinetic energy of {mass:,} kg at {speed} m/s",
        "given": f"mass {mass:,} kg, speed {speed} m/s ({ratio(speed * 36, 10)} km/h)",
        "law": "E = ½ · m · v²",
        "insert": f"0.5 × {mass:,} × {speed * speed:,}",
        "answer": f"{ratio(mass * speed * speed, 2, 1)} J",
        "remark": f"twice the speed would need {ratio(mass * speed * speed * 2, 1, 0)} J",
        "inverse": "v = √(2E / m)",
    }


def _wave(draw: Draw) -> Slots:
    megahertz = draw.integer(2, 6_000)
    return {
        "problem": f"the wavelength of a {megahertz:,} MHz radio signal",
        "given": f"speed of light {LIGHT_SPEED:,} m/s, frequency {megahertz:,} MHz",
        "law": "λ = c / f",
        "insert": f"{LIGHT_SPEED:,} / {megahertz * 10**6:,}",
        "answer": f"{significant(LIGHT_SPEED, megahertz * 10**6, 4)} m",
        "remark": f"a quarter wave is {significant(LIGHT_SPEED, 4 * megahertz * 10**6, 4)} m",
        "inverse": "f = c / λ",
    }


def _fall(draw: Draw) -> Slots:
    height = draw.integer(2, 300)
    seconds = (2 * height / 9.81) ** 0.5
    return {
        "problem": f"the fall time from {height} m without air drag",
        "given": f"height {height} m, g = 9.81 m/s²",
        "law": "t = √(2h / g)",
        "insert": f"√({2 * height} / 9.81)",
        "answer": f"{decimal(seconds)} s",
        "remark": f"the speed at the ground is about {decimal(9.81 * seconds)} m/s",
        "inverse": "h = ½ · g · t²",
    }
