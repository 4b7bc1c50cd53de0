"""Calendar sums in the Gregorian calendar."""

from datetime import date, timedelta

from personamem.dataset_builder.core.calendar_words import MONTHS, WEEKDAYS
from personamem.dataset_builder.fillers.draw import Draw, Slots, Turn, series
from personamem.dataset_builder.fillers.notation import plural

_BY_YEAR = ("split by year", "year by year", "taking each year by itself")
_BY_NUMBER = ("by day numbers", "counting from 1 January", "by the day of the year")
_FIRST_DAY = date(1931, 1, 1).toordinal()
_LAST_DAY = date(2068, 12, 31).toordinal()


def days_between(draw: Draw) -> list[Turn]:
    """The number of days between two dates."""
    turns = series(draw, _span)
    name = draw.pick(("ask", "ask", "ask", "ask", "both", "weeks"))
    if name != "ask":
        turns[0] = Turn(name, f"{name}_reply", turns[0].slots, "reply_more†")
    return turns


def weekday(draw: Draw) -> list[Turn]:
    """The weekday of a date."""
    return series(draw, _weekday)


def working_days(draw: Draw) -> list[Turn]:
    """The date some working days (Monday to Friday) after another."""
    return series(draw, _working)


def iso_week(draw: Draw) -> list[Turn]:
    """The ISO 8601 week of a date, and leap years."""
    turns = [Turn("ask", "reply", _iso(draw))]
    for _ in range(draw.follow_ups()):
        if draw.chance(0.5):
            turns.append(Turn("again", "again_reply", _iso(draw)))
        else:
            turns.append(_leap(draw))
    return turns


def write_date(day: date, style: int) -> str:
    """Return ``day`` in one of four notations (0 to 3)."""
    if style == 0:
        return day.isoformat()
    if style == 1:
        return f"{day.day} {MONTHS[day.month - 1]} {day.year}"
    if style == 2:
        return f"{MONTHS[day.month - 1]} {day.day}, {day.year}"
    return f"{day.day} {MONTHS[day.month - 1][:3]} {day.year}"


def _day(draw: Draw) -> date:
    return date.fromordinal(draw.integer(_FIRST_DAY, _LAST_DAY))


def _span(draw: Draw) -> Slots:
    start = _day(draw)
    end = start + timedelta(days=draw.integer(12, 1_400))
    style = draw.integer(0, 3)
    days = (end - start).days
    weeks, rest = divmod(days, 7)
    year_end = date(start.year, 12, 31)
    if end.year > start.year:
        years = [f"{(year_end - start).days} left in {start.year}"]
        years += [
            f"{366 if _is_leap(year) else 365} in {year}"
            for year in range(start.year + 1, end.year)
        ]
        years.append(f"{end.timetuple().tm_yday} in {end.year}")
        pieces, route = " + ".join(years), draw.pick(_BY_YEAR)
    else:
        first, last = start.timetuple().tm_yday, end.timetuple().tm_yday
        pieces, route = f"day {last} minus day {first} of {start.year}", draw.pick(_BY_NUMBER)
    leaps = _leap_days(start, end)
    start_day, end_day = WEEKDAYS[start.weekday()], WEEKDAYS[end.weekday()]
    return {
        "start": write_date(start, style),
        "end": write_date(end, style),
        "days": f"{days:,}",
        "both": f"{days + 1:,}",
        "weeks": str(weeks),
        "weeks_text": plural(weeks, "full week"),
        "rest": str(rest),
        "rest_days": plural(rest, "day"),
        "pieces": pieces,
        "route": route,
        "lead": "lead" if weeks > 1 or rest else "leads",
        "leap_days": f"{plural(len(leaps), '29 February', '29 Februaries')} lie within it"
        if len(leaps) > 1
        else f"the 29 February of {leaps[0]} is one of the days"
        if leaps
        else "no 29 February lies within it",
        "in_weeks": _weeks(weeks, rest),
        "beyond": f"{end_day} is {plural(rest, 'day')} after {start_day}"
        if rest
        else f"both dates fall on a {end_day}",
        "start_day": start_day,
        "end_day": end_day,
    }


def _leap_days(start: date, end: date) -> list[int]:
    """Return the years whose 29 February lies after ``start`` and not after ``end``."""
    years = range(start.year, end.year + 1)
    return [year for year in years if _is_leap(year) and start < date(year, 2, 29) <= end]


def _weeks(weeks: int, rest: int) -> str:
    whole = plural(weeks, "full week")
    return f"{whole} and {plural(rest, 'day')}" if rest else f"exactly {whole}"


