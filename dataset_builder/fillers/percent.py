"""Percentages: shares, changes, discounts, and bills split to the last cent."""

from personamem.dataset_builder.fillers.draw import Draw, Slots, Turn
from personamem.dataset_builder.fillers.notation import (
    fixed,
    join,
    money,
    plural,
    ratio,
    significant,
)


def percentage(draw: Draw) -> list[Turn]:
    """A percentage of a number, a share, or a change, in any order."""
    forms = draw.shuffled((("of", _part_of), ("share", _share), ("change", _change)))
    return [
        Turn(name, f"{name}_reply", make(draw)) for name, make in forms[: 1 + draw.follow_ups()]
    ]


def discount(draw: Draw) -> list[Turn]:
    """A reduced price, then a second reduction, then the price before a reduction."""
    cents, rate = draw.integer(1_200, 489_000), draw.integer(3, 62)
    slots = _reduce(cents, rate)
    slots["currency"] = draw.word("currency")
    name = draw.pick(("ask", "ask", "amounts"))
    reply = "reply" if name == "ask" else "amounts_reply"
    turns = [Turn(name, reply, slots, "reply_more")]
    extra = draw.follow_ups()
    if extra:
        second = draw.integer(2, 30)
        combined = (100 - rate) * (100 - second)
        # The second reduction starts from the price that was shown, in whole cents.
        reduced = cents - (2 * cents * rate + 100) // 200
        final = reduced - (2 * reduced * second + 100) // 200
        name = draw.pick(("second", "second", "same"))
        turns.append(
            Turn(
                name,
                f"{name}_reply",
                {
                    **slots,
                    "second": str(second),
                    "second_off": money(reduced - final),
                    "second_keep": ratio(100 - second, 100),
                    "second_equals": "≈" if reduced * second % 100 else "=",
                    "combined": ratio(10_000 - combined, 100),
                    "sum": str(rate + second),
                    "factors": f"{ratio(100 - rate, 100)} × {ratio(100 - second, 100)}",
                    "product": ratio(combined, 10_000, 4),
                    "final": money(final),
                },
            )
        )
    if extra == 2:
        paid, rate = draw.integer(900, 90_000), draw.integer(4, 60)
        original = (2 * paid * 100 + 100 - rate) // (2 * (100 - rate))
        turns.append(
            Turn(
                "reverse",
                "reverse_reply",
                {
                    "currency": slots["currency"],
                    "paid": money(paid),
                    "rate": str(rate),
                    "left": str(100 - rate),
                    "keep": ratio(100 - rate, 100),
                    "original": money(original),
                    "equals": "≈" if paid * 100 % (100 - rate) else "=",
                },
            )
        )
    return turns


def bill_split(draw: Draw) -> list[Turn]:
    """An amount shared equally to the cent, then by given parts."""
    cents, people = draw.integer(4_000, 620_000), draw.integer(3, 17)
    share, odd = divmod(cents, people)
    slots = {
        "total": money(cents),
        "people": str(people),
        "currency": draw.word("currency"),
        "share": money(share),
        "more": money(share + 1),
        "odd": str(odd),
        "odd_cents": plural(odd, "cent"),
        "who": f"{plural(odd, 'party pays', 'parties pay')} {money(share + 1)}",
        "others": f"{plural(people - odd, 'party pays', 'parties pay')} {money(share)}",
        "even": str(people - odd),
        "base": money(share * people),
        "cents": f"{cents:,}",
        "bill": draw.word("bill"),
    }
    turns = [Turn("ask", "reply" if odd else "exact_reply", slots)]
    for _ in range(draw.follow_ups()):
        turns.append(_split_by_parts(draw, slots["currency"]))
    return turns


def _split_by_parts(draw: Draw, currency: str) -> Turn:
    names = draw.words("codename", draw.integer(3, 4))
    parts = draw.integers(len(names), 1, 9)
    total, unit = sum(parts), draw.integer(150, 9_900)
    cents = unit * total
    lines = ["| team | parts | amount |", "| --- | ---: | ---: |"]
    lines += [
        f"| {name} | {part} | {money(part * unit)} |"
        for name, part in zip(names, parts, strict=True)
    ]
    lines.append(f"| total | {total} | {money(cents)} |")
    return Turn(
        "parts",
        "parts_reply",
        {
            "total": money(cents),
            "currency": currency,
            "parts": join([f"{name} {part}" for name, part in zip(names, parts, strict=True)]),
            "first": names[0],
            "first_part": str(parts[0]),
            "first_amount": money(parts[0] * unit),
            "sum": str(total),
            "addition": " + ".join(map(str, parts)),
            "unit": money(unit),
            "table": "\n".join(lines),
        },
    )


def _reduce(cents: int, rate: int) -> Slots:
    off = (2 * cents * rate + 100) // 200
    return {
        "price": money(cents),
        "rate": str(rate),
        "left": str(100 - rate),
        "keep": ratio(100 - rate, 100),
        "off": money(off),
        "reduced": money(cents - off),
        "one": ratio(cents, 10_000, 4),
        "tenth": ratio(cents, 1_000, 3),
        "equals": "≈" if cents * rate % 100 else "=",
        "is": "is, to the cent," if cents * rate % 100 else "is",
    }


def _part_of(draw: Draw) -> Slots:
    tenths = draw.integer(12, 989) if draw.chance(0.5) else 10 * draw.integer(2, 97)
    number = draw.integer(40, 19_000)
    return {
        "rate": ratio(tenths, 10, 1),
        "number": f"{number:,}",
        "factor": ratio(tenths, 1000, 3),
        "one": ratio(number, 100),
        "answer": ratio(tenths * number, 1000, 3),
        "rest": ratio((1000 - tenths) * number, 1000, 3),
    }


def _share(draw: Draw) -> Slots:
    whole = draw.integer(60, 7_400)
    part = draw.integer(7, whole - 5)
    return {
        "part": f"{part:,}",
        "whole": f"{whole:,}",
        "quotient": fixed(part, whole, 4),
        "answer": ratio(part * 100, whole),
        "other": ratio((whole - part) * 100, whole),
        "difference": f"{whole - part:,}",
        "mille": ratio(part * 1000, whole, 0),
        "step": significant(100, whole, 2),
        "state": draw.word("state"),
        "things": draw.word("things"),
    }


def _change(draw: Draw) -> Slots:
    old = draw.integer(50, 8_600)
    new = max(20, old * draw.integer(40, 230) // 100 + draw.integer(1, 9))
    difference = new - old
    if not difference:
        new, difference = new + 1, 1
    return {
        "old": f"{old:,}",
        "new": f"{new:,}",
        "difference": f"{abs(difference):,}",
        "rise": "increase" if difference > 0 else "decrease",
        "up": "up" if difference > 0 else "down",
        "more": "higher" if difference > 0 else "lower",
        "answer": ratio(abs(difference) * 100, old),
        "back": ratio(abs(difference) * 100, new),
        "quotient": fixed(abs(difference), old, 4),
        "factor": ratio(new, old, 4),
    }
