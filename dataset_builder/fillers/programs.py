"""Small questions on Python, SQL, the shell, regular expressions and JSON; results are computed."""

import json
import re

from personamem.dataset_builder.fillers.draw import Draw, Slots, Turn, themes
from personamem.dataset_builder.fillers.notation import join, ratio
from personamem.dataset_builder.fillers.program_notes import (
    CAPITALS,
    GREP,
    GROUPING,
    LIMITING,
    REVERSE,
    SORT,
    UNIQ,
    WITH,
    ZIP,
    ZIP_EVEN,
)
from personamem.dataset_builder.fillers.records import Record, make_records, markdown, totals


def python_code(draw: Draw) -> list[Turn]:
    """What a Python snippet prints, or how to write one."""
    return themes(draw, "read", "write", make=_snippet)


def sql(draw: Draw) -> list[Turn]:
    """A query over a small table, and the rows that it returns."""
    return themes(draw, "write", "read", make=_query)


def shell(draw: Draw) -> list[Turn]:
    """A pipeline over a few lines of text, and its output."""
    turns = themes(draw, "write", "read", make=_pipeline)
    return [turn if "sort" in turn.slots["command"] else _narrow(turn) for turn in turns]


def regex(draw: Draw) -> list[Turn]:
    """A regular expression, and which samples it matches."""
    turns = themes(draw, "test", "wanted", make=_pattern)
    return [
        _narrow(turn) if turn.slots["number"] in ("0", turn.slots["all"]) else turn
        for turn in turns
    ]


def json_data(draw: Draw) -> list[Turn]:
    """Rows as JSON, paths into it, and a compact form."""
    turns = []
    for index in range(1 + draw.follow_ups()):
        group = "path" if draw.chance(0.5) else "again" if index else "ask"
        turns.append(Turn(group, "reply" if group == "ask" else f"{group}_reply", _json(draw)))
    return turns


def _narrow(turn: Turn) -> Turn:
    """Return the problem with those further explanations alone that always hold."""
    return Turn(turn.ask, turn.reply, turn.slots, f"{turn.reply}_more†")


def _snippet(draw: Draw) -> Slots:
    name = draw.word("codename").lower()
    values = draw.integers(draw.integer(5, 8), 2, 99)
    words = draw.words("things", draw.integer(3, 5))
    style = draw.integer(0, 7)
    if style == 0:
        limit = draw.integer(20, 70)
        goal = f"keep the values above {limit} and square them"
        code = f"{name} = {values}\nprint([x * x for x in {name} if x > {limit}])"
        output = str([x * x for x in values if x > limit])
        why = f"the filter x > {limit} runs before x * x"
    elif style == 1:
        goal = "sort the strings by length, then alphabetically"
        code = f"{name} = {words}\nprint(sorted({name}, key=lambda w: (len(w), w)))"
        output = str(sorted(words, key=lambda word: (len(word), word)))
        why = "the key is a pair, of which the length is compared first"
    elif style == 2:
        step = draw.integer(2, 3)
        ordinal = "second" if step == 2 else "third"
        goal = f"take every {ordinal} element of the reversed list"
        code = f"{name} = {values}\nprint({name}[::-1][::{step}])"
        output = str(values[::-1][::step])
        why = f"[::-1] reverses the list before [::{step}] picks every {ordinal} element"
    elif style == 3:
        goal = "map each string to its length"
        code = f"{name} = {words}\nprint({{w: len(w) for w in {name}}})"
        output = str({word: len(word) for word in words})
        why = "the comprehension makes one pair for each string, in the order of the list"
    elif style == 4:
        divisor = draw.integer(3, 9)
        goal = f"add up the remainders after division by {divisor}"
        code = f"{name} = {values}\nprint(sum(x % {divisor} for x in {name}))"
        output = str(sum(x % divisor for x in values))
        why = f"the remainders are {' + '.join(str(x % divisor) for x in values)}"
    elif style == 5:
        goal = "join the first three letters of the strings and count the characters"
        code = f'{name} = {words}\ntext = "-".join(w[:3] for w in {name})\nprint(text, len(text))'
        text = "-".join(word[:3] for word in words)
        output = f"{text} {len(text)}"
        why = f"the {len(words)} pieces are joined by {len(words) - 1} hyphens"
    elif style == 6:
        goal = "turn the list into running totals"
        code = (
            f"{name} = {values}\ntotal, out = 0, []\nfor x in {name}:\n"
            "    total += x\n    out.append(total)\nprint(out)"
        )
        output = str([sum(values[: index + 1]) for index in range(len(values))])
        why = "total is updated before it is appended"
    else:
        goal = f"pair the strings with the numbers {values[:3]}"
        code = f"{name} = {words}\nprint(list(zip({name}, {values[:3]})))"
        output = str(list(zip(words, values[:3], strict=False)))
        why = draw.pick(ZIP if len(words) > 3 else ZIP_EVEN)
    return {
        "goal": goal,
        "name": name,
        "code": f"```python\n{code}\n```",
        "data": f"```python\n{code.partition(chr(10))[0]}\n```",
        "output": output,
        "why": why,
        "lines": str(code.count("\n") + 1),
    }


