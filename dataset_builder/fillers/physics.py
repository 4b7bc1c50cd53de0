"""School physics: one formula, numbers inserted."""

from personamem.dataset_builder.fillers.draw import Draw, Slots, Turn, series
from personamem.dataset_builder.fillers.notation import decimal, ratio, significant
from personamem.dataset_builder.fillers.science import LIGHT_SPEED

_MOVING = (
    ("cart", (5, 90), (2, 9)),
    ("sled", (8, 250), (2, 25)),
    ("crane load", (150, 4_000), (2, 4)),
    ("lift cage", (250, 1_600), (2, 10)),
    ("trolley", (10, 180), (2, 6)),
    ("van", (1_500, 3_500), (5, 36)),
)
"""Things that move, with their masses in kg and their speeds in m/s."""


def physics(draw: Draw) -> list[Turn]:
    """Density, Ohm's law, kinetic energy, and waves."""
    return series(draw, lambda draw: draw.pick((_density, _ohm, _kinetic, _wave, _fall))(draw))


def _density(draw: Draw) -> Slots:
    material, density = draw.row("materials")
    litres = draw.integer(3, 900)
    kilograms = ratio(litres * int(density), 10_000)
    verb = "floats on" if int(density) < 1000 else "sinks in"
    return {
        "problem": f"the mass of {ratio(litres, 10, 1)} litres of {material}",
        "given": f"a density of {int(density):,} kg/m³ and "
        f"a volume of {ratio(litres, 10_000, 4)} m³",
        "law": "m = ρ · V",  # noqa: RUF001
        "insert": f"{int(density):,} × {ratio(litres, 10_000, 4)}",
        "answer": f"{kilograms} kg",
        "remark": f"{material} {verb} fresh water, whose density is 1,000 kg/m³",
        "inverse": "V = m / ρ",  # noqa: RUF001
        "limit": "density varies a little with temperature and purity",
    }


def _ohm(draw: Draw) -> Slots:
    volts, ohms = draw.integer(3, 230), draw.integer(24, 990)
    return {
        "problem": f"the current through a resistor of {ohms} Ω at {volts} V",
        "given": f"a voltage of {volts} V and a resistance of {ohms} Ω",
        "law": "I = U / R",
        "insert": f"{volts} / {ohms}",
        "answer": f"{significant(volts, ohms, 4)} A",
        "remark": f"U²/R, about {significant(volts * volts, ohms, 4)} W, turns into heat",
        "inverse": "R = U / I",
        "limit": "a real resistor changes its value a little as it warms up",
    }


def _kinetic(draw: Draw) -> Slots:
    thing, masses, speeds = draw.pick(_MOVING)
    mass, speed = draw.integer(*masses), draw.integer(*speeds)
    return {
        "problem": f"the kinetic energy of a {thing} of {mass:,} kg that moves at {speed} m/s",
        "given": f"a mass of {mass:,} kg and a speed of {speed} m/s",
        "law": "E = ½ · m · v²",
        "insert": f"0.5 × {mass:,} × {speed * speed:,}",
        "answer": f"{ratio(mass * speed * speed, 2, 1)} J",
        "remark": "at twice the speed the energy would be four times as large, "
        f"{ratio(mass * speed * speed * 2, 1, 0)} J",
        "inverse": "v = √(2E / m)",
        "limit": "a body that also spins has some energy more",
    }


def _wave(draw: Draw) -> Slots:
    megahertz = draw.integer(2, 6_000)
    return {
        "problem": f"the wavelength of a radio signal of {megahertz:,} MHz",
        "given": f"the speed of light, {LIGHT_SPEED:,} m/s, and a frequency of {megahertz:,} MHz",
        "law": "λ = c / f",
        "insert": f"{LIGHT_SPEED:,} / {megahertz * 10**6:,}",
        "answer": f"{significant(LIGHT_SPEED, megahertz * 10**6, 4)} m",
        "remark": "a quarter-wave antenna for it would be "
        f"{significant(LIGHT_SPEED, 4 * megahertz * 10**6, 4)} m long",
        "inverse": "f = c / λ",
        "limit": "in a cable the wave is slower, and so its length is shorter",
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
        "limit": "in air a real fall takes a little longer",
    }
