"""Numbers and codes are computed again, by other means than the writer's."""

import math
import re
import statistics

import pytest
from unrelated_samples import found, number, sample


def test_number_bases() -> None:
    for digits, base, value in found("number_base", r'int\("(\w+)", (\d+)\) \w+ ([\d,]+)'):
        assert int(digits, int(base)) == number(value)


def test_roman_numerals() -> None:
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    checked = 0
    for ask, reply in sample("roman"):
        asked, numeral = (
            re.search(r"\b(\d{2,4})\b", ask),
            re.match(r"(?:\*\*)?([IVXLCDM]+)\b", reply),
        )
        if asked and numeral:
            signs = [values[sign] for sign in numeral[1]]
            pairs = zip(signs, [*signs[1:], 0], strict=True)
            assert sum(-one if one < two else one for one, two in pairs) == int(asked[1])
            checked += 1
    assert checked > 10


def test_prime_factors() -> None:
    for value, product in found(
        "primes", r"(?<!÷ )\b([\d,]{2,}) = (\d+(?:\^\d+)?(?: × \d+(?:\^\d+)?)*)"
    ):
        result = 1
        for factor in product.split(" × "):
            prime, _, power = factor.partition("^")
            assert all(int(prime) % divisor for divisor in range(2, math.isqrt(int(prime)) + 1))
            result *= int(prime) ** int(power or 1)
        assert result == number(value)


def test_gcd_and_lcm() -> None:
    checked = 0
    for ask, reply in sample("gcd_lcm"):
        pair, answer = (
            re.findall(r"\d{2,}", ask),
            re.search(r"gcd (?:=|is) ?(\d+), .*?(?:lcm =|multiple\]?|the lcm) ([\d,]+)", reply),
        )
        if len(pair) == 2 and answer:
            first, second = map(int, pair)
            assert int(answer[1]) == math.gcd(first, second)
            assert int(number(answer[2])) == math.lcm(first, second)
            checked += 1
    assert checked


def test_statistics() -> None:
    checked = 0
    for ask, reply in sample("statistics"):
        values = [int(text) for text in re.findall(r"(?:\d+, )+\d+", ask)[0].split(", ")]
        mean = re.search(
            r"(?:mean|Mean)(?: is| of| comes to)? (\d+(?:\.\d+)?)(?![\d,/]|\.\d| /|,\d)", reply
        )
        if mean:
            assert float(mean[1].rstrip(".")) == pytest.approx(statistics.fmean(values), abs=0.0051)
            checked += 1
        spread = re.search(r"standard deviation: ([\d.]+).*?, ([\d.]+)", reply)
        if spread:
            assert float(spread[1]) == pytest.approx(statistics.pstdev(values), abs=0.0051)
            assert float(spread[2]) == pytest.approx(statistics.stdev(values), abs=0.0051)
    assert checked > 20


def test_a_further_value_moves_the_median_as_said() -> None:
    checked = 0
    for ask, reply in sample("statistics", 200):
        said = re.search(r"median would (stay at|only move to) ([\d.]+\d|\d)", reply)
        if said:
            values = [int(text) for text in re.findall(r"(?:\d+, )+\d+", ask)[0].split(", ")]
            median = statistics.median(values)
            lifted = statistics.median([*values, 10**6])
            assert float(said[2]) == lifted
            assert (said[1] == "stay at") == (median == lifted)
            checked += 1
    assert checked > 10


def test_mean_and_median_differ_as_said() -> None:
    for ask, reply in sample("statistics", 300):
        if re.search(r"differ for|differ\?|(?:different from|another value than) the median", ask):
            values = [int(text) for text in re.findall(r"(?:\d+, )+\d+", ask)[0].split(", ")]
            differ = statistics.fmean(values) != statistics.median(values)
            assert reply.lower().startswith("yes" if differ else "no")


def test_variance_is_named_where_it_is_asked_for() -> None:
    checked = 0
    for ask, reply in sample("statistics", 200):
        if "variance and" in ask:
            values = [int(text) for text in re.findall(r"(?:\d+, )+\d+", ask)[0].split(", ")]
            said = re.search(r"[Vv]ariance(?: is|,)? ([\d,]+(?:\.\d+)?)", reply)
            assert said, reply
            assert number(said[1].rstrip(",")) == pytest.approx(
                statistics.pvariance(values), abs=0.0051
            )
            checked += 1
    assert checked > 20


def test_check_digits() -> None:
    checked = 0
    for ask, reply in sample("checksum"):
        digits = re.search(r"\d{8,12}", ask)
        assert digits
        check = re.search(rf"\b{digits[0]}([\dX])\b", reply)
        assert check, reply
        full = digits[0] + check[1]
        values = [10 if sign == "X" else int(sign) for sign in full]
        if "ISBN-13" in ask:
            assert (sum(values[::2]) + 3 * sum(values[1::2])) % 10 == 0
        elif "ISBN-10" in ask:
            weighted = sum(value * (10 - place) for place, value in enumerate(values))
            assert weighted % 11 == 0
        else:
            doubled = [sum(divmod(2 * value, 10)) for value in values[-2::-2]]
            assert (sum(values[::-2]) + sum(doubled)) % 10 == 0
        checked += 1
    assert checked > 60
