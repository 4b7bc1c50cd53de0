"""Whole numbers: bases, Roman numerals, prime factors, greatest common divisors."""

from functools import cache
from math import gcd, isqrt, prod

from personamem.dataset_builder.fillers.draw import Draw, Slots, Turn, series
from personamem.dataset_builder.fillers.notation import join

_DIGITS = "0123456789ABCDEF"
_BASE_NAMES = {2: "binary", 3: "ternary", 5: "quinary", 8: "octal", 12: "duodecimal", 16: "hex"}
_ROMAN = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
)


def number_base(draw: Draw) -> list[Turn]:
    """A number written in another base, in either direction."""
    turns = [Turn("ask", "reply", _to_base(draw))]
    for _ in range(draw.follow_ups()):
        if draw.chance(0.5):
            turns.append(Turn("again", "again_reply", _to_base(draw)))
        else:
            turns.append(Turn("back", "back_reply", _from_base(draw)))
    return turns


def roman(draw: Draw) -> list[Turn]:
    """Roman numerals written and read."""
    turns = [Turn("ask", "reply", _roman(draw))]
    for _ in range(draw.follow_ups()):
        name = draw.pick(("again", "back"))
        turns.append(Turn(name, f"{name}_reply", _roman(draw)))
    return turns


def primes(draw: Draw) -> list[Turn]:
    """Prime factors and primality."""
    turns = series(draw, _factors)
    if draw.chance(0.3):
        turns[0] = Turn("prime", "prime_reply", turns[0].slots, "reply_more")
    return turns


def gcd_lcm(draw: Draw) -> list[Turn]:
    """Greatest common divisor and least common multiple by Euclid's algorithm."""
    name, slots = draw.pick(("ask", "ask", "squares", "cycles")), _euclid(draw)
    if name == "ask":
        # The product of both says nothing new where one number is the other's multiple.
        new = int(slots["gcd"]) < min(int(slots["first"]), int(slots["second"]))
        turns = [Turn(name, "reply", slots, "reply_more" if new else "reply_more†")]
    else:
        turns = [Turn(name, f"{name}_reply", slots)]
    turns.extend(Turn("again", "again_reply", _euclid(draw)) for _ in range(draw.follow_ups()))
    return turns


def in_base(number: int, base: int) -> str:
    """Return a positive ``number`` in ``base`` (2 to 16)."""
    digits = ""
    while number:
        number, digit = divmod(number, base)
        digits = _DIGITS[digit] + digits
    return digits


def to_roman(number: int) -> str:
    """Return ``number`` (1 to 3999) as a Roman numeral."""
    text = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        text += letters * count
    return text


@cache
def smallest_factors(limit: int = 40_000) -> tuple[int, ...]:
    """Return a table of the smallest prime factor of every number below ``limit``."""
    table = list(range(limit))
    for number in range(2, isqrt(limit) + 1):
        if table[number] == number:
            for multiple in range(number * number, limit, number):
                if table[multiple] == multiple:
                    table[multiple] = number
    return tuple(table)


def factorise(number: int) -> list[int]:
    """Return the prime factors of ``number`` (2 to 39,999) in rising order."""
    table, factors = smallest_factors(), []
    while number > 1:
        factors.append(table[number])
        number //= table[number]
    return factors


def _to_base(draw: Draw) -> Slots:
    base = draw.pick((2, 2, 3, 5, 8, 8, 12, 16, 16, 16))
    number = draw.integer(40, 900 if base == 2 else 65_000)
    steps, left = [], number
    while left:
        left, digit = divmod(left, base)
        steps.append(f"{left * base + digit:,} ÷ {base} = {left:,} remainder {_DIGITS[digit]}")
    digits = in_base(number, base)
    return {
        "number": f"{number:,}",
        "base": str(base),
        "name": _BASE_NAMES[base],
        "digits": digits,
        "length": str(len(digits)),
        "plain": str(number),
        "signs": f"Digits above 9 are letters, here {'A and B' if base == 12 else 'A to F'}"
        if base > 10
        else f"The digits run from 0 to {base - 1}",
        "steps": "; ".join(steps),
        "lines": "\n".join(f"- {step}" for step in steps),
        "places": _places(digits, base),
    }


