"""Pasted material: what is asked about it is answered by it."""

import re
from datetime import date
from random import Random

import pytest

from personamem.dataset_builder.fillers import PastedWriter
from personamem.dataset_builder.fillers.pasted import _MAKERS

DAY = date(2024, 5, 6)


@pytest.fixture(scope="module")
def exchanges() -> list[tuple[str, str]]:
    writer = PastedWriter(Random(5))
    found = []
    for _ in range(120):
        user, assistant = writer.exchange(DAY)
        found.append((user["content"], assistant["content"]))
    return found


def test_every_kind_comes_up(exchanges: list[tuple[str, str]]) -> None:
    marks = ("ERROR", "payee", "humidity", "DELIVERED", "Next meeting", "night ")
    assert len(marks) == len(_MAKERS)
    for mark in marks:
        assert any(mark in asked for asked, _ in exchanges)


def test_no_slot_is_left(exchanges: list[tuple[str, str]]) -> None:
    assert not [text for pair in exchanges for text in pair if re.search(r"[{}]", text)]


def test_failures_are_counted(exchanges: list[tuple[str, str]]) -> None:
    logs = [pair for pair in exchanges if "ERROR" in pair[0]]
    for asked, answered in logs:
        question = asked.split("\n\n", 1)[0]
        (job,) = {name for name in re.findall(r" (\S+): (?:ERROR|INFO)", asked) if name in question}
        failures = re.findall(rf"^(\S+ \S+) \S+ {job}: ERROR", asked, re.MULTILINE)
        assert re.search(rf"\b{len(failures)}\b", answered)
        assert failures[0] in answered
        assert failures[-1] in answered


def test_sums_are_right(exchanges: list[tuple[str, str]]) -> None:
    for asked, answered in exchanges:
        rows = re.findall(r"^\d{4}-\d\d-\d\d;\w+;[^;]+;([^;]+);([\d.]+)$", asked, re.MULTILINE)
        if rows:
            question = asked.split("\n\n", 1)[0]
            (category,) = {name for name, _ in rows if name in question}
            total = sum(round(100 * float(n)) for name, n in rows if name == category) / 100
            assert f"{total:,.2f}" in answered


def test_what_is_missing_was_ordered_and_did_not_come(exchanges: list[tuple[str, str]]) -> None:
    for asked, answered in exchanges:
        if "DELIVERED" in asked:
            ordered, came = asked.split("DELIVERED")
            numbers = set(re.findall(r"^(\d{5})  ", ordered, re.MULTILINE))
            missing = numbers - set(re.findall(r"art\. (\d{5})$", came, re.MULTILINE))
            assert set(re.findall(r"\((\d{5})\)", answered)) == missing


def test_the_same_stream_gives_the_same_text() -> None:
    one, other = (PastedWriter(Random(9)).exchange(DAY) for _ in range(2))
    assert one == other
