"""Random damage to datasets: every seed is one damage, always the same."""

import csv
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tiny_manifest import describe_file

WRONG: tuple[Any, ...] = (
    *(None, -1, 0, 10**6, 2**62, "", "x", "NaN", "\x1b]0;x\x07", "../../etc/hostname", "/dev/zero"),
    *([], [None], [-1], [10**6], ["x"], [""], {}, {"x": None}, True, 1.5),
)
"""Values that a cell, or a part of a manifest, may be replaced by."""

TEXTS = (
    *("NaN", "9" * 5_000, "[" * 100_000, '{"a":' * 50_000, '"\\ud800"', "\0", "\ufeff", '"', ","),
    *("\n", "(e)", "-1", "1e9", "[]", "{}", "null", "'", "\\", "\x1b[2J", "\r"),
)
"""Texts that are put into files that are text."""


def damage_bytes(random: Random, path: Path) -> str:
    """Flip, cut, zero, repeat or insert some bytes of a file."""
    content = bytearray(path.read_bytes())
    at, length = random.randrange(len(content)), random.randrange(1, 64)
    way = random.choice(("flip", "cut", "zero", "repeat", "insert", "empty", "text"))
    if way == "flip":
        for _ in range(random.randrange(1, 9)):
            content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    elif way == "cut":
        del content[at : at + length]
    elif way == "zero":
        content[at : at + length] = bytes(min(length, len(content) - at))
    elif way == "repeat":
        content[at:at] = content[at : at + length]
    elif way == "insert":
        content[at:at] = random.randbytes(length)
    elif way == "empty":
        content.clear()
    else:
        content[at:at] = random.choice(TEXTS).encode("utf-8", "surrogatepass")
    path.write_bytes(content)
    return f"{way} at {at}"


def replace_file(random: Random, path: Path, elsewhere: Path) -> str:
    """Make a file something else: nothing, a folder, a pipe, a link that leads nowhere or away."""
    way = random.choice(("remove", "folder", "pipe", "lost link", "link"))
    path.rename(elsewhere)
    if way == "folder":
        path.mkdir()
    elif way == "pipe":
        os.mkfifo(path)
    elif way == "lost link":
        path.symlink_to(path.with_name("nowhere"))
    elif way == "link":
        path.symlink_to(elsewhere)
    return way


def damage_rows(random: Random, path: Path, rules: Callable[[str, Any], bool]) -> str:
    """Repeat or leave out a row, or put a value into a cell that ``rules`` says cannot be right."""
    table = pq.read_table(path)
    rows: list[dict[str, Any]] = table.to_pylist()
    number = random.randrange(len(rows))
    way = random.choice(("repeat", "leave out", "value", "value", "value", "value"))
    if way == "repeat":
        rows.insert(random.randrange(len(rows) + 1), rows[number])
    elif way == "leave out":
        del rows[number]
    else:
        while True:
            column, value = random.choice(table.column_names), random.choice(WRONG)
            if not rules(column, value):
                continue
            try:
                values = [row[column] for row in rows]
                values[number] = value
                pa.array(values, table.schema.field(column).type)
            except (pa.ArrowException, TypeError, ValueError, OverflowError):
                continue  # The column cannot hold it at all.
            rows[number][column] = value
            way = f"row {number}, {column}: {value!r}"
            break
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path, row_group_size=2)
    return way


def damage_json(random: Random, path: Path) -> str:
    """Replace, rename, repeat or remove a part of a JSON file at any depth."""
    content = json.loads(path.read_text("utf-8"))
    place, key = random.choice(list(_list_places(content)))
    way = random.choice(("replace", "remove", "rename", "text"))
    if way == "replace":
        place[key] = random.choice(WRONG)
    elif way == "remove":
        del place[key]
    elif way == "rename" and isinstance(place, dict):
        place[str(random.choice(WRONG))] = place.pop(key)
    else:
        place[key] = "@@"
    text = json.dumps(content)
    if way == "text":
        text = text.replace('"@@"', random.choice(TEXTS))
    path.write_text(text, "utf-8", "surrogatepass")
    return f"{way} {key!r}"


def damage_csv(random: Random, path: Path) -> str:
    """Repeat or leave out a row or a column, or empty a cell."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    row, column = random.randrange(len(rows)), random.randrange(len(rows[0]))
    way = random.choice(("repeat row", "leave out column", "repeat column", "more", "less"))
    if way == "repeat row":
        rows.append(rows[row])
    elif way == "leave out column":
        rows = [cells[:column] + cells[column + 1 :] for cells in rows]
    elif way == "repeat column":
        rows = [[*cells, cells[column]] for cells in rows]
    elif way == "more":
        rows[row].append("x")
    else:
        rows[row].pop()
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return f"{way} {row}, {column}"


def rehash(folder: Path, name: str) -> None:
    """Put the right size, hash and rows of a file into the manifest, as far as it has any."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    entry = manifest["files"][name]
    try:
        entry.update(describe_file(folder / name))
    except (pa.ArrowException, OSError, ValueError):
        (folder / "as.bytes").write_bytes((folder / name).read_bytes())
        entry.update({**describe_file(folder / "as.bytes"), "rows": entry["rows"]})
        (folder / "as.bytes").unlink()
    path.write_text(json.dumps(manifest), "utf-8")


def _list_places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _list_places(value[key])
