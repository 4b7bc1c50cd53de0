"""Slots: names, days, amounts and places, drawn anew for each life."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from random import Random

from personamem.dataset_builder.core.calendar_words import MONTHS, WEEKDAYS
from personamem.dataset_builder.core.homes import list_homes
from personamem.dataset_builder.core.people import (
    Contact,
    list_acquaintances,
    name_tables,
    people_tables,
)
from personamem.dataset_builder.families.personamem.lives.sexes import find_sex

CURRENCIES: Mapping[str, tuple[str, float]] = {
    **dict.fromkeys(("the United States", "Ecuador"), ("${}", 1)),
    **dict.fromkeys(
        ("Germany", "France", "Italy", "the Netherlands", "Spain", "Portugal", "Belgium"),
        ("€{}", 1),
    ),
    "Austria": ("€{}", 1),
    "the United Kingdom": ("£{}", 0.8),
    "Canada": ("C${}", 1.3),
    "Australia": ("A${}", 1.5),
    "New Zealand": ("NZ${}", 1.6),
    "Poland": ("{} zł", 4),
    "Sweden": ("{} kr", 10),
    "Mexico": ("{} pesos", 18),
    "Brazil": ("R${}", 5),
    "Colombia": ("{} pesos", 4_000),
    "Chile": ("{} pesos", 900),
    "Argentina": ("{} pesos", 900),
    "Nigeria": ("₦{}", 800),
    "South Africa": ("R{}", 18),
    "Ghana": ("GH₵{}", 12),
    "Kenya": ("KSh {}", 130),
    "Namibia": ("N${}", 18),
    "Zambia": ("K{}", 20),
    "India": ("₹{}", 80),
    "Indonesia": ("Rp{}", 15_000),
    "the Philippines": ("₱{}", 55),
    "Malaysia": ("RM{}", 4.5),
    "Thailand": ("฿{}", 35),
    "Turkey": ("₺{}", 30),
    "Jordan": ("JD {}", 0.7),
    "Israel": ("₪{}", 3.7),
    "Lebanon": ("${}", 1),
    "Oman": ("OMR {}", 0.4),
}
"""How an amount is written in a country, and how many units stand for one of the content's."""

_SMALL = 10
"""Units below which an amount has cents."""

_MONTH_STEPS = {"month": 0, "last_month": -1, "next_month": 1}
"""How far from the month of the session a month lies."""

NAME_SLOTS = ("first_name", "other_name")
UNKNOWN = {
    **dict.fromkeys(NAME_SLOTS, "[Name]"),
    "weekday": "[day]",
    "time": "[time]",
    "street": "[street]",
}
"""What an assistant writes where a letter needs what nobody told it."""

_NEAR_DATE = re.compile(r"\{day\} (?:of )?\{month\}")
_ANY_DATE = re.compile(r"\{day\} (?:of )?\{(?:last_|next_)?month\}")
_PAST = re.compile(
    r"\b(?:sent|since|was|were|had|did|bought|ordered|arrived|delivered|paid|came|got|took|gave|went"
    r"|dated|posted|lent|borrowed|started|signed|booked)\b[^.!?]{0,40}\Z",
    re.IGNORECASE,
)
_PAST_MONTH = re.compile(
    r"\bsince \{month\}|(?<!to )\b(?:changed|switched|stopped|started|gave|gone|went|took|had|did"
    r"|done)\b[^.!?{]{0,60}\bin \{month\}",
    re.IGNORECASE,
)
"""A month that is over: nobody says "since March" on the fourth of March."""
_NEAR = (3, 12)
"""Days by which a date of this month lies before or after the session."""

_SLOT = re.compile(r"\{([A-Za-z_]+)(?::(\d+))?\}")
_TITLE = re.compile(
    r"\b(?:mr|mrs|ms|dr|herr|frau|signor|signora|señor|señora)\.? \Z", re.IGNORECASE
)
_RANGE = re.compile(r"\{day\} (to|until|till|-) \{day\}")
_STARTING = re.compile(r"(?:\A|[.!?]\s+|\n\s*)[\"\u201c]?\Z")
_EITHER = re.compile(r"\[([^\[\]|]*)\|([^\[\]|]*)\]")


