"""``personamem export`` for training: formats, what is held out, quads, rewards."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from calling import call
from datasets import load_dataset
from version2_release import change_rows
from version2_specimen import write_specimen

from personamem.dataset_builder.families.personamem.exporting.holding_out import (
    check_division,
    divide,
)
from personamem.loaders import load_personamem, score
from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.formats.schema import Question
from personamem.loaders.personamem.rewards import score_for_trl, score_for_verl

pytestmark = pytest.mark.system

Export = Callable[..., Path]
HOLD_OUT = ("--hold-out-topics", 2, "--hold-out-personas", 4, "--seed", 4)


def read(folder: Path, part: str = "train", suffix: str = "parquet") -> list[dict[str, Any]]:
    kind = "parquet" if suffix == "parquet" else "json"
    loaded = load_dataset(
        kind, data_files=str(folder / f"{part}.{suffix}"), cache_dir=str(folder / "cache")
    )
    return list(loaded["train"])


def test_trl_rows_hold_the_conversation_and_all_that_a_reward_wants(
    export: Export, dataset: Path
) -> None:
    rows = read(export("--format", "trl"))
    data = load_personamem(dataset, "4k")
    questions = {question.question_id: question for question in data.questions}
    assert {row["question_id"] for row in rows} == questions.keys()
    for row in rows:
        question = questions[row["question_id"]]
        assert tuple(row["options"]) == question.options
        assert row["answer_index"] == question.answer_index
        text = "\n".join(message["content"] for message in row["prompt"])
        for message in data.messages_for(question):
            assert message["content"] in text
        assert row["prompt"][-1]["content"].endswith(f"(d) {question.options[3]}")
        roles = [message["role"] for message in row["prompt"]]
        assert roles[0] == "system"
        assert set(roles[1::2]) == {"user"}
        assert set(roles[2::2]) == {"assistant"}


def test_the_history_may_be_a_column(export: Export) -> None:
    whole, apart = (read(export("--format", "trl", *more)) for more in ((), COLUMN))
    for row, other in zip(whole, apart, strict=True):
        assert row["question_id"] == other["question_id"]
        assert len(other["prompt"]) == 1
        assert row["prompt"][-1]["content"].endswith(other["prompt"][0]["content"])
        assert other["context"].startswith("System: ")
        assert row["prompt"][1]["content"] in other["context"]


COLUMN = ("--history", "column")


def test_verl_rows_have_its_columns(export: Export) -> None:
    rows = read(export("--format", "verl", *COLUMN, *HOLD_OUT), "test")
    assert set(rows[0]) == {
        *("data_source", "prompt", "ability", "reward_model", "extra_info", "context"),
    }
    for number, row in enumerate(rows):
        truth = row["reward_model"]["ground_truth"]
        assert row["reward_model"]["style"] == "rule"
        assert row["extra_info"]["index"] == number
        assert row["extra_info"]["split"] == "test"
        assert row["extra_info"]["held_out"] in ("topic", "persona", "both")
        right = f"It is {truth['correct_answer']}."
        assert score_for_verl(row["data_source"], right, truth, row["extra_info"]) == 1


def test_openai_rows_are_chats_that_end_in_the_letter(export: Export) -> None:
    rows = read(export("--format", "openai"), suffix="jsonl")
    about = read(export("--format", "trl"))
    for row, other in zip(rows, about, strict=True):
        *prompt, reply = row["messages"]
        assert prompt == other["prompt"]
        assert reply == {"role": "assistant", "content": other["correct_answer"]}


def longest(options: Sequence[str]) -> int:
    return max(range(4), key=lambda index: len(options[index]))


def first(options: Sequence[str]) -> int:
    return 0


def most_typical(options: Sequence[str]) -> int:
    """Return the option that has the most words with the others in common."""
    words = [set(option.lower().split()) for option in options]

    def count(index: int) -> float:
        others = [words[other] for other in range(4) if other != index]
        return sum(len(words[index] & other) / len(words[index] | other) for other in others)

    return max(range(4), key=count)


@pytest.mark.parametrize("policy", [longest, first, most_typical])
@pytest.mark.parametrize("part", ["train", "test"])
def test_a_policy_that_reads_no_conversation_earns_a_quarter(
    export: Export, policy: Callable[[Sequence[str]], int], part: str
) -> None:
    rows = read(export("--format", "trl", *HOLD_OUT), part)
    completions = [
        [{"role": "assistant", "content": f"({'abcd'[policy(row['options'])]})"}] for row in rows
    ]
    rewards = score_for_trl(completions, [row["answer_index"] for row in rows], prompts=None)
    assert sum(rewards) / len(rewards) == 0.25
    # Also of each batch of whole quads.
    assert {sum(rewards[start : start + 4]) for start in range(0, len(rows), 4)} == {1.0}


def test_quads_stand_together_and_on_one_side(export: Export) -> None:
    folder = export("--format", "trl", *HOLD_OUT)
    seen: set[str] = set()
    for part in ("train", "test"):
        quads = [
            (quad, len(list(rows)))
            for quad, rows in groupby(read(folder, part), lambda row: row["quad_id"])
        ]
        assert {size for _, size in quads} == {4}
        assert not seen & {quad for quad, _ in quads}
        seen |= {quad for quad, _ in quads}


def test_nothing_that_is_held_out_is_in_training(export: Export, dataset: Path) -> None:
    folder = export("--format", "trl", *HOLD_OUT)
    train, test = read(folder), read(folder, "test")
    record = json.loads((folder / "export.json").read_text("utf-8"))
    assert len(record["held_out_topics"]) == 2
    assert len(record["held_out_personas"]) == 4
    assert not {row["topic"] for row in train} & {*record["held_out_topics"]}
    assert not {row["persona_id"] for row in train} & {*record["held_out_personas"]}
    assert {row["held_out"] for row in train} == {""}
    for row in test:
        why = {
            "topic": row["topic"] in record["held_out_topics"],
            "persona": row["persona_id"] in record["held_out_personas"],
        }
        assert row["held_out"] == ("both" if all(why.values()) else max(why, key=lambda w: why[w]))
    assert {row["held_out"] for row in test} >= {"topic", "persona"}

    def word(row: Mapping[str, Any]) -> str:
        return str(row["prompt"][-1]["content"]).split("\n\nWhich of the replies")[0]

    assert not {word(row).split("\n\n")[-1] for row in train} & {
        word(row).split("\n\n")[-1] for row in test
    }
    everything = len(load_personamem(dataset, "4k").questions)
    assert len(train) + len(test) + len(record["left_out"]) == everything
    assert record["rows"] == {"train": len(train), "test": len(test)}
    assert 0 <= record["shared_messages"] < 0.5


def test_the_seed_chooses_what_is_held_out(dataset: Path) -> None:
    data = load_personamem(dataset, "4k")
    chosen = Counter(divide(data, 1, 4, seed).topics for seed in range(6))
    assert len(chosen) > 1
    assert divide(data, 2, 4, 1) == divide(data, 2, 4, 1)


def test_an_overlap_is_found(dataset: Path) -> None:
    data = load_personamem(dataset, "4k")
    division = divide(data, 1, 4, 0)
    questions = data.ordered_questions()
    check_division(data, questions, division)
    held = [name for name, side in division.sides.items() if side != "train"]
    one = {**division.sides, held[0]: "train"}
    with pytest.raises(DatasetError, match=rf"question {held[0]}: its (topic|persona) is held out"):
        check_division(data, questions, replace(division, sides=one))
    unknown = replace(division, sides=one, topics=(), personas=())
    with pytest.raises(DatasetError, match="its wording is held out"):
        check_division(data, questions, unknown)
    parted = {name: side for name, side in division.sides.items() if name != held[0]}
    with pytest.raises(DatasetError, match="rows on both sides"):
        check_division(data, questions, replace(division, sides=parted))


def test_training_rows_worded_as_held_out_ones_are_left_out(dataset: Path) -> None:
    data = load_personamem(dataset, "4k")
    sides = divide(data, 0, 4, 0).sides
    quads: dict[bool, set[str]] = {True: set(), False: set()}
    for question in data.questions:
        annotation = data.evidence_for(question)
        assert annotation is not None
        quads[sides[question.question_id] == "train"].add(annotation.quad_id)
    chosen = {min(quads[True]), min(quads[False])}

    def reword(question: Question) -> Question:
        annotation = data.evidence_for(question)
        alike = annotation is not None and annotation.quad_id in chosen
        words = "What   now?" if sides[question.question_id] == "train" else "what now?"
        return replace(question, user_question_or_message=words) if alike else question

    division = divide(data.keep([reword(question) for question in data.questions]), 0, 4, 0)
    left_out = {data.evidence_for(q) for q in data.questions if q.question_id in division.dropped}
    assert {annotation.quad_id for annotation in left_out if annotation} == {min(quads[True])}
    assert len(division.dropped) == 4


def test_what_cannot_be_exported_is_named(dataset: Path, tmp_path: Path) -> None:
    def refuse(*options: object) -> str:
        done = call("export", dataset, "--split", "4k", "--out", tmp_path / "out", *options)
        assert done.returncode == 2, done.stderr
        assert not (tmp_path / "out").exists()
        return done.stderr

    assert "multiple of 4, under 8" in refuse("--format", "trl", "--hold-out-personas", 6)
    assert "Accepted: under 8" in refuse("--format", "trl", "--hold-out-personas", 8)
    assert "--hold-out-topics is 99" in refuse("--format", "trl", "--hold-out-topics", 99)
    assert "chats have no columns" in refuse("--format", "openai", *COLUMN)
    assert "are for training" in refuse("--format", "personamem-v2", "--seed", 1)
    (tmp_path / "file").touch()
    done = call(
        *("export", dataset, "--split", "4k", "--format", "trl", "--out", tmp_path / "file"),
    )
    assert done.returncode == 2


def test_a_table_of_the_official_release_is_parted_by_persona(tmp_path: Path) -> None:
    source = write_specimen(tmp_path / "release")
    words = ("export", source, "--split", "32k", "--table", "benchmark", "--format", "verl")
    apart = ("--hold-out-personas", 1)
    # The personas have the same questions, so all of training is worded as what is held out.
    done = call(*words, *apart, "--out", tmp_path / "none")
    assert done.returncode == 2
    assert "nothing is left for training, of which 8 rows are worded as" in done.stderr

    def reword(rows: list[dict[str, str]]) -> None:
        for row in rows:
            if row["persona_id"] == "47":
                row["user_query"] = row["user_query"].replace("'content': '", "'content': 'Hi! ")
                row["user_query"] = row["user_query"].replace("'content': \"", "'content': \"Hi! ")

    change_rows(source, reword)
    done = call(*words, *apart, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "does not hold what they ask about: 2 rows" in done.stderr
    assert "has no quads" in done.stderr
    train, test = (read(tmp_path / "out", part) for part in ("train", "test"))
    assert (len(train), len(test)) == (8, 8)
    personas = [{row["extra_info"]["persona_id"] for row in rows} for rows in (train, test)]
    assert sorted(map(sorted, personas)) == [[12], [47]]


def test_a_score_is_of_one_letter() -> None:
    row = {"answer_index": 1}
    assert score("(b)", row) == score("<think>(a)</think>B.", row) == 1
    assert score([{"role": "assistant", "content": "Option b"}], row) == 1
    for reply in ("(a)", "(a) or (b)", "", "a good idea", [], [{"role": "assistant"}]):
        assert score(reply, row) == 0
    for index in (4, -1, None, "b"):
        with pytest.raises(InvalidInputError, match="Accepted: 0 to 3"):
            score("(b)", {"answer_index": index})
