"""Elements, countries and the solar system."""

from personamem.dataset_builder.fillers.content_files import load_rows
from personamem.dataset_builder.fillers.draw import Draw, Slots, Turn, focus, questions
from personamem.dataset_builder.fillers.notation import join, plural, ratio, significant
from personamem.dataset_builder.fillers.records import markdown

LIGHT_SPEED = 299_792_458
"""Metres per second, exact by definition."""

_WITH_ARTICLE = ("Maldives", "Philippines")
"""Countries of the table that take "the" in a sentence."""

_ALPHA_2 = (
    "this is the form with two letters, alpha-2",
    "the three-letter code of a country is another one",
    "both letters are capitals",
)


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
        "class": f"the {group[:-3]}gases" if group.endswith("gas") else f"the {group}s",
        "names": join([row[0] for row in chosen]),
        "table": markdown(
            ("element", "symbol", "number", "mass (u)"),
            [(row[0], row[1], int(row[2]), row[3]) for row in chosen],
        ),
        "heavy": heavy[0],
        "heavy_mass": heavy[3],
        "sorted": join(
            [f"{row[0]} ({row[2]})" for row in sorted(chosen, key=_atomic_number)], "and then"
        ),
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
            f"{symbol} and {number}",
            f"{name} has the symbol {symbol} and the atomic number {number}",
            f"an atom of {name} has {plural(int(number), 'proton')} in its nucleus",
        ),
        (
            "moles",
            f"the amount of substance, in moles, of {grams} g of {name}",
            f"{slots['moles']} mol",
            f"{grams} g divided by {mass} g/mol is {slots['moles']} mol of {name}",
            f"that is {grams} g divided by {mass} g/mol",
        ),
        (
            "heaviest",
            f"the element with the largest atomic mass {_among(len(chosen))} {names}",
            slots["heavy"],
            f"with {slots['heavy_mass']} u, {slots['heavy']} has the largest atomic mass",
            f"an atom of it has {slots['heavy_mass']} u on average",
        ),
        (
            "order",
            f"the order of {names} by atomic number",
            slots["sorted"],
            f"by atomic number they run {slots['sorted']}",
            "the number in brackets counts the protons",
        ),
        (
            "group",
            f"the class of elements that {name} belongs to",
            slots["class"],
            f"{name} is counted among {slots['class']}",
            f"{name} is number {number} in the periodic table",
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
        "atoms": join([f"{atom.split(':')[1]} of {atom.split(':')[0]}" for atom in atoms.split()]),
    }


def _countries(draw: Draw) -> Slots:
    chosen = draw.rows("countries", draw.integer(3, 5))
    names = [f"the {row[0]}" if row[0] in _WITH_ARTICLE else row[0] for row in chosen]
    country, capital, region, code, calling = names[0], *chosen[0][1:]
    other = chosen[1]
    length = max(len(row[1]) for row in chosen)
    longest = [row[1] for row in chosen if len(row[1]) == length]
    slots = {
        "country": country,
        "capital": capital,
        "region": region,
        "code": code,
        "calling": f"+{calling}",
        "other": names[1],
        "other_capital": other[1],
        "other_region": other[2],
        "other_calling": f"+{other[4]}",
        "countries": join(names),
        "capitals": join([row[1] for row in chosen]),
        "pairs": join([f"{row[1]} for {name}" for name, row in zip(names, chosen, strict=True)]),
        "other_code": other[3],
        "table": markdown(
            ("country", "capital", "code", "calling code"),
            [(row[0], row[1], row[3], f"+{row[4]}") for row in chosen],
        ),
        "sorted": join(sorted(row[1] for row in chosen)),
        "longest": f"{'are' if len(longest) > 1 else 'is'} {join(longest)}",
    }
    return slots | focus(
        draw,
        (
            "capital",
            f"the capital of {country}",
            capital,
            f"the capital of {country} is {capital}",
            f"the country lies in {region}",
        ),
        (
            "capitals",
            f"the capitals of {slots['countries']}",
            slots["capitals"],
            f"it is {slots['pairs']}",
            "the order is that of your list",
        ),
        (
            "capital",
            f"the country whose capital is {capital}",
            country,
            f"{capital} is the capital of {country}",
            f"the country lies in {region}",
        ),
        (
            "calling",
            f"the international calling code of {country}",
            slots["calling"],
            f"phone numbers in {country} start with {slots['calling']} when dialled from abroad",
            f"the country lies in {region}",
        ),
        (
            "code",
            f"the two-letter ISO code of {country}",
            code,
            f"ISO 3166 gives {country} the code {code}",
            draw.pick(_ALPHA_2),
        ),
    )


def _planet(draw: Draw) -> Slots:
    name, gravity, distance, period = draw.row("planets")
    mass = draw.integer(2, 950)
    # From the distance as shown, so that a reader who divides finds the same.
    shown = (int(distance) + 50) // 100 * 100
    seconds = (2 * shown * 10**6 + LIGHT_SPEED) // (2 * LIGHT_SPEED)
    unit = 149_598
    slots = {
        "planet": name,
        "gravity": ratio(int(gravity), 100),
        "mass": str(mass),
        "force": ratio(mass * int(gravity), 100, 1),
        "earth": ratio(mass * 981, 100, 1),
        "share": ratio(int(gravity) * 100, 981, 1),
        "distance": ratio(int(distance), 1000, 1),
        "units": significant(shown, unit, 4),
        "seconds": f"{seconds:,}",
        "minutes": f"{seconds // 60} min {seconds % 60} s",
        "path": "shorter" if shown < unit else "longer",
        "pace": "higher" if shown < unit else "lower",
        "days": ratio(int(period), 10, 1),
        "years": significant(int(period) * 100, 365_250, 4),
        "thing": draw.pick(("probe", "crate", "lander", "rover", "block", "beacon", "drill")),
    }
    return slots | focus(
        draw,
        (
            "weight",
            f"the weight of a {slots['thing']} of {mass} kg on {name}, in newtons",
            f"{slots['force']} N",
            f"on {name}, {mass} kg weigh {mass} × {slots['gravity']} = {slots['force']} N",
            draw.pick(
                (
                    f"the mass of {mass} kg is multiplied by {slots['gravity']} m/s²",
                    f"gravity there is {slots['gravity']} m/s²",
                    f"that is {mass} × {slots['gravity']}",
                )
            ),
        ),
        (
            "light",
            f"the time that sunlight takes to reach {name}",
            slots["minutes"],
            f"to cover {slots['distance']} million km, light needs {slots['seconds']} s, "
            f"which is {slots['minutes']}",
            f"{slots['distance']} million km divided by 299,792 km/s is {slots['seconds']} s",
        ),
        (
            "orbit",
            f"the orbital period of {name}",
            f"{slots['days']} days",
            f"one orbit of {name} takes {slots['days']} days, or {slots['years']} years",
            f"in years of 365.25 days, that is {slots['years']}",
        ),
        (
            "distance",
            f"the mean distance of {name} from the Sun in astronomical units",
            f"{slots['units']} AU",
            f"{slots['distance']} million km divided by 149.598 million km is {slots['units']} AU",
            f"{name} is {slots['distance']} million km away from it on average",
        ),
    )
