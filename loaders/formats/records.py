"""Records and the tables that hold them: columns and checks follow from a dataclass's fields.

A field is an ``int``, a ``str``, a ``datetime``, a ``Literal`` of texts, a dataclass or TypedDict
of such fields, or a tuple of one of these. ``| None`` marks what may be unknown.
"""

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

import pyarrow as pa

from personamem.loaders.formats.errors import DatasetError

Record = TypeVar("Record")

_Parse = Callable[[object], Any]
_SHOWN = 80


class _Refusal(ValueError):
    """A value that a field does not accept: where it stands in the field, and what is accepted."""

    def __init__(self, value: object, accepted: str, place: str = "") -> None:
        super().__init__(value, accepted, place)
        self.value, self.accepted, self.place = value, accepted, place

    def at(self, place: str) -> "_Refusal":
        return _Refusal(self.value, self.accepted, place + self.place)


def make_schema(record: type) -> pa.Schema:
    """Return the columns of a table whose rows are ``record``, in the order of its fields."""
    return pa.schema([pa.field(name, _find_type(hint)) for name, hint in _hints(record).items()])


def make_table(record: type[Record], rows: Sequence[Record]) -> pa.Table:
    """Return rows whose fields are texts, numbers and lists as a table of ``make_schema``."""
    columns = make_schema(record)
    values = [pa.array([getattr(row, field.name) for row in rows], field.type) for field in columns]
    return pa.Table.from_arrays(values, schema=columns)


def name_type(column: pa.DataType) -> str:
    """Return the name of a column's type, such as ``list<string>`` or ``struct<role, content>``."""
    if pa.types.is_list(column):
        return f"list<{name_type(column.value_type)}>"
    if pa.types.is_struct(column):
        return f"struct<{', '.join(field.name for field in column)}>"
    return str(column)


def read_record(record: type[Record], row: Mapping[str, Any], where: str) -> Record:
    """Return a row as a record; keys that are no field are ignored.

    Lists become tuples, also within others.

    Raises:
        DatasetError: a value is missing or not of its field's type; ``where`` begins the message,
            which names the field, the value and what is accepted.
    """
    values = {}
    kind: Any = record  # A class is hashable, which mypy does not believe.
    for name, parse in _parsers(kind).items():
        try:
            values[name] = parse(row.get(name))
        except _Refusal as refusal:
            raise DatasetError(
                f"{where}: {name}{refusal.place} is {show_value(refusal.value)}. "
                f"Accepted: {refusal.accepted}."
            ) from None
    return record(**values)


def show_value(value: object) -> str:
    """Return the ``repr`` of a value for a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def list_integers(record: type) -> tuple[str, ...]:
    """Return the names of the fields that hold integers."""
    return tuple(name for name, hint in _hints(record).items() if _without_none(hint) is int)


@cache
def _hints(record: Any) -> dict[str, Any]:
    hints = get_type_hints(record)
    names = [field.name for field in fields(record)] if is_dataclass(record) else list(hints)
    return {name: hints[name] for name in names}


@cache
def _parsers(record: Any) -> dict[str, _Parse]:
    return {name: _make_parser(hint) for name, hint in _hints(record).items()}


def _without_none(hint: Any) -> Any:
    """Return ``X`` of ``X | None``, and any other hint as it is."""
    if get_origin(hint) not in (Union, types.UnionType):
        return hint
    (known,) = (each for each in get_args(hint) if each is not type(None))
    return known


def _find_type(hint: Any) -> pa.DataType:
    hint = _without_none(hint)
    if hint in _PLAIN:
        return _PLAIN[hint][1]
    origin = get_origin(hint)
    if origin is Literal:
        return pa.string()
    if origin is tuple:
        return pa.list_(_find_type(get_args(hint)[0]))
    return pa.struct([pa.field(name, _find_type(each)) for name, each in _hints(hint).items()])


def _make_parser(hint: Any) -> _Parse:
    known = _without_none(hint)
    parse = _make_known_parser(known)
    if known is hint:
        return parse
    return lambda value: None if value is None else parse(value)


def _make_known_parser(hint: Any) -> _Parse:
    if hint in _PLAIN:
        return _make_plain_parser(hint, _PLAIN[hint][0])
    origin = get_origin(hint)
    if origin is Literal:
        return _make_choice_parser(get_args(hint))
    if origin is tuple:
        return _make_list_parser(_make_parser(get_args(hint)[0]))
    return _make_struct_parser(hint)


def _make_plain_parser(kind: type, accepted: str) -> _Parse:
    def parse(value: object) -> Any:
        if not isinstance(value, kind) or isinstance(value, bool):
            raise _Refusal(value, accepted)
        return value

    return parse


def _make_choice_parser(choices: tuple[str, ...]) -> _Parse:
    accepted = ", ".join(choice or "an empty text" for choice in choices)

    def parse(value: object) -> Any:
        if value not in choices:
            raise _Refusal(value, accepted)
        return value

    return parse


def _make_list_parser(parse_item: _Parse) -> _Parse:
    def parse(value: object) -> Any:
        if not isinstance(value, list | tuple):
            raise _Refusal(value, "a list")
        items = []
        for index, item in enumerate(value):
            try:
                items.append(parse_item(item))
            except _Refusal as refusal:
                raise refusal.at(f"[{index}]") from None
        return tuple(items)

    return parse


def _make_struct_parser(record: Any) -> _Parse:
    parsers = _parsers(record)
    # A TypedDict is what it was read as; nothing is copied.
    make = None if is_typeddict(record) else record

    def parse(value: object) -> Any:
        if not isinstance(value, dict):
            raise _Refusal(value, f"{', '.join(parsers)}")
        values = {}
        for name, parse_field in parsers.items():
            try:
                values[name] = parse_field(value.get(name))
            except _Refusal as refusal:
                raise refusal.at(f".{name}") from None
        return make(**values) if make else value

    return parse


_PLAIN: dict[Any, tuple[str, pa.DataType]] = {
    int: ("an integer", pa.int64()),
    str: ("a text", pa.string()),
    datetime: ("a time", pa.timestamp("s")),
}
