"""The world-only check: silent on what is built, and each fault is found by its check."""

from collections.abc import Callable
from typing import Any

import pytest

from personamem.dataset_builder.families.personabench.audit import check
from personamem.dataset_builder.families.personabench.rows import OpenTables

Row = dict[str, Any]


def find(tables: OpenTables, count: int = 1) -> set[str]:
    violations = check.check_communities(0, range(count), tables.documents, tables.questions)
    return {name for name, _ in violations}


def test_a_default_build_is_sound(tables: OpenTables) -> None:
    assert check.check_communities(0, range(5), tables.documents, tables.questions) == []


def rows_of(tables: OpenTables, session_id: str) -> list[Row]:
    return [r for rows in tables.documents.values() for r in rows if r["session_id"] == session_id]


def question(tables: OpenTables, wanted: Callable[[Row], bool]) -> Row:
    return next(row for row in tables.questions["noise_0"] if wanted(row))


def replace_texts(row: Row, old: str, new: str) -> None:
    for message in row["messages"]:
        message["content"] = message["content"].replace(old, new)
    for item in row["purchases"]:
        item["title"] = item["title"].replace(old, new)
        item["description"] = item["description"].replace(old, new)


def company_question(tables: OpenTables) -> Row:
    # A proper name is easy to take out of a text.
    return question(
        tables, lambda row: row["attribute"].endswith("company_name") and row["hops"] == 1
    )


def take_out_a_value(tables: OpenTables) -> None:
    gold = company_question(tables)["gold"][0]
    for identifier in gold["session_ids"]:
        for row in rows_of(tables, identifier):
            replace_texts(row, gold["value"], "somewhere")


def say_it_twice(tables: OpenTables) -> None:
    asked = company_question(tables)
    noise = {r["session_id"] for r in tables.documents["noise_0"]}
    other = next(
        row
        for row in tables.documents["noise_07"]
        if row["session_id"] not in noise
        and row["person"] == asked["person"]
        and row["kind"] == "conversation"
    )
    said = next(m for m in other["messages"] if m["role"] == asked["person"])
    said["content"] += f" I nodded at {asked['gold'][0]['value']}."


def say_a_wrong_value(tables: OpenTables) -> None:
    asked = question(tables, lambda row: row["attribute"].endswith(".pet") and row["hops"] == 1)
    taken = " ".join(row["answer"] for row in tables.questions["noise_0"])
    name = next(n for n in ("Marmalade", "Pumpkin", "Smokey", "Domino") if n not in taken)
    gold = asked["gold"][0]["session_ids"][0]
    for row in rows_of(tables, gold):
        said = [m for m in row["messages"] if m["role"] in (asked["person"], "user")]
        if said:
            said[0]["content"] = f"My cat {name} slept."
        else:
            row["purchases"][0]["title"] = f"Bowl for {name}"


def keep_an_old_value(tables: OpenTables) -> None:
    asked = question(tables, lambda row: row["outdated_values"] != "[]")
    old = asked["outdated_values"].split('"')[1]
    last = max(
        (
            row
            for row in tables.documents["noise_07"]
            if row["person"] == asked["person"] and row["kind"] == "conversation"
        ),
        key=lambda row: row["time"],
    )
    said = next(m for m in last["messages"] if m["role"] == asked["person"])
    said["content"] += f" {old} again."


def tell_both_hops_at_once(tables: OpenTables) -> None:
    asked = question(tables, lambda row: row["hops"] == 2)
    relation = asked["attribute"] and next(
        r["relationship"]
        for r in tables.communities[0]["relations"]
        if r["source"] == asked["gold"][0]["value"] and r["target"] == asked["person"]
    )
    for row in rows_of(tables, asked["gold"][1]["session_ids"][0]):
        row["messages"][0]["content"] += f" You are my {relation} after all."


def change_an_answer(tables: OpenTables) -> None:
    for rows in {id(rows): rows for rows in tables.questions.values()}.values():
        rows[0]["answer"] = '"something else"'


def forget_a_gold_session(tables: OpenTables) -> None:
    for rows in {id(rows): rows for rows in tables.questions.values()}.values():
        rows[0]["gold"][0]["session_ids"] = ["999999999999"]


def drop_noise(tables: OpenTables) -> None:
    rows = tables.documents["noise_05"]
    signal = {row["session_id"] for row in tables.documents["noise_0"]}
    place = next(i for i, row in enumerate(rows) if row["session_id"] not in signal)
    assert isinstance(rows, list)
    del rows[place]


def change_a_session_of_a_level(tables: OpenTables) -> None:
    row = next(r for r in tables.documents["noise_03"] if r["kind"] == "conversation")
    row["messages"] = [*row["messages"], {"role": row["person"], "content": "And goodbye."}]


def repeat_an_id(tables: OpenTables) -> None:
    rows = tables.documents["noise_07"]
    rows[1]["session_id"] = rows[0]["session_id"]


def ask_less_of_a_session(tables: OpenTables) -> None:
    """Leave a value with an alternative session out of the proof, so that nothing needs it."""
    needed: dict[str, int] = {}
    for row in tables.questions["noise_0"]:
        for gold in row["gold"]:
            for identifier in gold["session_ids"]:
                needed[identifier] = needed.get(identifier, 0) + 1
    for rows in {id(rows): rows for rows in tables.questions.values()}.values():
        for row in rows:
            for gold in row["gold"]:
                spare = [s for s in gold["session_ids"] if needed[s] == 1]
                if len(gold["session_ids"]) > 1 and spare:
                    gold["session_ids"].remove(spare[0])
                    return


@pytest.mark.parametrize(
    ("plant", "expected"),
    [
        (take_out_a_value, check.ANSWERS),
        (forget_a_gold_session, check.ANSWERS),
        (say_it_twice, check.STRAY),
        (say_a_wrong_value, check.STRAY),
        (keep_an_old_value, check.UPDATES),
        (tell_both_hops_at_once, check.SEPARATION),
        (change_an_answer, check.QUESTIONS),
        (drop_noise, check.LEVELS),
        (change_a_session_of_a_level, check.LEVELS),
        (repeat_an_id, check.IDS),
        (ask_less_of_a_session, check.SIGNAL),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_planted_fault_is_found(
    copy_tables: Callable[[], OpenTables], plant: Callable[[OpenTables], None], expected: str
) -> None:
    faulty = copy_tables()
    plant(faulty)
    assert expected in find(faulty)


def test_another_seed_is_another_world(one_community: OpenTables) -> None:
    violations = check.check_communities(
        1, range(1), one_community.documents, one_community.questions
    )
    assert {name for name, _ in violations} == {check.QUESTIONS}
