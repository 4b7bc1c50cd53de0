"""Exact decimal notation of fractions, by integer arithmetic (half-up rounding)."""

from personamem.dataset_builder.fillers.draw import Draw

_POWERS: tuple[int, ...] = tuple(10**exponent for exponent in range(40))
_EXACT = ("exactly", "precisely")
_ROUNDED = ("about", "roughly", "approximately", "around")


def ratio(numerator: int, denominator: int, places: int = 2) -> str:
    """Return the quotient with at most ``places`` decimals, grouped thousands, no idle zeros."""
    text = fixed(numerator, denominator, places)
    return text.rstrip("0").rstrip(".") if places and "." in text else text


def fixed(numerator: int, denominator: int, places: int = 2) -> str:
    """Return the quotient with exactly ``places`` decimals and grouped thousands."""
    if denominator < 0:
        numerator, denominator = -numerator, -denominator
    scale = _POWERS[places]
    units = (2 * abs(numerator) * scale + denominator) // (2 * denominator)
    sign = "-" if numerator < 0 and units else ""
    if not places:
        return f"{sign}{units:,}"
    return f"{sign}{units // scale:,}.{units % scale:0{places}d}"


def places_for(numerator: int, denominator: int, digits: int) -> int:
    """Return how many decimals show ``digits`` significant digits of a positive quotient."""
    whole = numerator // denominator
    if whole:
        return max(0, digits - len(str(whole)))
    return digits + len(str(denominator // numerator)) - 1 if numerator else 0


def significant(numerator: int, denominator: int, digits: int = 5) -> str:
    """Return a positive quotient to ``digits`` significant digits (whole numbers stay whole)."""
    return ratio(numerator, denominator, places_for(numerator, denominator, digits))


def is_exact(numerator: int, denominator: int, places: int) -> bool:
    """Return whether ``places`` decimals show the quotient without rounding."""
    return numerator * _POWERS[places] % denominator == 0


def about(draw: Draw, exact: bool) -> str:
    """Return a word to put before a number: "exactly" or "about" and their likes."""
    return draw.pick(_EXACT) if exact else draw.pick(_ROUNDED)


def money(cents: int) -> str:
    """Return an amount of hundredths with two decimals and grouped thousands."""
    return f"{cents // 100:,}.{cents % 100:02d}"


def join(items: list[str], word: str = "and") -> str:
    """Return the items as "a, b and c"."""
    return f"{', '.join(items[:-1])} {word} {items[-1]}" if len(items) > 1 else items[0]


def plural(number: int, noun: str, many: str = "") -> str:
    """Return "1 day", "2 days": a number and a noun, with its plural where that is not in s."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def decimal(value: float, places: int = 2) -> str:
    """Return ``value`` with at most ``places`` decimals, grouped thousands, no idle zeros."""
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
