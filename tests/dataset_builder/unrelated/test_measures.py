"""Measures and dates are computed again, by other means than the writer's."""

import re
from datetime import date, datetime

import pytest
from unrelated_samples import DATE, NUMBER, WEEKDAYS, cells, day, found, number, sample

from personamem.dataset_builder.unrelated.content_files import load_rows


@pytest.mark.parametrize(
    ("kind", "source", "target", "factor"),
    [
        ("length", "mi", "km", 1.609344),
        ("length", "ft", "m", 0.3048),
        ("mass", "lb", "kg", 0.45359237),
        ("volume", "US gal", "L", 3.785411784),
        ("area", "ha", "m²", 10_000),
        ("speed", "km/h", "m/s", 1 / 3.6),
        ("data_size", "GiB", "MB", 1073.741824),
    ],
)
def test_unit_factors(kind: str, source: str, target: str, factor: float) -> None:
    rows = {row[2]: int(row[3]) / int(row[4]) for row in load_rows(kind)}
    assert rows[source] / rows[target] == pytest.approx(factor, rel=1e-12)


@pytest.mark.parametrize("kind", ["length", "mass", "volume", "area", "speed", "data_size"])
def test_conversion_multiplies_by_the_stated_factor(kind: str) -> None:
    sizes = {row[2]: int(row[3]) / int(row[4]) for row in load_rows(kind)}
    pattern = rf"1 (?:{'|'.join(row[1] for row in load_rows(kind))}|\S+) [=≈] {NUMBER}"
    assert found(kind, pattern)
    tables = 0
    for _, reply in sample(kind):
        for (source, target), *rows in filter(None, [cells(reply)]):
            tables += 1
            for value, answer in rows:
                expected = number(value) * sizes[source] / sizes[target]
                assert number(answer) == pytest.approx(expected, rel=1e-4)
    assert tables


def test_products_and_quotients_that_are_written_out() -> None:
    for first, second, result in found("percentage", rf"{NUMBER} × {NUMBER} = {NUMBER}"):
        assert number(result) == pytest.approx(number(first) * number(second), abs=0.006)
    for first, second, result in found("discount", rf"{NUMBER} × {NUMBER} = (?:\*\*)?{NUMBER}"):
        assert number(result) == pytest.approx(number(first) * number(second), abs=0.006)
    for part, whole, result in found(
        "percentage", rf"(?<![×\d.,] )(?<![\d.,]){NUMBER} ÷ {NUMBER} = {NUMBER}"
    ):
        assert number(result) == pytest.approx(number(part) / number(whole), abs=0.006)


def test_bill_shares_add_up() -> None:
    for odd, more, even, share, total in found(
        "bill_split", rf"- (\d+) × {NUMBER}\n- (\d+) × {NUMBER}\n\n\w+: {NUMBER} "
    ):
        paid = int(odd) * number(more) + int(even) * number(share)
        assert paid == pytest.approx(number(total), abs=0.001)


def test_days_between() -> None:
    checked = 0
    for ask, reply in sample("days_between"):
        ends = re.findall(DATE, ask)
        days = re.search(
            r"(?:comes to|equals|gives|makes|covers|so|hence|all|\*\*|^) ?"
            r"([\d,]+) days",
            reply,
        )
        if len(ends) == 2 and days:
            assert int(number(days[1])) == (day(ends[1]) - day(ends[0])).days, (ask, reply)
            checked += 1
    assert checked > 20


def test_weekdays() -> None:
    for text, name in found("weekday", DATE + r" (?:is|falls on) a (\w+day)"):
        assert WEEKDAYS[day(text).weekday()] == name


def test_working_days() -> None:
    checked = 0
    for ask, reply in sample("working_days"):
        start, end = re.search(DATE, ask), re.search(DATE + r",? ?\(?(?:a )?\w+day", reply)
        count = re.search(r"(\d+) (?:working|business|weekdays)", ask)
        if start and end and count and reply.startswith(end[1]):
            steps, current = 0, day(start[1]).toordinal()
            while current < day(end[1]).toordinal():
                current += 1
                steps += date.fromordinal(current).weekday() < 5
            assert steps == int(count[1]), (ask, reply)
            checked += 1
    assert checked > 5


def test_iso_weeks_and_leap_years() -> None:
    checked = 0
    for ask, reply in sample("iso_week"):
        text, code = re.search(DATE, ask), re.search(r"\d{4}-W\d\d-\d", reply)
        if text and code:
            year, week, weekday = day(text[1]).isocalendar()
            assert code[0] == f"{year}-W{week:02d}-{weekday}"
            checked += 1
    assert checked > 20
    for year, verdict in found("iso_week", r"(\d{4}) (is a leap|is not a leap) year"):
        days = (datetime(int(year) + 1, 1, 1) - datetime(int(year), 1, 1)).days
        assert (days == 366) == (verdict == "is a leap")


def test_time_zones() -> None:
    for here, local, there, target in (
        (rows[1][1], rows[1][2], rows[3][1], rows[3][2])
        for _, reply in sample("time_zone")
        if len(rows := cells(reply)) == 4
    ):
        shift = [
            int(sign + hours) * 60 + int(sign + (minutes or "0"))
            for sign, hours, minutes in (
                re.fullmatch(r"UTC([+-])(\d+)(?::(\d\d))?", text).groups()  # type: ignore[union-attr]
                for text in (here, there)
            )
        ]
        clock = [int(text[:2]) * 60 + int(text[3:]) for text in (local, target)]
        assert (clock[0] - shift[0] + shift[1] - clock[1]) % 1440 == 0


def test_seconds_as_clock_time() -> None:
    checked = 0
    for ask, reply in sample("duration"):
        total, clock = (
            re.search(r"([\d,]+) s(?:econds)?\b", ask),
            re.search(r"\b(\d+):(\d\d):(\d\d)\b", reply),
        )
        if total and clock and "h:mm:ss" in ask:
            hours, minutes, seconds = map(int, clock.groups())
            assert hours * 3600 + minutes * 60 + seconds == number(total[1])
            checked += 1
    assert checked > 3
