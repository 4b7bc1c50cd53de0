"""Made-up inventories, as tables, CSV, JSON, SQL results and spreadsheet cells."""

from collections.abc import Sequence
from dataclasses import dataclass

from personamem.dataset_builder.fillers.draw import Draw, Slots, Turn
from personamem.dataset_builder.fillers.notation import join, ratio

_HEADERS = (("item", "site"), ("part", "site"), ("item", "store"), ("name", "place"))
_PRODUCT_SUM = (
    "multiplies columns C and D row by row and adds the products up",
    "adds up the products of C and D over all rows",
    "forms quantity times mass in each row and sums the results",
)


@dataclass(frozen=True, slots=True)
class Record:
    """One line of an inventory."""

    item: str
    site: str
    quantity: int
    mass: int


def make_records(draw: Draw, number: int) -> list[Record]:
    """Return ``number`` lines of distinct items at two or three sites."""
    sites = draw.words("codename", draw.integer(2, 3))
    return [
        Record(
            item,
            sites[place] if place < 2 else draw.pick(sites),
            draw.integer(2, 980),
            draw.integer(1, 95),
        )
        for place, item in enumerate(draw.words("things", number))
    ]


def markdown(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table; columns of integers are aligned right."""
    rule = ["---:" if isinstance(value, int) else "---" for value in rows[0]]
    lines = [f"| {' | '.join(header)} |", f"| {' | '.join(rule)} |"]
    lines.extend(f"| {' | '.join(map(str, row))} |" for row in rows)
    return "\n".join(lines)


def totals(records: Sequence[Record]) -> dict[str, int]:
    """Return the summed quantity of each site, by name of the site."""
    sums: dict[str, int] = {}
    for record in records:
        sums[record.site] = sums.get(record.site, 0) + record.quantity
    return dict(sorted(sums.items()))


def table(draw: Draw) -> list[Turn]:
    """CSV brought into a Markdown table, sorted, summed and grouped."""
    records = make_records(draw, draw.integer(4, 6))
    slots = _table_slots(draw, records)
    names = draw.shuffled(("sort", "group", "filter"))
    turns = [Turn("ask", "reply", slots)]
    turns.extend(Turn(name, f"{name}_reply", slots) for name in names[: draw.follow_ups()])
    return turns


def spreadsheet(draw: Draw) -> list[Turn]:
    """Spreadsheet formulas over a small grid, with their results."""
    records = make_records(draw, draw.integer(4, 6))
    forms = draw.shuffled((_sum_if, _count_if, _lookup, _weighted))[: 1 + draw.follow_ups()]
    turns = []
    for index, form in enumerate(forms):
        slots = form(draw, records)
        slots["rows"] = str(len(records) + 1)
        slots["grid"] = markdown(
            ("row", "A", "B", "C", "D"),
            [("1", *draw.pick(_HEADERS), "quantity", "mass")]
            + [
                (str(line), record.item, record.site, str(record.quantity), str(record.mass))
                for line, record in enumerate(records, 2)
            ],
        )
        if index:
            turns.append(Turn("again", "again_reply", slots))
        else:
            named = '"' in slots["formula"] and form is not _count_if
            turns.append(Turn("ask", "reply", slots, "reply_more" if named else "reply_more†"))
    return turns


def _table_slots(draw: Draw, records: list[Record]) -> Slots:
    header = ("item", "site", "quantity")
    by_quantity = sorted(records, key=lambda record: -record.quantity)
    sums = totals(records)
    total = sum(sums.values())
    limit = by_quantity[len(records) // 2].quantity
    kept = [record for record in records if record.quantity > limit]
    top = by_quantity[0]
    return {
        "csv": "\n".join(["item,site,quantity"] + [_line(record, ",") for record in records]),
        "table": markdown(header, [(r.item, r.site, r.quantity) for r in records]),
        "ranked": markdown(header, [(r.item, r.site, r.quantity) for r in by_quantity]),
        "grouped": markdown(("site", "quantity"), list(sums.items())),
        "kept": markdown(header, [(r.item, r.site, r.quantity) for r in kept]),
        "kept_number": str(len(kept)),
        "limit": str(limit),
        "number": str(len(records)),
        "addition": " + ".join(str(record.quantity) for record in records),
        "total": str(total),
        "mean": ratio(total, len(records), 1),
        "top": top.item,
        "top_quantity": str(top.quantity),
        "last": by_quantity[-1].item,
        "last_quantity": str(by_quantity[-1].quantity),
        "share": ratio(top.quantity * 100, total, 1),
        "sites": join([f"{quantity} at {site}" for site, quantity in sums.items()]),
    }


def _line(record: Record, separator: str) -> str:
    return separator.join((record.item, record.site, str(record.quantity)))


def _sum_if(draw: Draw, records: list[Record]) -> Slots:
    site = draw.pick(records).site
    hits = [record for record in records if record.site == site]
    end = len(records) + 1
    return {
        "wish": f"the total quantity at {site}",
        "formula": f'=SUMIF(B2:B{end},"{site}",C2:C{end})',
        "answer": str(sum(record.quantity for record in hits)),
        "why": "the matching cells are " + join([str(record.quantity) for record in hits])
        if len(hits) > 1
        else "only one row matches",
        "function": "SUMIF",
        "role": f"tests column B for {site} and adds column C",
    }


def _count_if(draw: Draw, records: list[Record]) -> Slots:
    limit = 50 * draw.integer(1, 12)
    thing = draw.pick(("rows", "items", "lines"))
    hits = [record.item for record in records if record.quantity > limit]
    return {
        "wish": f"the number of {thing} with a quantity above {limit}",
        "formula": f'=COUNTIF(C2:C{len(records) + 1},">{limit}")',
        "answer": str(len(hits)),
        "why": f"the hits are {join(hits)}"
        if len(hits) > 1
        else f"the only hit is {hits[0]}"
        if hits
        else "no row passes",
        "function": "COUNTIF",
        "role": f"counts the cells of column C above {limit}",
    }


def _lookup(draw: Draw, records: list[Record]) -> Slots:
    place = draw.integer(0, len(records) - 1)
    end = len(records) + 1
    return {
        "wish": f"the mass entered for {records[place].item}",
        "formula": f'=INDEX(D2:D{end},MATCH("{records[place].item}",A2:A{end},0))',
        "answer": str(records[place].mass),
        "why": f"{records[place].item} stands in row {place + 2}",
        "function": "INDEX with MATCH",
        "role": f"finds {records[place].item} in column A and reads column D",
    }


def _weighted(draw: Draw, records: list[Record]) -> Slots:
    end = len(records) + 1
    total = sum(record.quantity * record.mass for record in records)
    return {
        "wish": draw.pick(("the sum of quantity times mass", "the total mass of all pieces")),
        "formula": f"=SUMPRODUCT(C2:C{end},D2:D{end})",
        "answer": str(total),
        "why": "that is " + " + ".join(f"{r.quantity}×{r.mass}" for r in records),
        "function": "SUMPRODUCT",
        "role": draw.pick(_PRODUCT_SUM),
    }
