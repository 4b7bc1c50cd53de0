"""The plan: its sums against hand-made ones, and the command that prints it."""

import json
import subprocess
from pathlib import Path

import pytest
from preloaded_programs import find_programs

from personamem.dataset_builder.cli.plan import (
    PlannedQuestion,
    add_plans,
    cost_of,
    plan_task,
    read_cache_bytes,
    select_numbers,
)
from personamem.dataset_builder.llm.cost import Prices
from personamem.loaders import load_personamem, make_final_turn, oracle_messages_for
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.tokens import count_tokens

QUESTIONS = [
    PlannedQuestion("a", 0, 100, 10, 400),
    PlannedQuestion("a", 0, 300, 20, 900),
    PlannedQuestion("b", 0, 50, 5, 160),
    PlannedQuestion("b", 1, 40, 5, 130),
]


def test_a_context_is_read_once_and_every_turn_by_itself() -> None:
    plan = plan_task("t", QUESTIONS, reply_tokens=8)
    assert (plan.contexts, plan.questions) == (2, 4)
    assert plan.naive_tokens == 110 + 320 + 55 + 45
    assert plan.shared_tokens == (300 + 50 + 40) + (10 + 20 + 5 + 5)
    assert plan.reply_tokens == 32
    assert plan.longest_prompt == 328
    assert plan.letters == 1590
    assert plan_task("t", QUESTIONS, passes=4).naive_tokens == 4 * plan.naive_tokens


def test_totals_and_cost() -> None:
    plan = plan_task("t", QUESTIONS, reply_tokens=8)
    total = add_plans([plan, plan])
    assert (total.questions, total.naive_tokens, total.longest_prompt) == (8, 1060, 328)
    naive, shared = cost_of(plan, Prices(2.0, 0.5, 10.0))
    assert naive == pytest.approx((530 * 2 + 32 * 10) / 1e6)
    assert shared == pytest.approx((430 * 2 + 100 * 0.5 + 32 * 10) / 1e6)


def test_selections_are_those_of_lm_eval() -> None:
    assert select_numbers(5, None) == [0, 1, 2, 3, 4]
    assert select_numbers(5, 2.0) == [0, 1]
    assert select_numbers(5, 0.3) == [0, 1]
    assert select_numbers(5, 9.0) == [0, 1, 2, 3, 4]
    assert select_numbers(5, None, [4, 1]) == [4, 1]


def test_the_cache_of_a_model_is_read_from_its_configuration(tmp_path: Path) -> None:
    arguments = {"pretrained": str(tmp_path)}
    assert read_cache_bytes({}) is read_cache_bytes(arguments) is None
    config = {"num_hidden_layers": 3, "num_attention_heads": 8, "hidden_size": 64}
    (tmp_path / "config.json").write_text(json.dumps({**config, "dtype": "bfloat16"}))
    assert read_cache_bytes(arguments) == 3 * 8 * 8 * 2 * 2
    assert read_cache_bytes({**arguments, "dtype": "float32"}) == 3 * 8 * 8 * 2 * 4
    inner = {**config, "num_key_value_heads": 2, "head_dim": 16}
    (tmp_path / "config.json").write_text(json.dumps({"text_config": inner}))
    assert read_cache_bytes(arguments) == 3 * 2 * 16 * 2 * 2
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(InvalidInputError, match="not valid JSON"):
        read_cache_bytes(arguments)


def test_the_command_prints_the_datasets_own_sums_and_runs_nothing(dataset: Path) -> None:
    words = ["eval", dataset, "--split", "4k", "--condition", "oracle", "--plan", "--limit", "9"]
    # The address leads nowhere: nobody may call it.
    words += ["--model", "local-chat-completions", "--model_args", "base_url=http://localhost:9"]
    words += ["--gen_kwargs", "max_gen_toks=7", "--price-input", "1000000", "--price-cached", "0"]
    words += ["--price-output", "0"]
    done = subprocess.run(
        [find_programs() / "personamem", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    data = load_personamem(dataset, "4k")
    questions = data.ordered_questions()[:9]
    turns = [
        count_tokens(make_final_turn(q.user_question_or_message, q.options)) for q in questions
    ]
    naive = sum(q.context_length_in_tokens for q in questions) + sum(turns)
    longest: dict[str, int] = {}
    for question in questions:
        known = longest.get(question.shared_context_id, 0)
        longest[question.shared_context_id] = max(known, question.context_length_in_tokens)
    shared = sum(longest.values()) + sum(turns)
    oracle = sum(turns) + sum(
        count_tokens(message["content"])
        for question in questions
        for message in oracle_messages_for(data, question)
    )
    for number in (naive, shared, oracle, 9 * 7):
        assert f" {number:,} " in done.stdout
    assert f"{naive + oracle:,}.00 without a cache" in done.stdout
    assert "unknown" in done.stdout
