"""Rows of our files that do not hold together: the file, the row and what is accepted are named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_dataset import change_rows

from personamem.loaders import load_personamem
from personamem.loaders.formats.errors import DatasetError

Row = dict[str, Any]
BENCHMARK, ANNOTATIONS, CONTEXTS = "benchmark", "annotations", "contexts"


def put(**values: Any) -> Callable[[list[Row]], None]:
    """Return a change of row 2, question q01, which sees 3 messages."""

    def change(rows: list[Row]) -> None:
        rows[1].update(values)

    return change


def swap_options(rows: list[Row]) -> None:
    rows[1]["options"][0], rows[1]["options"][1] = rows[1]["options"][1], rows[1]["options"][0]


CASES: dict[str, tuple[str, Callable[[list[Row]], object], str]] = {
    "more sessions than evidence": (
        ANNOTATIONS,
        put(sessions_per_answer=9),
        "question q01: sessions_per_answer is 9. Accepted: 1 to 1.",
    ),
    "fewer updates than none": (
        ANNOTATIONS,
        put(updates=-1),
        "question q01: updates is -1. Accepted: 0 to 3.",
    ),
    "a question twice": (
        BENCHMARK,
        lambda rows: rows.append(rows[1]),
        "row 9, question q01: question_id occurs twice, first in row 2.",
    ),
    "an id of two questions": (
        BENCHMARK,
        lambda rows: rows[3].update(question_id="q01"),
        "row 4, question q01: question_id occurs twice, first in row 2.",
    ),
    "no id": (BENCHMARK, put(question_id=None), "row 2, question None: question_id is None."),
    "no text": (
        BENCHMARK,
        put(user_question_or_message=None),
        "question q01: user_question_or_message is None. Accepted: a text.",
    ),
    "no distance": (
        BENCHMARK,
        put(distance_to_ref_in_tokens=None),
        "question q01: distance_to_ref_in_tokens is None. Accepted: an integer.",
    ),
    "another answer index": (
        BENCHMARK,
        put(answer_index=3),
        "question q01: answer_index is 3. Accepted: 1, since correct_answer is (b).",
    ),
    "no answer index": (BENCHMARK, put(answer_index=None), "answer_index is None. Accepted: an"),
    "another answer": (BENCHMARK, put(correct_answer="(c)"), "answer_index is 1. Accepted: 2"),
    "no letter": (BENCHMARK, put(correct_answer="e"), "'e'. Accepted: (a), (b), (c), (d)."),
    "other options": (BENCHMARK, swap_options, 'question q01: options[0] is "You had bbb'),
    "an option less": (
        BENCHMARK,
        lambda rows: rows[1]["options"].pop(),
        "question q01: options has 3 texts. Accepted: the 4 of all_options.",
    ),
    "a null option": (
        BENCHMARK,
        lambda rows: rows[1]["options"].append(None),
        "question q01: options[4] is None. Accepted: a text.",
    ),
    "options that are no literal": (
        BENCHMARK,
        put(all_options="['(a) x'"),
        "Accepted: a list literal of 4 strings that start with (a) to (d), in order.",
    ),
    "half of a surrogate pair": (
        BENCHMARK,
        put(all_options=json.dumps(["(a) \ud800", "(b) x", "(c) y", "(d) z"])),
        "question q01: all_options is ",
    ),
    "an end index of 0": (
        BENCHMARK,
        put(end_index_in_shared_context=0),
        "question q01: end_index_in_shared_context is 0 in context ",
    ),
    "an end index past the context": (
        BENCHMARK,
        put(end_index_in_shared_context=11),
        "Accepted: 1 to 10.",
    ),
    "another context": (BENCHMARK, put(shared_context_id="x"), "there is no context 'x' in the"),
    "negative evidence": (
        ANNOTATIONS,
        put(evidence_message_indices=[-1]),
        "question q01: evidence_message_indices holds -1. Accepted: 0 to 2, the messages that",
    ),
    "evidence past the context": (
        ANNOTATIONS,
        put(evidence_message_indices=[1, 10**6]),
        "evidence_message_indices holds 1000000. Accepted: 0 to 2",
    ),
    "evidence past the end index": (
        ANNOTATIONS,
        put(evidence_message_indices=[3]),
        "evidence_message_indices holds 3. Accepted: 0 to 2",
    ),
    "related messages past the end index": (
        ANNOTATIONS,
        put(related_message_indices=[1, 3]),
        "related_message_indices holds 3. Accepted: 0 to 2",
    ),
    "evidence that is not related": (
        ANNOTATIONS,
        put(evidence_message_indices=[0, 1]),
        "question q01: related_message_indices lack 0. Accepted: those that hold all evidence",
    ),
    "no evidence": (
        ANNOTATIONS,
        put(evidence_message_indices=None),
        "row 2: evidence_message_indices is None. Accepted: a list.",
    ),
    "no related messages": (
        ANNOTATIONS,
        put(related_message_indices=None),
        "row 2: related_message_indices is None. Accepted: a list.",
    ),
    "a null index": (
        ANNOTATIONS,
        put(related_message_indices=[1, None]),
        "row 2: related_message_indices[1] is None. Accepted: an integer.",
    ),
    "no roles": (ANNOTATIONS, put(option_roles=None), "option_roles is None. Accepted: a list."),
    "a null role": (
        ANNOTATIONS,
        put(option_roles=["own", None, "friend", "relative"]),
        "option_roles[1] is None. Accepted: a text.",
    ),
    "three roles": (
        ANNOTATIONS,
        put(option_roles=["own", "friend", "relative"]),
        "question q01: option_roles has 3 values. Accepted: 4, one an option.",
    ),
    "five keys": (
        ANNOTATIONS,
        put(option_keys=["v0", "v1", "v2", "v3", "v4"]),
        "question q01: option_keys has 5 values. Accepted: 4, one an option.",
    ),
    "no pair": (ANNOTATIONS, put(pair_id=None), "row 2: pair_id is None. Accepted: a text."),
    "another position": (
        ANNOTATIONS,
        put(pair_id="p", pair_position="NaN"),
        "row 2: pair_position is 'NaN'. Accepted: before, after, an empty text.",
    ),
    "a position without a pair": (
        ANNOTATIONS,
        put(pair_position="before"),
        "pair_id is '', pair_position 'before'. Accepted: both, or neither.",
    ),
    "a pair without a position": (ANNOTATIONS, put(pair_id="p"), "Accepted: both, or neither."),
    "an annotation twice": (
        ANNOTATIONS,
        lambda rows: rows.append(rows[1]),
        "row 9: question q01 occurs twice.",
    ),
    "an annotation less": (
        ANNOTATIONS,
        lambda rows: rows.pop(1),
        " has no row for question q01.",
    ),
    "an annotation of no question": (
        ANNOTATIONS,
        lambda rows: rows.append({**rows[1], "question_id": "x"}),
        "row 9: there is no question 'x' in the split's 8 questions.",
    ),
    "no number of messages": (
        CONTEXTS,
        put(num_messages=None),
        "row 2: num_messages is None. Accepted: an integer.",
    ),
    "another number of messages": (CONTEXTS, put(num_messages=12), "its num_messages says 12"),
    "no sessions": (CONTEXTS, put(session_starts=None), "row 2: session_starts is None."),
    "sessions in no order": (CONTEXTS, put(session_starts=[6, 0]), "do not describe the same"),
    "no first session": (CONTEXTS, put(session_starts=[1, 6]), "do not describe the same"),
    "a session past the end": (CONTEXTS, put(session_starts=[0, 10]), "do not describe the same"),
    "sessions without starts": (
        CONTEXTS,
        put(session_starts=[], session_topics=[], session_dates=[]),
        "do not describe the same",
    ),
    "a date less": (CONTEXTS, put(session_dates=["2024-05-01"]), "do not describe the same"),
    "no messages": (CONTEXTS, put(messages=None), "is not a list of messages"),
    "a null message": (
        CONTEXTS,
        lambda rows: rows[1]["messages"].__setitem__(4, None),
        "message 4: role None with NoneType content.",
    ),
    "a message without text": (
        CONTEXTS,
        lambda rows: rows[1]["messages"][4].update(content=None),
        "message 4: role 'user' with NoneType content.",
    ),
    "another role": (
        CONTEXTS,
        lambda rows: rows[1]["messages"][4].update(role="tool"),
        "message 4: role 'tool' with str content. Accepted: a role of system, user, assistant",
    ),
    "a context twice": (CONTEXTS, lambda rows: rows.append(rows[1]), "1 occurs twice."),
}


@pytest.mark.parametrize("case", CASES)
def test_a_row_that_does_not_hold_is_refused(ours: Path, case: str) -> None:
    kind, change, message = CASES[case]
    change_rows(ours, kind, change)
    with pytest.raises(DatasetError) as caught:
        list(load_personamem(ours, "4k").pairs())
    assert f"{ours / kind / '4k.parquet'}" in str(caught.value)
    assert message in str(caught.value)


def test_the_official_files_have_no_question_twice(official: Path) -> None:
    path = official / "questions_4k.csv"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines, lines[1]]), "utf-8")
    with pytest.raises(DatasetError, match=r"questions_4k\.csv, row 9, question q00: .* in row 1"):
        load_personamem(official, "4k")


def test_a_dataset_without_these_faults_loads(ours: Path) -> None:
    for kind in (BENCHMARK, ANNOTATIONS, CONTEXTS):
        change_rows(ours, kind, lambda rows: None)
    assert len(list(load_personamem(ours, "4k").pairs())) == 8
