"""Whatever is wrong with the files of a dataset, the loader names a file or loads what it was.

Damage to bytes under the right hash is the exception: where it changes a letter of a text, nobody
can tell. There the loader must still raise only its own errors, and load only rows that hold.
"""

import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest
from dataset_fuzz import damage_bytes, damage_csv, damage_json, damage_rows, rehash, replace_file
from tiny_dataset import write_official, write_ours

from personamem.loaders import PersonaMem, load_personamem
from personamem.loaders.formats.errors import PersonamemError

SEEDS = 20
"""Of each kind of damage."""

SECONDS = 20
TABLES = ("benchmark/4k.parquet", "contexts/4k.parquet", "annotations/4k.parquet")
OFFICIAL = ("questions_4k.csv", "shared_contexts_4k.jsonl")
FREE = {
    *(
        "question_type",
        "topic",
        "user_question_or_message",
        "distance_to_ref_proportion_in_context",
    ),
    *("quad_id", "thread_id", "asked_on", "session_topics", "session_dates"),
}
"""Columns whose texts may be any."""

Damage = Callable[[Random, Path], str]


def is_wrong(column: str, value: Any) -> bool:
    """Return whether no row of the tiny dataset may have a value in a column."""
    if value is None:
        return True
    if column == "evidence_message_indices" and value in ([], ""):
        return False  # Nothing in particular may prove the gold; Arrow takes a text for a list.
    numbers = {"persona_id", "num_irrelevant_tokens", "num_tokens", "num_letters"}
    if column in numbers or column.startswith(("distance_to", "context_length")):
        return False
    return column not in FREE


def damage_table(random: Random, folder: Path) -> str:
    name = random.choice(TABLES)
    way = damage_rows(random, folder / name, is_wrong)
    rehash(folder, name)
    return f"{name}: {way}"


def damage_manifest(random: Random, folder: Path) -> str:
    return damage_json(random, folder / "manifest.json")


def damage_any_bytes(random: Random, folder: Path) -> str:
    name = random.choice(TABLES)
    return f"{name}: {damage_bytes(random, folder / name)}"


def damage_hashed_bytes(random: Random, folder: Path) -> str:
    name = random.choice(TABLES)
    way = damage_bytes(random, folder / name)
    rehash(folder, name)
    return f"{name}: {way}"


def damage_official_bytes(random: Random, folder: Path) -> str:
    name = random.choice(OFFICIAL)
    return f"{name}: {damage_bytes(random, folder / name)}"


def damage_official_rows(random: Random, folder: Path) -> str:
    return damage_csv(random, folder / "questions_4k.csv")


def damage_files(random: Random, folder: Path) -> str:
    present = (*TABLES, *OFFICIAL, "manifest.json")
    name = random.choice([name for name in present if (folder / name).exists()])
    return f"{name}: {replace_file(random, folder / name, folder.with_name('elsewhere'))}"


@pytest.fixture(autouse=True)
def _limited() -> Iterator[None]:
    """Interrupt a test that hangs, such as one that waits for a pipe."""

    def give_up(signum: int, frame: FrameType | None) -> None:
        raise AssertionError(f"hangs for {SECONDS} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def read_all(folder: Path) -> tuple[Any, ...]:
    data = load_personamem(folder, "4k")
    check_rows(data)
    notes = [data.evidence_for(question) for question in data.questions]
    starts = [data.session_starts(identifier) for identifier in data.context_ids]
    return data.questions, data.context_ids, list(data.pairs()), notes, starts


def try_to_read(folder: Path, what: str) -> tuple[Any, ...] | PersonamemError:
    """Return what a folder holds, or the error that refuses it. Another error fails the test."""
    try:
        return read_all(folder)
    except PersonamemError as error:
        return error
    except Exception as error:
        raise AssertionError(f"{what}: {error!r}") from error


def check_rows(data: PersonaMem) -> None:
    """Assert what a user of a dataset relies on."""
    assert data.questions
    assert len({question.question_id for question in data.questions}) == len(data.questions)
    for question, messages in data.pairs():
        assert len(question.options) == 4
        assert question.correct_answer == f"({'abcd'[question.answer_index]})"
        assert len(messages) == question.end_index_in_shared_context > 0
        assert all({"role", "content"} == message.keys() for message in messages)
        annotation = data.evidence_for(question)
        if annotation is not None:
            assert len(annotation.option_roles) == len(annotation.option_keys) == 4
            for index in (
                *annotation.evidence_message_indices,
                *annotation.related_message_indices,
            ):
                assert messages[index]["content"]
                assert index >= 0


@pytest.mark.parametrize(
    ("write", "damage", "may_differ"),
    [
        (write_ours, damage_table, False),
        (write_ours, damage_manifest, False),
        (write_ours, damage_any_bytes, False),
        (write_ours, damage_files, False),
        (write_ours, damage_hashed_bytes, True),
        (write_official, damage_official_bytes, True),
        (write_official, damage_official_rows, False),
        (write_official, damage_files, False),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_damage_is_named_or_without_effect(
    tmp_path: Path, write: Callable[[Path], Path], damage: Damage, may_differ: bool
) -> None:
    whole = write(tmp_path / "whole")
    original = read_all(whole)
    refused = 0
    for seed in range(SEEDS):
        folder = tmp_path / str(seed) / "data"
        shutil.copytree(whole, folder)
        what = damage(Random(f"{damage.__name__} {seed}"), folder)
        found = try_to_read(folder, f"seed {seed}, {what}")
        if isinstance(found, PersonamemError):
            refused += 1
            assert str(folder) in str(found), f"seed {seed}, {what}: {found}"
        else:
            assert may_differ or found == original, f"seed {seed}, {what}: loads, with a change"
    assert refused > SEEDS / 4
