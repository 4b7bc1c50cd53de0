"""Text edits, check digits, Morse code and spelling alphabets."""

from datetime import date

from personamem.dataset_builder.core.calendar_words import MONTHS
from personamem.dataset_builder.fillers.content_files import load_words
from personamem.dataset_builder.fillers.draw import Draw, Slots, Turn, series

_MORSE = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        [
            ".-",
            "-...",
            "-.-.",
            "-..",
            ".",
            "..-.",
            "--.",
            "....",
            "..",
            ".---",
            "-.-",
            ".-..",
            "--",
            "-.",
            "---",
            ".--.",
            "--.-",
            ".-.",
            "...",
            "-",
            "..-",
            "...-",
            ".--",
            "-..-",
            "-.--",
            "--..",
            "-----",
            ".----",
            "..---",
            "...--",
            "....-",
            ".....",
            "-....",
            "--...",
            "---..",
            "----.",
        ],
        strict=True,
    )
)
_NATO = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        [
            "Alfa",
            "Bravo",
            "Charlie",
            "Delta",
            "Echo",
            "Foxtrot",
            "Golf",
            "Hotel",
            "India",
            "Juliett",
            "Kilo",
            "Lima",
            "Mike",
            "November",
            "Oscar",
            "Papa",
            "Quebec",
            "Romeo",
            "Sierra",
            "Tango",
            "Uniform",
            "Victor",
            "Whiskey",
            "X-ray",
            "Yankee",
            "Zulu",
            "Zero",
            "One",
            "Two",
            "Three",
            "Four",
            "Five",
            "Six",
            "Seven",
            "Eight",
            "Nine",
        ],
        strict=True,
    )
)


def text_edit(draw: Draw) -> list[Turn]:
    """Names, dates, codes and identifiers brought into another form."""
    dates = draw.pick(("dates", "dates", "us_dates"))
    makers = (("names", _names), (dates, _dates), ("style", _style), ("digits", _style))
    forms = draw.shuffled(makers)[: 1 + draw.follow_ups()]
    return [
        Turn(name, "dates_reply", make(draw), "dates_reply_more†")
        if name == "us_dates"
        else Turn(name, f"{name}_reply", make(draw))
        for name, make in forms
    ]


def checksum(draw: Draw) -> list[Turn]:
    """Check digits: ISBN-13, ISBN-10 and Luhn, on invented digits."""
    turns = []
    for index in range(1 + draw.follow_ups()):
        make = draw.pick((_isbn13, _isbn10, _luhn))
        slots = make(draw)
        turns.append(Turn("again", "again_reply", slots) if index else Turn("ask", "reply", slots))
    return turns


def spelling_alphabet(draw: Draw) -> list[Turn]:
    """A word or code in Morse code and in the NATO spelling alphabet."""
    return series(draw, _spelled)


def _names(draw: Draw) -> Slots:
    people = [(draw.word("given"), draw.word("surname")) for _ in range(draw.integer(3, 6))]
    ranked = sorted(people, key=lambda person: (person[1], person[0]))
    return {
        "lines": "\n".join(f"{given} {surname}" for given, surname in people),
        "row": "; ".join(f"{given} {surname}" for given, surname in people),
        "swapped": "\n".join(f"{surname}, {given}" for given, surname in ranked),
        "initials": ", ".join(f"{given[0]}. {surname}" for given, surname in people),
        "short": ", ".join(given[0] + surname[0] for given, surname in people),
        "logins": ", ".join(f"{given[0]}{surname}".lower() for given, surname in people),
        "capitals": ", ".join(surname.upper() for _, surname in ranked),
        "number": str(len(people)),
    }


def _dates(draw: Draw) -> Slots:
    days = [date.fromordinal(draw.integer(711_000, 745_000)) for _ in range(draw.integer(3, 5))]
    return {
        "european": ", ".join(f"{day.day:02d}.{day.month:02d}.{day.year}" for day in days),
        "iso": "\n".join(day.isoformat() for day in days),
        "iso_row": ", ".join(day.isoformat() for day in days),
        "american": ", ".join(f"{day.month}/{day.day}/{day.year}" for day in days),
        "long": "; ".join(f"{day.day} {MONTHS[day.month - 1]} {day.year}" for day in days),
        "earliest": min(days).isoformat(),
        "latest": max(days).isoformat(),
        "span": f"{(max(days) - min(days)).days:,}",
    }


