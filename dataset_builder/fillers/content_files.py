"""Read the templates and word tables under ``content/``, once per process.

Three formats, all YAML:

* ``phrases.yaml``: name -> template text; ``<name>`` in a template stands for it.
* ``tables*.yaml``: name -> comma-separated words, or lines of fields split by `` | ``.
* every other file: group -> one template a line, where a typed ``\\n`` is a line break.

Two marks say which answers fit which questions. ``†`` in a user's text asks for the working and
``‡`` for brevity; the writer takes both out. A line that starts with ``†`` also belongs to the
narrower group of that name (``reply†``): answers that show the working, explanations that always
hold.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from personamem.dataset_builder.core.grammar import Template, parse
from personamem.loaders.formats.errors import InvalidInputError

FOLDER = Path(__file__).parent / "content"
Row = tuple[str, ...]

WORKING = "†"
BREVITY = "‡"

_PHRASE = re.compile(r"<([a-z_]+)>")


@cache
def load_templates(name: str) -> dict[str, tuple[Template, ...]]:
    """Return the templates of ``content/<name>.yaml`` by group.

    Raises InvalidInputError naming the file when a template or a phrase in it is not valid.
    """
    groups: dict[str, tuple[Template, ...]] = {}
    for group, text in _read(name).items():
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        try:
            groups[group] = tuple(map(_parse, lines))
            narrow = tuple(_parse(line) for line in lines if line.startswith(WORKING))
            if narrow:
                groups[group + WORKING] = narrow
        except InvalidInputError as error:
            raise InvalidInputError(f"{name}.yaml, group {group!r}: {error}") from error
    return groups


def _parse(line: str) -> Template:
    return parse(_expand(line.removeprefix(WORKING)).replace("\\n", "\n"))


@cache
def load_words(table: str) -> tuple[str, ...]:
    """Return the single words or phrases of a table."""
    return tuple(word.strip() for word in _tables()[table].split(",") if word.strip())


@cache
def load_rows(table: str) -> tuple[Row, ...]:
    """Return the rows of a table, each a tuple of its fields.

    Raises InvalidInputError when the rows differ in their number of fields.
    """
    rows = tuple(
        tuple(field.strip() for field in line.split(" | "))
        for line in _tables()[table].splitlines()
        if line.strip()
    )
    odd = [row for row in rows if len(row) != len(rows[0])]
    if odd:
        raise InvalidInputError(
            f"Table {table!r}: row {odd[0]} has {len(odd[0])} fields, the first has {len(rows[0])}."
        )
    return rows


@cache
def _tables() -> dict[str, str]:
    tables: dict[str, str] = {}
    for path in sorted(FOLDER.glob("tables*.yaml")):
        tables.update(_read(path.stem))
    return tables


@cache
def _phrases() -> dict[str, str]:
    return {name: text.strip() for name, text in _read("phrases").items()}


def _expand(text: str) -> str:
    def replace(match: re.Match[str]) -> str:
        phrases = _phrases()
        if match[1] not in phrases:
            raise InvalidInputError(
                f"Unknown phrase <{match[1]}>. Accepted: {', '.join(sorted(phrases))}."
            )
        return _expand(phrases[match[1]])

    return _PHRASE.sub(replace, text)


@cache
def _read(name: str) -> dict[str, str]:
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loaded: dict[str, str] = yaml.load((FOLDER / f"{name}.yaml").read_text("utf-8"), loader)
    return loaded