def _query(draw: Draw) -> Slots:
    records = make_records(draw, draw.integer(4, 6))
    name = draw.word("codename").lower()
    style = draw.integer(0, 3)
    if style == 0:
        alias = draw.pick(("total", "pieces", "quantity_sum", "stock"))
        goal = draw.pick(("the summed quantity of each site", "the total quantity per site"))
        query = f"SELECT site, SUM(quantity) AS {alias}\nFROM {name}\nGROUP BY site\nORDER BY site;"
        rows: list[tuple[str, object]] = list(totals(records).items())
        header, why = ("site", alias), draw.pick(GROUPING)
    elif style == 1:
        limit = draw.integer(100, 600)
        goal = f"all items with a quantity above {limit}, largest first"
        query = (
            f"SELECT item, quantity\nFROM {name}\nWHERE quantity > {limit}\n"
            "ORDER BY quantity DESC, item;"
        )
        kept = [record for record in records if record.quantity > limit]
        kept.sort(key=lambda record: (-record.quantity, record.item))
        rows = [(record.item, record.quantity) for record in kept]
        header, why = ("item", "quantity"), f"WHERE drops all rows up to {limit} before the sort"
    elif style == 2:
        alias = draw.pick(("items", "entries", "item_count", "number"))
        goal = f"{draw.pick(('the number of', 'a count of the'))} items at each site"
        query = f"SELECT site, COUNT(*) AS {alias}\nFROM {name}\nGROUP BY site\nORDER BY site;"
        sites = [record.site for record in records]
        rows = [(site, sites.count(site)) for site in sorted(set(sites))]
        header, why = ("site", alias), "COUNT(*) counts rows, not single pieces"
    else:
        goal = "the two items with the least mass"
        query = f"SELECT item, mass\nFROM {name}\nORDER BY mass, item\nLIMIT 2;"
        light = sorted(records, key=lambda record: (record.mass, record.item))[:2]
        rows = [(record.item, record.mass) for record in light]
        header, why = ("item", "mass"), draw.pick(LIMITING)
    return {
        "name": name,
        "goal": goal,
        "query": f"```sql\n{query}\n```",
        "rows": _inventory(records),
        "result": markdown(header, rows) if rows else "(no rows)",
        "found": f"{len(rows)} row{'s' * (len(rows) != 1)}",
        "number": str(len(records)),
        "why": why,
        "columns": " and ".join(header),
    }


def _inventory(records: list[Record]) -> str:
    header = ("item", "site", "quantity", "mass")
    return markdown(header, [(r.item, r.site, r.quantity, r.mass) for r in records])