class SlotFiller:
    """Fills the slots of one exchange: a slot has one value in all its texts."""

    def __init__(
        self,
        country: str,
        day: date,
        random: Random,
        contact: Contact | None = None,
        at_work: bool = False,
        texts: Sequence[str] = (),
    ) -> None:
        """``country`` decides how amounts read; an empty one leaves them without a sign.

        People whom the texts name in passing have names of that country, and of the sex of which
        ``texts``, all that are to be filled, speak. ``at_work`` keeps off weekends.
        """
        self._country, self.day, self._random = country, day, random
        self._at_work, self._texts = at_work, tuple(texts)
        self._home = list_homes().get(country)
        self._values: dict[str, str] = _describe_contact(contact) if contact else {}
        self._level: float | None = None

    def fill(self, text: str) -> str:
        """Return ``text`` with its slots filled and its alternatives decided."""
        if "[" in text:
            text = _EITHER.sub(lambda match: match[1 + int(self._random.random() * 2)], text)
        if "{" not in text:
            return text
        if "{month}" in text and "month" not in self._values and _PAST_MONTH.search(text):
            self._values["month"] = self._draw("last_month", 0)
        if "{day}" in text:
            # First, since the second day of a range is no date of its own.
            text = _RANGE.sub(r"{day} \1 {last_day}", text)
            text = _NEAR_DATE.sub(self._write_near_date, text)
        return _SLOT.sub(self._replace, text)

    def answer(self, text: str) -> str:
        """Return a text of an assistant, who knows no names and days but those it was told."""
        if "{day}" in text and "day" not in self._values and "near" not in self._values:
            text = _ANY_DATE.sub("[date]", text)
        for name, unknown in UNKNOWN.items():
            if name not in self._values:
                text = text.replace(f"{{{name}}}", unknown)
        return self.fill(text)

    def _write_near_date(self, match: re.Match[str]) -> str:
        """Return a date that lies behind where the words before it say so, or else ahead."""
        if "near" not in self._values:
            days = self._random.randint(*_NEAR)
            is_past = _PAST.search(match.string[: match.start()])
            self._values["near"] = write_date(self.day + timedelta(days=-days if is_past else days))
        return self._values["near"]

    def _replace(self, match: re.Match[str]) -> str:
        before = match.string[: match.start()]
        if match[1] in NAME_SLOTS and _TITLE.search(before):
            self._values.setdefault(match[1], self._draw_last_name())
        value = self._value(match[0], match[1], match[2])
        return value[0].upper() + value[1:] if _STARTING.search(before) else value

    def _value(self, slot: str, name: str, number: str | None) -> str:
        key = slot if number else name
        if key not in self._values:
            self._values[key] = self._draw(name, int(number or 20))
        return self._values[key]

    def _draw(self, name: str, number: int) -> str:
        random = self._random
        if name == "price":
            # One level for all amounts of an exchange, since some are sums of others.
            if self._level is None:
                self._level = random.uniform(0.85, 1.2)
            return write_amount(number * self._level, self._country)
        if name == "number":
            return str(max(2, number + random.randint(-max(1, number // 8), max(1, number // 8))))
        if name in ("first_name", "other_name"):
            taken = set(self._values.values())
            names: Sequence[str] = list(list_acquaintances())
            if self._home:
                names = self._home.names.list_others(find_sex(self._texts, name))
            free = [n for n in names if n not in taken]
            return str(random.choice(free))
        if name in ("they", "them", "their"):  # Of somebody with a drawn name.
            return name
        if name == "street":
            streets = people_tables()["local_streets"]
            return str(random.choice(streets.get(self._country) or streets[""]))
        if name in _MONTH_STEPS:
            step = _MONTH_STEPS[name]
            return MONTHS[(self.day.month - 1 + step) % len(MONTHS)]
        if name == "weekday":
            days = WEEKDAYS[:5] if self._at_work else WEEKDAYS
            return random.choice([name for name in days if name != f"{self.day:%A}"])
        if name == "day":
            return str(random.randint(4, 20))
        if name == "last_day":
            return str(int(self._value("day", "day", None)) + random.randint(2, 8))
        if name == "time":
            return f"{random.randint(16, 19)}:{random.choice(('00', '15', '30', '45'))}"
        raise KeyError(f"no value for the slot {name!r}")

    def _draw_last_name(self) -> str:
        if self._home:
            return self._random.choice(self._home.names.last)
        tables = name_tables().values()
        return self._random.choice([name for table in tables for name in table["last"]])


def _describe_contact(contact: Contact) -> dict[str, str]:
    she = contact.sex == "she"
    them, their = ("her", "her") if she else ("him", "his")
    return {
        "who": contact.phrase,
        "Who": contact.phrase[0].upper() + contact.phrase[1:],
        "name": contact.name,
        "they": contact.sex,
        "They": contact.sex.capitalize(),
        "them": them,
        "their": their,
        "Their": their.capitalize(),
    }


def write_amount(value: float, country: str) -> str:
    """Return about ``value`` of the content's units in the currency of a country."""
    form, factor = CURRENCIES.get(country, ("{}", 1)) if country else ("{}", 1)
    amount = value * factor
    step = 1
    while amount / step >= 100:
        step *= 10
    if amount / step >= 20 and step > 1:
        step //= 2
    if amount < _SMALL:
        return form.format(f"{max(0.5, round(amount * 2) / 2):.2f}".removesuffix(".00"))
    return form.format(f"{round(amount / step) * step:,}")


def write_date(day: date) -> str:
    """Return a day as people name it: "14 March"."""
    return f"{day.day} {MONTHS[day.month - 1]}"