def _style(draw: Draw) -> Slots:
    words = [draw.pick(load_words("codename")).lower(), *draw.words("state", 1)]
    words += draw.words("things", draw.integer(1, 2))
    # No telephone number in North America starts like this: grouped, it must not be anybody's.
    digits = "".join(map(str, (draw.integer(0, 1), *draw.integers(9, 0, 9))))
    return {
        "title": " ".join(words).title(),
        "plain": " ".join(words),
        "snake": "_".join(words),
        "kebab": "-".join(words),
        "camel": words[0] + "".join(word.capitalize() for word in words[1:]),
        "pascal": "".join(word.capitalize() for word in words),
        "upper": "_".join(words).upper(),
        "number": str(len(words)),
        "length": str(len("_".join(words))),
        "digits": digits,
        "grouped": f"{digits[:3]}-{digits[3:6]}-{digits[6:]}",
        "pairs": " ".join(digits[index : index + 2] for index in range(0, 10, 2)),
    }


def _isbn13(draw: Draw) -> Slots:
    digits = [9, 7, draw.pick((8, 9)), *draw.integers(9, 0, 9)]
    products = [digit * (3 if index % 2 else 1) for index, digit in enumerate(digits)]
    total = sum(products)
    check = -total % 10
    return _checked("ISBN-13", digits, str(check), products, total) | {
        "weights": "1 and 3 in turn",
        "rest": _complement(total, 10, str(check)),
    }


def _isbn10(draw: Draw) -> Slots:
    digits = draw.integers(9, 0, 9)
    products = [digit * (10 - index) for index, digit in enumerate(digits)]
    total = sum(products)
    value = -total % 11
    check = "X" if value == 10 else str(value)
    return _checked("ISBN-10", digits, check, products, total) | {
        "weights": "10 down to 2",
        "rest": _complement(total, 11, check),
    }


def _luhn(draw: Draw) -> Slots:
    digits = draw.integers(draw.integer(8, 12), 0, 9)
    digits[0] = draw.integer(1, 9)
    products = [
        digit * 2 - 9 * (digit > 4) if index % 2 == 0 else digit
        for index, digit in enumerate(reversed(digits))
    ]
    products.reverse()
    total = sum(products)
    check = -total % 10
    return _checked("Luhn", digits, str(check), products, total) | {
        "weights": "2 and 1 in turn from the right, less 9 where a product exceeds 9",
        "rest": _complement(total, 10, str(check)),
    }


def _complement(total: int, base: int, check: str) -> str:
    """Return how the check digit fills the weighted sum up to a multiple of ``base``."""
    rest = total % base
    if not rest:
        return f"{total} mod {base} is 0 already"
    return f"{total} mod {base} = {rest}, and {base} - {rest} = {check}".replace(
        "= X", "= 10, written X"
    )


def _checked(scheme: str, digits: list[int], check: str, products: list[int], total: int) -> Slots:
    plain = "".join(map(str, digits))
    return {
        "scheme": scheme,
        "digits": plain,
        "check": check,
        "full": plain + check,
        "sum": " + ".join(map(str, products)),
        "total": str(total),
        "number": str(len(digits)),
    }


def _spelled(draw: Draw) -> Slots:
    word = draw.word("codename").upper()
    code = f"{word}{draw.integer(10, 99)}" if draw.chance(0.6) else word
    if draw.chance(0.3):
        code = draw.word("things").upper()
    marks = [_MORSE[sign] for sign in code]
    return {
        "code": code,
        "morse": " ".join(marks),
        "nato": " ".join(_NATO[sign] for sign in code),
        "lines": "\n".join(f"{sign}  {_NATO[sign]}  {_MORSE[sign]}" for sign in code),
        "length": str(len(code)),
        "dots": str(sum(mark.count(".") for mark in marks)),
        "dashes": str(sum(mark.count("-") for mark in marks)),
        "first": f"{code[0]} ({_NATO[code[0]]}, {_MORSE[code[0]]})",
        "last": f"{code[-1]} ({_NATO[code[-1]]}, {_MORSE[code[-1]]})",
        "reverse": code[::-1],
    }
