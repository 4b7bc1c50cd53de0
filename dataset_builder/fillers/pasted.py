"""Pasted material: logs, exports, tables and minutes of some hundred lines, and a question on them.

Every answer is computed from what was pasted. The text depends on the random stream alone.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache
from itertools import cycle, product
from pathlib import Path
from random import Random
from typing import Any

from personamem.dataset_builder.core.content_yaml import read_yaml
from personamem.dataset_builder.fillers.draw import Draw
from personamem.loaders.formats.schema import Message

_LINES = (25, 110)
"""The least and the most lines of what is pasted."""

Pasted = tuple[str, Mapping[str, object]]
"""What is pasted, and the values that the question and the answer name."""


@cache
def _content() -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = read_yaml(Path(__file__).with_suffix(".yaml"))
    return loaded


class PastedWriter:
    """Writes exchanges on pasted material; make one instance a context."""

    def __init__(self, random: Random) -> None:
        self._draw = Draw(random)
        self._left: list[str] = []

    def exchange(self, day: date) -> list[Message]:
        """Return a message of the user with something pasted, and the answer, on ``day``."""
        if not self._left:
            self._left = self._draw.sample(_TURN, len(_TURN))
        kind = self._left.pop()
        start = datetime(day.year, day.month, day.day) - timedelta(
            days=self._draw.integer(3, 60), minutes=self._draw.integer(0, 1_439)
        )
        lines = self._draw.integer(*_LINES)
        text, values = _MAKERS[kind](self._draw, start, lines)
        forms = _content()[kind]
        ask = self._draw.pick(forms["ask"]).format(**values)
        reply = self._draw.pick(forms["reply"]).format(**values)
        if self._draw.random() < 0.6:
            reply = f"{reply} {self._draw.pick(forms['more']).format(**values)}"
        return [
            {"role": "user", "content": f"{ask}\n\n{text}"},
            {"role": "assistant", "content": reply[0].upper() + reply[1:]},
        ]


def _words(name: str) -> Sequence[str]:
    words: Sequence[str] = _content()["words"][name]
    return words


def _paste_log(draw: Draw, moment: datetime, lines: int) -> Pasted:
    jobs = draw.sample(_words("jobs"), 5)
    job = jobs[0]
    rows: list[str] = []
    failures: list[str] = []
    others = 0
    for _ in range(lines // 2):
        moment += timedelta(seconds=draw.integer(2, 400))
        name = draw.pick(jobs)
        fails = draw.random() < 0.2 or (name == job and not failures)
        if fails:
            note = f"ERROR {draw.pick(_words('causes'))}"
            others += name != job
        else:
            note = "INFO  " + draw.pick(_words("notes")).format(n=draw.integer(2, 99))
        stamp = moment.isoformat(" ")
        if fails and name == job:
            failures.append(stamp)
        rows.append(f"{stamp} {_tag(draw)} {name}: {note} (host {_tag(draw)})")
    if not failures:
        failures.append(stamp := moment.isoformat(" "))
        rows.append(f"{stamp} {_tag(draw)} {job}: ERROR timeout after 30 s")
    values = {"count": len(failures), "first": failures[0], "last": failures[-1]}
    return "\n".join(rows), {**values, "job": job, "others": others}


def _paste_expenses(draw: Draw, moment: datetime, lines: int) -> Pasted:
    categories = draw.sample(_words("categories"), 6)
    day = moment.date()
    rows = []
    for index in range(lines // 2):
        day += timedelta(days=draw.integer(0, 2))
        category = categories[0] if index < 2 else draw.pick(categories)
        cents = draw.integer(95, 24_990)
        rows.append((day, draw.pick(_words("payees")), category, cents))
    own = [row for row in rows if row[2] == categories[0]]
    top = max(own, key=lambda row: row[3])
    text = "\n".join(
        [
            "date;reference;payee;category;amount",
            *(f"{d};{_tag(draw)};{p};{c};{n / 100:.2f}" for d, p, c, n in rows),
        ]
    )
    return text, {
        "category": categories[0],
        "count": len(own),
        "total": f"{sum(row[3] for row in own) / 100:,.2f}",
        "largest": f"{top[3] / 100:.2f}",
        "payee": top[1],
        "date": top[0],
        "everything": f"{sum(row[3] for row in rows) / 100:,.2f}",
    }


def _paste_readings(draw: Draw, moment: datetime, lines: int) -> Pasted:
    value = draw.uniform(8, 24)
    limit = round(value + draw.uniform(0.5, 3), 1)
    rows = []
    for _ in range(lines):
        moment += timedelta(minutes=draw.pick((10, 15, 20)))
        value += draw.uniform(-0.9, 0.9)
        rows.append((moment, round(value, 1), draw.integer(38, 81)))
    top = max(rows, key=lambda row: row[1])
    low = min(row[1] for row in rows)
    text = "\n".join(
        f"{_stamp(m)} {v:.1f} {h} {draw.integer(1_000, 9_999)} {_tag(draw)}" for m, v, h in rows
    )
    return f"time, temperature, humidity, lux, packet\n{text}", {
        "place": draw.pick(_words("places")),
        "limit": limit,
        "peak": top[1],
        "time": f"{top[0]:%H:%M} on {_write(top[0])}",
        "count": sum(row[1] > limit for row in rows),
        "rows": len(rows),
        "low": low,
        "swing": round(top[1] - low, 1),
    }


def _paste_stock(draw: Draw, _: datetime, lines: int) -> Pasted:
    goods = draw.sample(_words("goods"), min(len(_words("goods")), lines // 3 + 6))
    order = [(f"{draw.integer(2, 60)} x {name}", draw.integer(10_000, 99_999)) for name in goods]
    missing = draw.sample(order, draw.integer(1, 4))
    came = draw.shuffled([item for item in order if item not in missing])
    text = "\n".join(
        [
            "ORDER",
            *(f"{number}  {what}" for what, number in order),
            "",
            "DELIVERED",
            *(f"{what}, art. {number}" for what, number in came),
        ]
    )
    listed = ", ".join(f"{what} ({number})" for what, number in missing)
    return text, {"missing": listed, "ordered": len(order), "delivered": len(came)}


def _paste_minutes(draw: Draw, moment: datetime, lines: int) -> Pasted:
    names = draw.sample(_words("names"), 8)
    day = moment.date()
    pairs = draw.sample(list(product(_words("verbs"), _words("things"))), lines // 5 + 6)
    tasks = [f"{verb} {thing}" for verb, thing in pairs]
    items = cycle(draw.sample(_words("items"), len(_words("items"))))
    rows = [f"Minutes, {_write(day)}. Present: {', '.join(names)}."]
    own = []
    for number, task in enumerate(tasks, start=1):
        if number % 3 == 1:
            votes = draw.integer(0, len(names))
            rows.append(f"{number // 3 + 1}. On {next(items)}: {votes} in favour.")
        name = names[0] if number in (2, 5) else draw.pick(names)
        due = day + timedelta(days=draw.integer(4, 40))
        rows.append(f"   - {task} ({name}, by {_write(due)})")
        if name == names[0]:
            own.append(f"{task} by {_write(due)}")
    following = day + timedelta(days=draw.integer(20, 45))
    rows.append(f"Next meeting: {_write(following)}.")
    return "\n".join(rows), {
        "name": names[0],
        "count": len(own),
        "tasks": "; ".join(own),
        "next": _write(following),
    }


def _paste_rota(draw: Draw, moment: datetime, lines: int) -> Pasted:
    names = draw.sample(_words("names"), draw.integer(5, 8))
    day = moment.date()
    cells = []
    rows = []
    for _ in range(max(7, lines // 3)):
        day += timedelta(days=1)
        on = {shift: draw.pick(names) for shift in _words("shifts")}
        cells += list(on.items())
        shifts = (f"{s} {name} {draw.integer(1_000, 9_999)}" for s, name in on.items())
        rows.append(f"{day:%a %d %b}: {', '.join(shifts)}")
    own = [shift for shift, name in cells if name == names[0]]
    return "\n".join(rows), {
        "name": names[0],
        "count": len(own),
        "nights": own.count("night"),
        "mean": round(len(cells) / len(names), 1),
    }


def _stamp(moment: datetime) -> str:
    # As "%d.%m. %H:%M" would, in a fifth of the time.
    return f"{moment.day:02}.{moment.month:02}. {moment.hour:02}:{moment.minute:02}"


def _tag(draw: Draw) -> str:
    return f"{draw.integer(0, 16**5 - 1):05x}"


def _write(day: date) -> str:
    return f"{day.day} {day:%B}"


_MAKERS: Mapping[str, Callable[[Draw, datetime, int], Pasted]] = {
    "log": _paste_log,
    "expenses": _paste_expenses,
    "readings": _paste_readings,
    "stock": _paste_stock,
    "minutes": _paste_minutes,
    "rota": _paste_rota,
}

_TURN = [*_MAKERS, "readings"]
"""What comes in turn: most numbers of a logger are new, while words of a log come back."""