def _pipeline(draw: Draw) -> Slots:
    words = draw.words("things", draw.integer(3, 4))
    lines = draw.shuffled([*words, *(draw.pick(words) for _ in range(draw.integer(2, 4)))])
    file = f"{draw.word('codename').lower()}.txt"
    style = draw.integer(0, 5)
    if style == 0:
        goal, command = "count how often each line occurs", f"sort {file} | uniq -c"
        output = "\n".join(f"{lines.count(word):7d} {word}" for word in sorted(set(lines)))
        why = draw.pick(UNIQ)
    elif style == 1:
        letter = draw.pick(words[0])
        goal, command = (
            f'count the lines {draw.pick(WITH)} "{letter}"',
            f"grep -c '{letter}' {file}",
        )
        output = str(sum(letter in line for line in lines))
        why = draw.pick(GREP)
    elif style == 2:
        goal, command = draw.pick(REVERSE), f"sort -ru {file}"
        output = "\n".join(sorted(set(lines), reverse=True))
        why = draw.pick(SORT)
    elif style == 3:
        number = draw.integer(2, 3)
        goal, command = f"show the last {number} lines", f"tail -n {number} {file}"
        output = "\n".join(lines[-number:])
        why = f"tail starts {number} lines before the end of the file"
    elif style == 4:
        goal, command = "show the first three lines in capitals", f"head -n 3 {file} | tr a-z A-Z"
        output = "\n".join(line.upper() for line in lines[:3])
        why = draw.pick(CAPITALS)
    else:
        width = draw.integer(3, 4)
        goal, command = f"cut every line to {width} characters", f"cut -c1-{width} {file}"
        output = "\n".join(line[:width] for line in lines)
        why = f"-c1-{width} keeps the characters 1 to {width} of each line"
    return {
        "goal": goal,
        "file": file,
        "command": command,
        "lines": "```\n" + "\n".join(lines) + "\n```",
        "output": f"```\n{output}\n```",
        "why": why,
        "number": str(len(lines)),
        "distinct": str(len(set(lines))),
        "first": lines[0],
    }


def _pattern(draw: Draw) -> Slots:
    pattern, meaning = draw.row("patterns")
    samples = [_sample(draw) for _ in range(draw.integer(5, 7))]
    compiled = re.compile(pattern)
    hits = [sample for sample in samples if compiled.fullmatch(sample)]
    misses = [sample for sample in samples if sample not in hits]
    return {
        "pattern": pattern,
        "meaning": meaning,
        "samples": join(samples),
        "hits": join(hits) if hits else "none of them",
        "misses": join(misses) if misses else "none of them",
        "number": str(len(hits)),
        "match": "matches" if len(hits) == 1 else "match",
        "pass": "passes" if len(hits) == 1 else "pass",
        "all": str(len(samples)),
        "table": markdown(
            ("sample", "full match"),
            [(f"`{sample}`", "yes" if sample in hits else "no") for sample in samples],
        ),
    }


def _sample(draw: Draw) -> str:
    style, word = draw.integer(0, 6), draw.word("codename")
    number = draw.integer(3, 9_999)
    if style == 0:
        return f"{word[:2].upper()}-{number}"
    if style == 1:
        return f"{draw.integer(1980, 2060)}-{draw.integer(1, 12):02d}-{draw.integer(1, 28):02d}"
    if style == 2:
        return f"{word.lower()}_{number % 100}"
    if style == 3:
        return f"#{number * 1_677 + 65_536:06x}"
    if style == 4:
        return f"{draw.integer(0, 23):02d}:{draw.integer(0, 59):02d}"
    if style == 5:
        return f"{number}.{draw.integer(0, 9)}"
    return word.lower() if number % 2 else word


def _json(draw: Draw) -> Slots:
    records = make_records(draw, draw.integer(2, 3))
    fields = [
        {"item": record.item, "site": record.site, "quantity": record.quantity}
        for record in records
    ]
    place = draw.integer(0, len(records) - 1)
    chosen = records[place]
    key = draw.word("codename").lower()
    compact = json.dumps(fields, separators=(",", ":"))
    inner = ",\n".join(f"  {json.dumps(row)}" for row in fields)
    total = sum(record.quantity for record in records)
    return {
        "key": key,
        "csv": "\n".join(
            ["item,site,quantity", *(f"{r.item},{r.site},{r.quantity}" for r in records)]
        ),
        "json": f'```json\n{{"{key}": [\n{inner}\n]}}\n```',
        "compact": f"`{compact}`",
        "length": str(len(compact)),
        "path": f"`.{key}[{place}].quantity`",
        "python": f'`data["{key}"][{place}]["quantity"]`',
        "value": str(chosen.quantity),
        "item": chosen.item,
        "place": str(place),
        "number": str(len(records)),
        "total": str(total),
        "sum": " + ".join(str(record.quantity) for record in records),
        "jq": f"`jq '[.{key}[].quantity] | add'`",
        "mean": ratio(total, len(records)),
    }
