"""The tasks of the second release: documents, conditions, protocols, scores by part."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from version2_specimen import CASES, PHONE

from personamem.loaders import make_final_turn
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personamem.version2.protocols import RECALL, RELEASED_REPLY_TOKENS
from personamem.loaders.personamem.version2.records import KINDS

MakeTask = Callable[..., Any]
CONDITIONS = ("", "_nocontext", "_profile", "_oracle", "_rag", "_memory")
GOLDS = "bcdbdccdc"
SYSTEM = {"role": "system", "content": "You talk with Ida Brandt, who likes plain words."}


def test_documents_are_ordered_by_history_and_say_what_they_count_for(
    make_task: MakeTask, release: Path
) -> None:
    task = make_task("personamem_v2_32k", release)
    docs = list(task.eval_docs)
    assert [doc["persona_id"] for doc in docs] == [12] * 8 + [47] * 8
    first = next(doc for doc in docs if doc["question_id"] == "row-6")
    assert first["labels"] == [
        *("neutral_preferences", "updated", "chat_message", "distance_0k_4k"),
    ]
    assert set(task.labels) >= {kind for kind in KINDS if kind != "sensitive"}
    assert not any("messages" in doc for doc in docs)


def count(task: Any) -> tuple[int, int]:
    metadata = task.dump_config()["metadata"]
    return metadata["left_out"], metadata["absent_snippets"]


def test_rows_that_no_history_answers_are_left_out_and_counted(
    make_task: MakeTask, release: Path, told: Path, caplog: pytest.LogCaptureFixture
) -> None:
    task = make_task("personamem_v2_32k", release)
    assert len(task.eval_docs) == 16
    assert count(task) == (2, 0)
    assert "2 of 18 questions are left out" in caplog.text
    whole = make_task("personamem_v2_32k", told)
    released = make_task("personamem_v2_32k", release, protocol="as_released")
    assert count(whole) == (0, 0)
    assert count(released) == (0, 2)
    for every in (whole, released):
        kinds = Counter(doc["kind"] for doc in every.eval_docs)
        assert kinds == dict(zip(KINDS, (10, 2, 2, 2, 2), strict=True))


def test_the_order_of_options_is_the_same_everywhere_and_no_letter_is_preferred(
    make_task: MakeTask, release: Path
) -> None:
    tasks = [
        make_task(name, release, **settings)
        for name, settings in (
            ("personamem_v2_32k", {}),
            ("personamem_v2_128k_nocontext_ll", {}),
            ("personamem_v2_32k", {"protocol": "as_released"}),
        )
    ]
    orders = [{doc["question_id"]: doc["options"] for doc in t.eval_docs} for t in tasks]
    assert orders[0] == orders[1]
    assert orders[0].items() <= orders[2].items()
    # By a digest, so also in another process.
    golds = "".join("abcd"[doc["answer_index"]] for doc in tasks[2].eval_docs)
    assert golds == 2 * GOLDS


def test_conditions_differ_in_what_precedes_the_question_alone(
    make_task: MakeTask, release: Path
) -> None:
    tasks = {name: make_task(f"personamem_v2_32k{name}", release) for name in CONDITIONS}
    doc = tasks[""].eval_docs[0]
    case = CASES[0]
    final = {"role": "user", "content": make_final_turn(case.query, doc["options"])}
    shown = {}
    for name, task in tasks.items():
        *shown[name], last = task.make_messages(doc)
        assert last == final
        assert task.make_turn(doc) == final["content"]
    history = tasks[""].version2.data.context(doc["shared_context_id"])
    assert shown[""] == list(history)
    assert shown["_nocontext"] == []
    assert shown["_profile"] == [SYSTEM]
    assert [m["content"] for m in shown["_oracle"][1:]] == [case.told, case.reply]
    for name in ("_profile", "_oracle", "_rag", "_memory"):
        assert shown[name][0] == SYSTEM
    found = tasks["_rag"].describe_prompt(doc)["messages"]
    assert shown["_rag"][1:] == [history[index] for index in found]
    assert found == sorted(found)
    assert len(shown["_memory"]) == 2


def test_retrieval_takes_chunks_that_overlap(make_task: MakeTask, release: Path) -> None:
    starts = set()
    for k in (1, 2):
        task = make_task("personamem_v2_32k_rag", release, k=k)
        for doc in task.eval_docs:
            found = task.describe_prompt(doc)["messages"]
            assert 2 < len(found) <= 6 * k
            if k == 1:
                assert found == [*range(found[0], found[-1] + 1)]
                starts.add(found[0])
    # After the system message, every fourth message begins a chunk.
    assert {start % 4 for start in starts} == {1}
    assert len(starts) > 2


def test_a_history_is_shared_by_its_questions(make_task: MakeTask, release: Path) -> None:
    full = make_task("personamem_v2_32k", release)
    profile = make_task("personamem_v2_32k_profile", release)
    for task in (full, profile):
        groups = {task.group_prompt(doc) for doc in task.eval_docs}
        assert groups == set(full.version2.data.context_ids)
        starts = {str(task.make_messages(doc)[:-1]) for doc in task.eval_docs}
        assert len(starts) == 2
    assert {p.prefix for p in map(full.split_prompt, full.eval_docs)} == {0}


def test_as_released_asks_in_the_releases_way(make_task: MakeTask, release: Path) -> None:
    task = make_task("personamem_v2_32k", release, protocol="as_released")
    assert task.config.generation_kwargs["max_gen_toks"] == RELEASED_REPLY_TOKENS
    for doc in task.eval_docs:
        *_, query, choice = task.make_messages(doc)
        assert query["role"] == "user"
        assert query["content"] == f"{doc['user_question_or_message']}\n\n{RECALL}"
        assert choice["role"] == "system"
        assert all(option in choice["content"] for option in doc["options"])
    (query,) = make_task(
        "personamem_v2_32k_nocontext_open", release, protocol="as_released"
    ).make_messages(task.eval_docs[0] | {"mode": "open"})
    assert query["content"].endswith(RECALL)
    for name in ("rag", "memory"):
        other = make_task(f"personamem_v2_32k_{name}", release, protocol="as_released")
        assert SYSTEM not in other.make_messages(other.eval_docs[0])
    with pytest.raises(InvalidInputError, match="ranks no letters"):
        make_task("personamem_v2_32k_ll", release, protocol="as_released")
    with pytest.raises(InvalidInputError, match=r"Unknown protocol 'mine'.*corrected, as_released"):
        make_task("personamem_v2_32k", release, protocol="mine")


def aggregate(task: Any, replies: list[Any]) -> dict[str, float | None]:
    results = [
        task.process_results(doc, reply) for doc, reply in zip(task.eval_docs, replies, strict=True)
    ]
    assert all(set(result) == set(task.aggregation()) for result in results)
    return {name: agg([r[name] for r in results]) for name, agg in task.aggregation().items()}


def test_scores_are_told_by_type_kind_scenario_and_distance(
    make_task: MakeTask, told: Path
) -> None:
    task = make_task("personamem_v2_32k", told)
    right = [[f"It is {doc['correct_answer']}."] for doc in task.eval_docs]
    scores = aggregate(task, right)
    assert scores.pop("unparsable") == 0
    assert set(scores.values()) == {1.0}
    wrong = [
        ["no letter"] if doc["kind"] == "sensitive" else reply
        for doc, reply in zip(task.eval_docs, right, strict=True)
    ]
    scores = aggregate(task, wrong)
    assert scores["acc"] == 16 / 18
    assert scores["acc_sensitive"] == scores["acc_sensitive_info"] == 0
    assert scores["acc_self"] == scores["acc_others"] == scores["acc_ask_to_forget"] == 1
    assert scores["acc_professional_writing"] == 0
    assert scores["acc_distance_0k_4k"] == 16 / 18
    assert scores["unparsable"] == 2 / 18


def test_letters_are_read_as_the_protocol_says(make_task: MakeTask, release: Path) -> None:
    ours = make_task("personamem_v2_32k", release)
    released = make_task("personamem_v2_32k", release, protocol="as_released")
    for task, reply, unread in (
        (ours, "Answer: because of it", 1),
        (released, "Answer: because of it", 0),
        (ours, "Final Answer: [B]", 0),
        (released, "Final Answer: [B]", 1),
    ):
        result = task.process_results(task.eval_docs[0], [reply])
        assert result["unparsable"] == unread, (task.protocol, reply)


def test_likelihoods_choose_the_likeliest_letter(make_task: MakeTask, release: Path) -> None:
    task = make_task("personamem_v2_128k_ll", release)
    replies = [
        [(-1.0 if index == doc["answer_index"] else -2.0, False) for index in range(4)]
        for doc in task.eval_docs
    ]
    assert set(aggregate(task, replies).values()) == {1.0}


def test_open_replies_are_looked_through_for_secrets(make_task: MakeTask, told: Path) -> None:
    task = make_task("personamem_v2_32k_open", told)
    assert set(task.aggregation()) == {"empty", "leaked"}
    for doc in task.eval_docs:
        assert task.make_messages(doc)[-1]["content"] == doc["user_question_or_message"]
    sensitive = [doc for doc in task.eval_docs if doc["kind"] == "sensitive"]
    assert [doc["secrets"] for doc in sensitive] == [[PHONE]] * 2
    assert not any(doc["secrets"] for doc in task.eval_docs if doc["kind"] != "sensitive")
    replies = [
        ["Call (+49) 30-5550-1471." if doc["question_id"] == "row-9" else doc["gold"]]
        for doc in task.eval_docs
    ]
    assert aggregate(task, replies) == {"empty": 0, "leaked": 0.5}
    empty = [["<think>well</think> "]] * len(replies)
    assert aggregate(task, empty) == {"empty": 1, "leaked": 0}


def test_the_tables_for_training_are_tasks_too(make_task: MakeTask, release: Path) -> None:
    assert len(make_task("personamem_v2_32k", release, table="val").eval_docs) == 2


def test_a_strict_template_takes_the_released_form_whole(
    make_task: MakeTask, release: Path
) -> None:
    from personamem.loaders import STRICT_RULES, normalise_messages

    task = make_task("personamem_v2_32k", release, protocol="as_released")
    for doc in task.eval_docs:
        messages = normalise_messages(task.make_messages(doc), STRICT_RULES)
        roles = [message["role"] for message in messages]
        assert roles == ["system", *(["user", "assistant"] * len(roles))[: len(roles) - 1]]
        assert roles[-1] == "user"
        last = messages[-1]["content"]
        assert last.startswith(doc["user_question_or_message"])
        assert last.index(RECALL) < min(last.index(option) for option in doc["options"])
