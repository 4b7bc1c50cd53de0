"""Records: schema and checks follow from the fields."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypedDict

import pyarrow as pa
import pytest

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.records import make_schema, name_type, read_record


class Pair(TypedDict):
    left: str
    right: int


@dataclass(frozen=True, slots=True)
class Inner:
    name: str
    marks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outer:
    number: int
    known: int | None
    kind: Literal["one", "two", ""]
    when: datetime
    names: tuple[str, ...]
    inner: tuple[Inner, ...]
    pairs: tuple[Pair, ...]


ROW: dict[str, Any] = {
    "number": 1,
    "known": None,
    "kind": "one",
    "when": datetime(2024, 5, 1),
    "names": ["a", "b"],
    "inner": [{"name": "x", "marks": [1, 2]}],
    "pairs": [{"left": "l", "right": 2}],
    "of no field": object(),
}


def test_the_schema_has_the_fields_in_order_with_their_types() -> None:
    assert make_schema(Outer) == pa.schema(
        [
            pa.field("number", pa.int64()),
            pa.field("known", pa.int64()),
            pa.field("kind", pa.string()),
            pa.field("when", pa.timestamp("s")),
            pa.field("names", pa.list_(pa.string())),
            pa.field(
                "inner",
                pa.list_(
                    pa.struct(
                        [
                            pa.field("name", pa.string()),
                            pa.field("marks", pa.list_(pa.int64())),
                        ]
                    )
                ),
            ),
            pa.field(
                "pairs",
                pa.list_(pa.struct([pa.field("left", pa.string()), pa.field("right", pa.int64())])),
            ),
        ]
    )
    assert [name_type(field.type) for field in make_schema(Outer)] == [
        *("int64", "int64", "string", "timestamp[s]", "list<string>"),
        *("list<struct<name, marks>>", "list<struct<left, right>>"),
    ]


def test_a_row_becomes_a_record_with_tuples_for_lists() -> None:
    assert read_record(Outer, ROW, "here") == Outer(
        number=1,
        known=None,
        kind="one",
        when=datetime(2024, 5, 1),
        names=("a", "b"),
        inner=(Inner("x", (1, 2)),),
        pairs=({"left": "l", "right": 2},),
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"number": None}, "number is None. Accepted: an integer."),
        ({"number": True}, "number is True. Accepted: an integer."),
        ({"number": "1"}, "number is '1'. Accepted: an integer."),
        ({"known": 1.5}, "known is 1.5. Accepted: an integer."),
        ({"kind": "three"}, "kind is 'three'. Accepted: one, two, an empty text."),
        ({"kind": ["one"]}, "kind is ['one']. Accepted: one, two, an empty text."),
        ({"when": "2024-05-01"}, "when is '2024-05-01'. Accepted: a time."),
        ({"names": None}, "names is None. Accepted: a list."),
        ({"names": "ab"}, "names is 'ab'. Accepted: a list."),
        ({"names": ["a", None]}, "names[1] is None. Accepted: a text."),
        ({"inner": [None]}, "inner[0] is None. Accepted: name, marks."),
        (
            {"inner": [{"name": "x", "marks": [1, "2"]}]},
            "inner[0].marks[1] is '2'. Accepted: an integer.",
        ),
        ({"pairs": [{"left": "l"}]}, "pairs[0].right is None. Accepted: an integer."),
    ],
)
def test_a_value_of_another_type_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DatasetError) as caught:
        read_record(Outer, {**ROW, **change}, "table.parquet, row 3")
    assert str(caught.value) == f"table.parquet, row 3: {message}"


def test_a_missing_column_is_a_value_that_is_missing() -> None:
    row = {name: value for name, value in ROW.items() if name != "number"}
    with pytest.raises(DatasetError, match="number is None"):
        read_record(Outer, row, "here")


def test_a_long_value_is_cut() -> None:
    with pytest.raises(DatasetError) as caught:
        read_record(Outer, {**ROW, "number": "x" * 10_000}, "here")
    assert len(str(caught.value)) < 200
