"""Measures and dates are computed again, by other means than the writer's."""

import re
from datetime import date, datetime
from itertools import cycle
from random import Random

import pytest
from unrelated_samples import DATE, NUMBER, WEEKDAYS, cells, day, found, number, sample

from personamem.dataset_builder.fillers import clock
from personamem.dataset_builder.fillers.content_files import load_rows
from personamem.dataset_builder.fillers.draw import Draw


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


def test_light_times_are_rounded_and_follow_from_the_distance_shown() -> None:
    checked = 0
    for _, reply in sample("astronomy", 200):
        light = re.search(
            r"cover ([\d.,]+) million km, light needs ([\d,]+) s, which is (\d+) min (\d+) s", reply
        )
        if light:
            seconds = round(number(light[1]) * 1e9 / 299_792_458)
            assert seconds == number(light[2]) == int(light[3]) * 60 + int(light[4])
            checked += 1
    assert checked > 10


def test_distances_agree_with_periods_by_keplers_third_law() -> None:
    for row in load_rows("planets"):
        units, years = int(row[2]) / 149_598, int(row[3]) / 3_652.5
        assert units**3 == pytest.approx(years**2, rel=0.006), row[0]


def test_leap_days_between_two_dates_are_counted() -> None:
    checked = 0
    for ask, reply in sample("days_between", 200):
        ends, said = re.findall(DATE, ask), re.search(r"29 Febr|no 29 Febr", reply, flags=re.I)
        if len(ends) == 2 and said:
            first, last = (day(text).toordinal() for text in ends)
            days = [date.fromordinal(number) for number in range(first + 1, last + 1)]
            leaps = [one.year for one in days if (one.month, one.day) == (2, 29)]
            if not leaps:
                assert "no 29 February" in reply.lower().replace("february", "February"), reply
            elif len(leaps) == 1:
                assert f"29 February of {leaps[0]}" in reply, reply
            else:
                assert f"{len(leaps)} 29 Februaries" in reply, reply
            checked += 1
    assert checked > 20


def test_leap_days_in_a_year_are_told_as_they_are() -> None:
    for ask, reply in sample("weekday", 200):
        text, said = re.search(DATE, ask), re.search(r"(\d{4}) has no 29 February", reply)
        if text and said:
            assert day(text[1]).year == int(said[1])
            assert int(said[1]) % 4
        if text and "is contained in the day number" in reply:
            assert day(text[1]).year % 4 == 0
            assert day(text[1]).month > 2


def test_elapsed_time_is_split_at_a_full_hour_that_lies_between() -> None:
    checked = 0
    for _, reply in sample("duration", 200):
        route = re.search(
            r"p to (\d\d):00 it takes (\d+) min, and (?:(\d+) h)? ?(?:(\d+) min)? ?more to", reply
        )
        total = re.search(r"([\d,]+) minutes|in minutes, that(?: is|'s) ([\d,]+)", reply)
        if route and total:
            rest = int(route[3] or 0) * 60 + int(route[4] or 0)
            assert rest > 0
            assert int(route[2]) + rest == number(total[1] or total[2])
            checked += 1
    assert checked > 10


def test_vehicles_and_sites_suit_their_figures() -> None:
    for ask, reply in sample("fuel_use", 200):
        assert not re.search(r"generator|test engine|boat|plough", ask + reply)
    for ask, _ in sample("map_scale", 300):
        site = re.search(
            r"size of an? (\w[\w ]*?) that measures (\d+) mm × (\d+) mm on a 1:([\d,]+)", ask
        )
        if site:
            longest = max(int(site[2]), int(site[3])) * number(site[4]) / 1000
            limit = {"plot": 91, "lot": 91, "yard": 91, "field": 460, "meadow": 460, "quarry": 460}
            assert longest < limit.get(site[1], 23_000), ask


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


@pytest.mark.parametrize(
    ("here", "there", "hour", "day"),
    [
        (-660, 840, 23, "the second day after"),
        (840, -660, 0, "the second day before"),
        (0, 60, 23, "the next day"),
        (60, 0, 0, "the previous day"),
        (0, 60, 12, "the same day"),
    ],
)
def test_days_between_zones(here: int, there: int, hour: int, day: str) -> None:
    class Cities(Draw):
        def row(self, table: str) -> tuple[str, ...]:
            return next(places)

        def integer(self, low: int, high: int) -> int:
            return 12 * hour if high == 287 else 0

    places = cycle([("Here", str(here)), ("There", str(there))])
    turn, *_ = clock.time_zone(Cities(Random(0)))
    assert turn.slots["day"] == day


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
