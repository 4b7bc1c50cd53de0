"""Metrics over plain values, their evaluate.Metric forms, the oracle's choice, the window check."""

import math
from functools import partial
from pathlib import Path

import pytest

from personamem.loaders import load_personamem, oracle_messages_for
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personamem.metrics import (
    accuracy,
    accuracy_of_third,
    accuracy_of_type,
    macro_f1,
    unparsable_share,
)
from personamem.loaders.personamem.oracle import select_sessions
from personamem.loaders.prompting.windows import Prompt, Window, check_prompts_fit


def test_accuracy_and_unparsable_share() -> None:
    assert accuracy(["a", "b", "c", "d"], ["a", "b", "d", None]) == 0.5
    assert unparsable_share(["a", None, None, "d"]) == 0.5
    assert math.isnan(accuracy([], []))


def test_macro_f1_equals_the_definition_by_hand() -> None:
    pairs = [("a", "a"), ("a", "b"), ("b", "b"), ("c", None)]
    f1_a, f1_b, f1_c = 2 / 3, 2 / 3, 0.0
    assert macro_f1(pairs) == pytest.approx((f1_a + f1_b + f1_c) / 3)


def test_macro_f1_equals_scikit_learn_where_all_letters_occur() -> None:
    sklearn_metrics = pytest.importorskip("sklearn.metrics")
    golds = list("aabbccdd")
    predictions = list("abbbcdda")
    expected = sklearn_metrics.f1_score(golds, predictions, average="macro")
    assert macro_f1(zip(golds, predictions, strict=True)) == pytest.approx(expected)


def test_accuracy_of_a_type_looks_at_that_type_only() -> None:
    items = [("recall", 1.0), ("recall", 0.0), ("ideas", 1.0)]
    assert accuracy_of_type("recall", items) == 0.5
    assert accuracy_of_type("none", items) is None


def test_thirds_by_distance() -> None:
    items = [(900, 0.0), (100, 1.0), (500, 1.0), (200, 1.0), (800, 0.0), (600, 0.0)]
    assert [accuracy_of_third(third, items) for third in ("near", "middle", "far")] == [
        1.0,
        0.5,
        0.0,
    ]


def test_equal_distances_stay_in_one_third() -> None:
    items = [(5, 1.0), (5, 0.0), (5, 0.0), (9, 1.0)]
    assert accuracy_of_third("near", items) == pytest.approx(1 / 3)
    assert accuracy_of_third("middle", items[:3]) is None
    assert accuracy_of_third("middle", items) != accuracy_of_third("near", items)
    assert accuracy_of_third("far", []) is None


def test_unknown_distances_are_in_no_third() -> None:
    known = [(100, 1.0), (200, 0.0), (300, 0.0)]
    unknown = [(None, 1.0)] * 6
    for third in ("near", "middle", "far"):
        assert accuracy_of_third(third, unknown + known) == accuracy_of_third(third, known)
        assert accuracy_of_third(third, unknown) is None


def test_the_evaluate_metrics_compute_without_a_hub(tmp_path: Path) -> None:
    from personamem.loaders.personamem.evaluate_metrics import (
        AccuracyByType,
        LetterAccuracy,
        LetterF1,
    )

    cache = {"cache_dir": str(tmp_path)}
    replies = ["(a)", "The answer is b.", "no idea", "(d)"]
    golds = ["(a)", "(b)", "(c)", "(a)"]
    scores = LetterAccuracy(**cache).compute(predictions=replies, references=golds)
    assert scores == {"accuracy": 0.5, "unparsable": 0.25}
    f1 = LetterF1(**cache).compute(predictions=replies, references=golds)["f1"]
    assert f1 == pytest.approx((2 / 3 + 1 + 0 + 0) / 4)
    typed = AccuracyByType(**cache).compute(
        predictions=replies, references=golds, question_types=["x", "x", "y", "y"]
    )
    assert typed == {"acc_x": 1.0, "acc_y": 0.0}


def test_the_oracle_sees_whole_sessions_that_hold_evidence(ours: Path, official: Path) -> None:
    data = load_personamem(ours, "4k")
    for question in data.questions:
        expected = data.messages_for(question)[:6]
        assert oracle_messages_for(data, question) == expected
    other = load_personamem(official, "4k")
    with pytest.raises(InvalidInputError, match="needs annotations"):
        oracle_messages_for(other, other.questions[0])


def test_sessions_are_selected_whole_in_order_and_not_past_the_end() -> None:
    messages = [{"role": "user", "content": str(index)} for index in range(9)]
    chosen = select_sessions(messages, [0, 3, 6, 12], [7, 1, 13])
    assert [message["content"] for message in chosen] == ["0", "1", "2", "6", "7", "8"]
    assert select_sessions(messages, [0, 3], []) == []
    assert select_sessions(messages[:7], [0, 3, 6, 12], [7]) == []


def make_window(tokens: int, reply: int = 0) -> tuple[Window, list[str]]:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text.split())

    return Window(tokens, reply, count), counted


def make_prompts(*texts: tuple[str, str]) -> tuple[list[Prompt], list[int]]:
    """Return prompts of (shared text, last turn), and the indices of those that get built."""
    built: list[int] = []

    def build(index: int) -> str:
        built.append(index)
        return "".join(texts[index])

    prompts = [
        Prompt(f"q{index}", last_turn, partial(build, index))
        for index, (_, last_turn) in enumerate(texts)
    ]
    return prompts, built


def test_a_prompt_that_does_not_fit_names_both_numbers() -> None:
    window, _ = make_window(40, reply=10)
    with pytest.raises(InvalidInputError, match=r"question q0.* 31 tokens.* 10, .*window 40"):
        check_prompts_fit(window, "task", make_prompts(("word " * 30, "and?"))[0])
    check_prompts_fit(window, "task", make_prompts(("word " * 29, "and?"))[0])


def test_one_prompt_a_context_is_built_and_counted_where_there_is_room() -> None:
    window, counted = make_window(300)
    shared = "word " * 100
    prompts, built = make_prompts((shared, "and?"), (shared[:400], "or?"), (shared[:300], "so?"))
    check_prompts_fit(window, "task", prompts)
    assert built == [0]
    assert len(counted) == 1


def test_a_shorter_prompt_is_counted_where_room_is_scarce() -> None:
    window, counted = make_window(110)
    shared = "word " * 100
    prompts, built = make_prompts((shared, "and?"), (shared, "a " * 20))
    with pytest.raises(InvalidInputError, match="question q1"):
        check_prompts_fit(window, "task", prompts)
    assert built == [0, 1]
    assert len(counted) == 2


def test_short_prompts_and_prompts_that_are_no_text_are_not_counted() -> None:
    window, counted = make_window(100)
    check_prompts_fit(window, "task", make_prompts(("word " * 10, "and?"))[0])
    check_prompts_fit(window, "task", [Prompt("q1", "word " * 500, lambda: ["message"])])
    assert counted == []