def _from_base(draw: Draw) -> Slots:
    base = draw.pick((2, 3, 5, 8, 12, 16))
    number = draw.integer(40, 900 if base == 2 else 30_000)
    digits = in_base(number, base)
    return {
        "number": f"{number:,}",
        "base": str(base),
        "name": _BASE_NAMES[base],
        "digits": digits,
        "places": _places(digits, base),
    }


def _places(digits: str, base: int) -> str:
    high = len(digits) - 1
    terms = (
        f"{_DIGITS.index(digit)}×{base ** (high - index)}"
        for index, digit in enumerate(digits)
        if digit != "0"
    )
    return " + ".join(terms)


def _roman(draw: Draw) -> Slots:
    number = draw.integer(14, 3_899)
    parts, left = [], number
    for value, letters in _ROMAN:
        while left >= value:
            parts.append((value, letters))
            left -= value
    return {
        "number": str(number),
        "roman": to_roman(number),
        "next": str(number + 1),
        "next_roman": to_roman(number + 1),
        "parts": " + ".join(str(value) for value, _ in parts),
        "letters": join([f"{letters} ({value})" for value, letters in parts]),
        "signs": str(len(to_roman(number))),
    }


def _factors(draw: Draw) -> Slots:
    if draw.chance(0.6):
        number = prod(draw.pick((2, 2, 3, 3, 5, 7, 11, 13, 17)) for _ in range(draw.integer(3, 5)))
        number *= draw.pick((1, 1, 2, 3, 19, 23))
    else:
        number = draw.integer(200, 30_000)
    number = number % 39_000 + 2 if number >= 39_000 else number
    factors = factorise(number)
    powers = [(prime, factors.count(prime)) for prime in sorted(set(factors))]
    steps, left = [], number
    for factor in factors[:-1]:
        left //= factor
        steps.append(f"{left * factor:,} ÷ {factor} = {left:,}")
    prime = len(factors) == 1
    verdict = draw.pick(("so it is not prime", "so it is composite", "which is not prime"))
    product = " × ".join(f"{p}^{k}" if k > 1 else str(p) for p, k in powers)
    counts = " × ".join(f"({power}+1)" for _, power in powers)
    table = smallest_factors()
    above = number + 1
    while table[above] != above:
        above += 1
    below = number - 1
    while table[below] != below:
        below -= 1
    return {
        "number": f"{number:,}",
        "product": product,
        "steps": f"dividing step by step gives {'; '.join(steps)}"
        if steps
        else f"no prime up to {isqrt(number)} divides it",
        "claim": f"{number:,} is a prime number, with no factor but 1 and itself"
        if prime
        else f"{number:,} = {product}",
        "verdict": f"{number:,} is a prime number"
        if prime
        else f"{number:,} = {product}, {verdict}",
        "yes": "Yes" if prime else "No",
        "root": str(isqrt(number)),
        "divisors": str(prod(power + 1 for _, power in powers)),
        "counts": counts,
        "ends": f"the smallest prime factor is {factors[0]:,} and the largest is {factors[-1]:,}"
        if len(powers) > 1
        else f"the only prime factor is {factors[0]:,}",
        "above": f"{above:,}",
        "below": f"{below:,}",
    }


def _euclid(draw: Draw) -> Slots:
    common = draw.integer(2, 48)
    first, second = common * draw.integer(5, 90), common * draw.integer(5, 90)
    if first == second:
        first += common
    big, small = max(first, second), min(first, second)
    steps, high, low = [], big, small
    while low:
        steps.append(f"{high} = {high // low} × {low} + {high % low}")
        high, low = low, high % low
    divisor = gcd(first, second)
    return {
        "first": str(first),
        "second": str(second),
        "gcd": str(divisor),
        "lcm": f"{first * second // divisor:,}",
        "product": f"{first * second:,}",
        "steps": "; ".join(steps),
        "lines": "\n".join(f"- {step}" for step in steps),
        "fraction": f"{first // divisor}/{second // divisor}",
        "left": str(first // divisor),
        "right": str(second // divisor),
        "unit": draw.pick(("seconds", "ticks", "steps")),
        "squares": f"{first // divisor * (second // divisor):,}",
    }
