"""Strict JSON: what the standard refuses, and what would break later, is one ValueError."""

from pathlib import Path

import pytest

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.json_files import MOST_BYTES, parse_json, read_json_file

REFUSED = {
    "NaN": ('{"a": NaN}', "NaN is no JSON value"),
    "infinity": ("[-Infinity]", "-Infinity is no JSON value"),
    "a long number": ("9" * 5_000, "4300 digits"),
    "no end of nesting": ("[" * 100_000, "nested too deeply"),
    "a name twice": ('{"a": 1, "b": {"c": 1, "c": 2}}', "'c' twice"),
    "half of a pair": ('["\\ud83d"]', r"\\ud83d, half of a surrogate pair"),
    "half of a pair in a name": ('{"\\udc00": 1}', r"\\udc00, half of a surrogate pair"),
    "cut off": ('{"a": 1', "Expecting"),
    "two values": ("1 2", "Extra data"),
    "nothing": ("", "Expecting value"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_strict_json_is_refused(case: str, tmp_path: Path) -> None:
    text, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        parse_json(text.encode())
    path = tmp_path / "file.json"
    path.write_text(text)
    with pytest.raises(DatasetError, match=rf"file\.json is not valid UTF-8 JSON: .*{message}"):
        read_json_file(path)


def test_other_encodings_are_refused() -> None:
    for encoding in ("latin-1", "utf-16", "utf-32"):
        with pytest.raises(ValueError, match="utf-8"):
            parse_json('["é"]'.encode(encoding))
    assert parse_json('["é"]'.encode("utf-8-sig")) == ["é"]


def test_whole_pairs_and_other_escapes_are_text() -> None:
    assert parse_json(r'["\ud83d\ude00 \u00e9 \\ud83d"]') == ["\N{GRINNING FACE} é \\ud83d"]


def test_infinities_are_read_where_they_are_accepted() -> None:
    assert parse_json("[-Infinity]", allow_nan=True) == [float("-inf")]


def test_a_file_that_is_too_large_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    with path.open("wb") as stream:
        stream.truncate(MOST_BYTES + 1)
    with pytest.raises(DatasetError, match=r"has 67,108,865 bytes\. Accepted: at most 67,108,864"):
        read_json_file(path)
