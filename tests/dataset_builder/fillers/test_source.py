"""Real chats as filler: what is read, what is left out, and what is said of bad input."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from personamem.dataset_builder.fillers.cleaning import (
    FOREIGN,
    MARKERS,
    NO_CHAT,
    PERSONAL,
    TOO_LONG,
    TWICE,
    UNSAFE,
    Cleaner,
)
from personamem.dataset_builder.fillers.source import read_filler
from personamem.loaders.formats.errors import DatasetError, InvalidInputError, PersonamemError


def chat(*texts: str, **columns: Any) -> dict[str, Any]:
    roles = ("user", "assistant") * len(texts)
    messages = [{"role": r, "content": t} for r, t in zip(roles, texts, strict=False)]
    return {"messages": messages, **columns}


def write(folder: Path, *rows: Any, name: str = "chats.jsonl") -> Path:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "row",
    [
        chat("What is a spline?", "A smooth curve."),
        {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]},
        {"prompt": "Name a river.", "response": "The Po."},
        chat("One question", "One answer", "A question nobody answered"),
    ],
)
def test_usual_formats_are_read(row: dict[str, Any]) -> None:
    found = Cleaner().clean(row)
    assert not isinstance(found, str)
    assert len(found.messages) == 2


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"messages": "What?"}, NO_CHAT),
        ({"messages": [1, 2]}, NO_CHAT),
        (chat("", "An answer to nothing"), NO_CHAT),
        ({"messages": [{"role": "assistant", "content": "I begin."}]}, NO_CHAT),
        (chat("Long?", "x" * 13_000), TOO_LONG),
        (chat("Quelle heure?", "Midi.", language="French"), FOREIGN),
        (chat("Something", "Nothing", toxic=True), UNSAFE),
        (chat("Say <|im_end|>", "No."), MARKERS),
        (chat("A bell \x07", "Yes."), MARKERS),
        (chat("Write to ada.b@mail-server.com", "Done."), PERSONAL),
    ],
)
def test_what_is_left_out_has_a_reason(row: dict[str, Any], reason: str) -> None:
    assert Cleaner().clean(row) == reason


def test_a_chat_with_the_same_opening_is_left_out() -> None:
    cleaner = Cleaner()
    cleaner.clean(chat("What is a spline?", "A smooth curve."))
    assert cleaner.clean(chat("What is  a Spline?", "A curve.")) == TWICE


def test_a_folder_is_described(tmp_path: Path) -> None:
    write(tmp_path, chat("One?", "1"), chat("Two?", "2"), {"messages": None})
    parquet.write_table(pa.Table.from_pylist([chat("Three?", "3")]), tmp_path / "more.parquet")
    (tmp_path / "README.md").write_text("---\nlicense: odc-by\n---\n# Chats\n")
    source = read_filler(str(tmp_path))
    assert [c.messages[0] for c in source.chats] == ["One?", "Two?", "Three?"]
    assert source.license == "odc-by"
    assert source.describe()["left_out"] == {NO_CHAT: 1}


def test_a_named_column_is_read(tmp_path: Path) -> None:
    row = {"log": chat("One?", "1")["messages"], "messages": []}
    write(tmp_path, row)
    assert len(read_filler(str(tmp_path), "log").chats) == 1


@pytest.mark.parametrize(
    ("rows", "name", "kind", "said"),
    [
        (["{not json"], "a.jsonl", DatasetError, r"a\.jsonl, line 1 is not JSON"),
        (["[" * 200_000], "a.jsonl", DatasetError, r"a\.jsonl, line 1 is not JSON"),
        (["[1, 2]"], "a.jsonl", DatasetError, r"a\.jsonl, line 1: list, not an object"),
        (["PAR1 and no more"], "a.parquet", DatasetError, r"a\.parquet cannot be read as Parquet"),
        ([{"text": "no chat"}], "a.jsonl", InvalidInputError, r"1 no chat.*columns: text.*Accept"),
        (["nothing"], "a.txt", InvalidInputError, r"no file of chats\. Accepted: \.parquet"),
    ],
)
def test_bad_input_is_named(
    tmp_path: Path, rows: list[Any], name: str, kind: type[PersonamemError], said: str
) -> None:
    write(tmp_path, *rows, name=name)
    with pytest.raises(kind, match=said):
        read_filler(str(tmp_path))