def _weekday(draw: Draw) -> Slots:
    day = _day(draw)
    while (day.month, day.day) == (2, 29):  # the next year has no such day
        day = _day(draw)
    number = day.timetuple().tm_yday
    next_day = day.replace(year=day.year + 1)
    leap_note = (
        f"{day.year} has no 29 February"
        if not _is_leap(day.year)
        else f"the 29 February of {day.year} is contained in the day number, {number}"
        if day.month > 2
        else f"the 29 February of {day.year} comes after the date and plays no part"
    )
    new_year = date(day.year, 1, 1)
    weeks, rest = divmod(number - 1, 7)
    style = draw.integer(0, 3)
    return {
        "date": write_date(day, style),
        "weekday": WEEKDAYS[day.weekday()],
        "number": str(number),
        "before": str(number - 1),
        "weeks": str(weeks),
        "weeks_text": plural(weeks, "full week"),
        "rest": str(rest),
        "rest_days": plural(rest, "day"),
        "new_year": WEEKDAYS[new_year.weekday()],
        "year": str(day.year),
        "next_year": str(day.year + 1),
        "in_weeks": _weeks(weeks, rest) if number > 1 else "no time at all",
        "step": f"counting {plural(rest, 'day')} on from {WEEKDAYS[new_year.weekday()]} gives "
        f"{WEEKDAYS[day.weekday()]}"
        if rest
        else f"with no remainder the weekday is {WEEKDAYS[day.weekday()]} again",
        "leap_note": leap_note,
        "next_date": write_date(next_day, style),
        "next": WEEKDAYS[next_day.weekday()],
    }


def _working(draw: Draw) -> Slots:
    start = _day(draw)
    while start.weekday() > 4:
        start += timedelta(days=1)
    weeks, rest = draw.integer(1, 16), draw.integer(1, 4)
    number = 5 * weeks + rest
    middle = start + timedelta(weeks=weeks)
    end, left = middle, rest
    while left:
        end += timedelta(days=1)
        if end.weekday() < 5:
            left -= 1
    style = draw.integer(0, 3)
    return {
        "start": write_date(start, style),
        "start_day": WEEKDAYS[start.weekday()],
        "number": str(number),
        "weeks": str(weeks),
        "weeks_text": plural(weeks, "full week"),
        "lead": "lead" if weeks > 1 else "leads",
        "rest": str(rest),
        "rest_days": plural(rest, "day"),
        "more_days": plural(rest, "more working day"),
        "middle": write_date(middle, style),
        "end": write_date(end, style),
        "end_day": WEEKDAYS[end.weekday()],
        "calendar": str((end - start).days),
        "skipped": str((end - start).days - number),
        "skipped_days": plural((end - start).days - number, "day"),
    }


def _iso(draw: Draw) -> Slots:
    day = _day(draw)
    year, week, number = day.isocalendar()
    monday = day - timedelta(days=number - 1)
    thursday = monday + timedelta(days=3)
    style = draw.integer(0, 3)
    return {
        "date": write_date(day, style),
        "week": str(week),
        "code": f"{year}-W{week:02d}-{number}",
        "iso_year": str(year),
        "weekday": WEEKDAYS[day.weekday()],
        "number": str(number),
        "monday": write_date(monday, style),
        "thursday": write_date(thursday, style),
        "year_note": f"here both are {year}"
        if year == day.year
        else f"here the date is in {day.year} and its week in {year}",
        "sunday": write_date(monday + timedelta(days=6), style),
        "thursday_number": str(thursday.timetuple().tm_yday),
    }


def _leap(draw: Draw) -> Turn:
    # The Gregorian calendar starts in 1582.
    year = draw.integer(1600, 2400) if draw.chance(0.6) else 100 * draw.integer(16, 30)
    if year % 400 == 0:
        verdict, reason = "is a leap year", f"{year} = 400 × {year // 400}"
    elif year % 100 == 0:
        verdict = "is not a leap year"
        reason = f"{year} divides by 100 ({year // 100} times) yet not by 400"
    elif year % 4 == 0:
        verdict = "is a leap year"
        reason = f"{year} = 4 × {year // 4}, and it does not end in 00"
    else:
        verdict, reason = "is not a leap year", f"{year} ÷ 4 leaves {year % 4}"
    slots = {
        "year": str(year),
        "yes": "Yes" if _is_leap(year) else "No",
        "verdict": verdict,
        "reason": reason,
        "days": "366" if _is_leap(year) else "365",
    }
    name = draw.pick(("leap", "leap", "year_length"))
    return Turn(name, f"{name}_reply", slots)


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
