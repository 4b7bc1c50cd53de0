"""Lists of numbers: statistics, sequences, sorting and removing duplicates."""

from itertools import pairwise
from math import sqrt

from personamem.dataset_builder.fillers.draw import Draw, Slots, Turn, series, themes
from personamem.dataset_builder.fillers.notation import decimal, join, ratio


def statistics(draw: Draw) -> list[Turn]:
    """Mean, median, range and standard deviation of a short list."""
    return themes(draw, "mean", "compare", "summary", "spread", "variance", make=_summary)


def sequences(draw: Draw) -> list[Turn]:
    """The rule, next terms and sums of arithmetic, geometric and recursive sequences."""
    return series(draw, _sequence)


def lists(draw: Draw) -> list[Turn]:
    """Sort a list of words or numbers and drop its duplicates."""
    name = draw.pick(("numbers", "even"))
    forms = draw.shuffled((("words", _words), (name, _numbers), ("text", _text_order)))
    return [
        Turn(name, f"{name}_reply", make(draw)) for name, make in forms[: 1 + draw.follow_ups()]
    ]


def _summary(draw: Draw) -> Slots:
    size = draw.integer(5, 10)
    low = draw.integer(3, 400)
    values = draw.integers(size, low, low + draw.integer(12, 140))
    ranked = sorted(values)
    total, half = sum(values), size // 2
    squares = sum(value * value for value in values)
    spread = squares * size - total * total
    if size % 2:
        median, middle = str(ranked[half]), f"number {half + 1} of {size}"
    else:
        median = ratio(ranked[half - 1] + ranked[half], 2, 1)
        middle = f"({ranked[half - 1]} + {ranked[half]}) / 2"
    # A further, largest value moves the median up by half a place.
    lifted = ratio(ranked[half] + ranked[half + 1], 2, 1) if size % 2 else str(ranked[half])
    same = 2 * total == size * (ranked[half] + ranked[half - 1 + size % 2])
    return {
        "shift": f"stay at {median}" if lifted == median else f"only move to {lifted}",
        "differ": "No" if same else "Yes",
        "verdict": "the two agree" if same else "the two differ",
        "values": ", ".join(map(str, values)),
        "ranked": ", ".join(map(str, ranked)),
        "addition": " + ".join(map(str, values)),
        "size": str(size),
        "less": str(size - 1),
        "total": f"{total:,}",
        "mean": ratio(total, size),
        "median": median,
        "middle": middle,
        "low": str(ranked[0]),
        "high": str(ranked[-1]),
        "range": str(ranked[-1] - ranked[0]),
        "population": decimal(sqrt(spread) / size),
        "sample": decimal(sqrt(spread / (size * (size - 1)))),
        "variance": decimal(spread / (size * size)),
    }


def _sequence(draw: Draw) -> Slots:
    style, first = draw.integer(0, 3), draw.integer(2, 60)
    if style == 0:
        step = draw.pick((-9, -7, -4, 3, 5, 6, 8, 11, 13, 17, 19, 24))
        start = first + (200 if step < 0 else 0)
        terms = [start + step * index for index in range(12)]
        rule = f"{'add' if step > 0 else 'subtract'} {abs(step)} each time"
        formula = f"a(n) = {start} {'+' if step > 0 else '-'} {abs(step)}·(n - 1)"
    elif style == 1:
        factor, start = draw.integer(2, 4), draw.integer(1, 19)
        terms = [start * factor**index for index in range(12)]
        rule, formula = f"multiply by {factor} each time", f"a(n) = {start} · {factor}^(n - 1)"
    elif style == 2:
        terms = [draw.integer(1, 12), first]
        while len(terms) < 12:
            terms.append(terms[-1] + terms[-2])
        rule, formula = (
            draw.pick(("each term is the sum of the two before", "add the last two terms")),
            "a(n) = a(n - 1) + a(n - 2)",
        )
    else:
        bend, shift = draw.integer(1, 5), draw.integer(1, 40)
        terms = [bend * index * index + shift for index in range(1, 13)]
        rule = f"the differences grow by {2 * bend}"
        formula = f"a(n) = {bend}n² + {shift}"
    shown = draw.integer(5, 6)
    pairs = list(pairwise(terms[:shown]))
    nth = draw.integer(9, 12)
    return {
        "terms": ", ".join(map(str, terms[:shown])),
        "next": ", ".join(map(str, terms[shown : shown + 3])),
        "rule": rule,
        "formula": formula,
        "nth": str(nth),
        "value": f"{terms[nth - 1]:,}",
        "shown": str(shown),
        "sum": f"{sum(terms[:shown]):,}",
        "ten": f"{sum(terms[:10]):,}",
        "clue": "the quotients" if style == 1 else "the differences",
        "gaps": ", ".join(
            str(after // before if style == 1 else after - before) for before, after in pairs
        ),
    }


def _words(draw: Draw) -> Slots:
    words = draw.words("things", draw.integer(5, 9))
    doubled = draw.shuffled(words + draw.shuffled(words)[: draw.integer(1, 3)])
    unique = list(dict.fromkeys(doubled))
    ranked = sorted(unique)
    length = max(map(len, ranked))
    longest = [word for word in ranked if len(word) == length]
    lost = len(doubled) - len(unique)
    return {
        "items": ", ".join(doubled),
        "lines": "\n".join(doubled),
        "sorted": ", ".join(ranked),
        "sorted_lines": "\n".join(f"{rank}. {word}" for rank, word in enumerate(ranked, 1)),
        "unique": ", ".join(unique),
        "number": str(len(doubled)),
        "left": str(len(unique)),
        "lost": "one duplicate" if lost == 1 else f"{lost} duplicates",
        "twice": join([word for word in unique if doubled.count(word) > 1]),
        "repeated": "the repeated entry is" if lost == 1 else "the repeated entries are",
        "were": "was" if lost == 1 else "were",
        "first": ranked[0],
        "last": ranked[-1],
        "longest": f"the longest is {longest[0]} ({length} letters)"
        if len(longest) == 1
        else f"the longest are {join(longest)} ({length} letters each)",
        "reverse": ", ".join(reversed(ranked)),
    }


def _numbers(draw: Draw) -> Slots:
    values = draw.integers(2, 12, 99) + draw.integers(draw.integer(4, 8), 101, 9_800)
    doubled = draw.shuffled(values + [draw.pick(values) for _ in range(draw.integer(1, 2))])
    unique = sorted(set(doubled))
    even = [value for value in unique if value % 2 == 0]
    return {
        "items": ", ".join(map(str, doubled)),
        "sorted": ", ".join(map(str, unique)),
        "reverse": ", ".join(map(str, reversed(unique))),
        "number": str(len(doubled)),
        "left": str(len(unique)),
        "low": str(unique[0]),
        "high": str(unique[-1]),
        "even": ", ".join(map(str, even)) or "none",
        "even_number": str(len(even)),
    }


def _text_order(draw: Draw) -> Slots:
    # A long number with a small first digit, so that the two orders are sure to differ.
    late, early = draw.integer(50, 99), draw.integer(101, 499)
    values = [late, early, draw.integer(12, 99), *draw.integers(draw.integer(3, 6), 101, 9_800)]
    values = draw.shuffled([*values, *(draw.pick(values) for _ in range(draw.integer(0, 2)))])
    return {
        "items": ", ".join(map(str, values)),
        "sorted": ", ".join(map(str, sorted(values))),
        "text": ", ".join(sorted(map(str, values))),
        "early": str(early),
        "late": str(late),
        "early_digit": str(early)[0],
        "late_digit": str(late)[0],
        "number": str(len(values)),
    }
