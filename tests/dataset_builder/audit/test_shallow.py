"""Shallow policies find what is planted in a context, at the cost of one reading of it."""

import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from time import process_time

import numpy as np
import pytest

from personamem.dataset_builder.audit.baselines import OVERALL, measure_limit
from personamem.dataset_builder.audit.chance import credit
from personamem.dataset_builder.audit.prefix_bm25 import Postings, find_words
from personamem.dataset_builder.audit.shallow import (
    KEYWORD_POLICIES,
    SHALLOW_POLICIES,
    score_context,
)
from personamem.dataset_builder.core.items import Item, Scores, make_items
from personamem.dataset_builder.families.personamem.audit.sources import read_split
from personamem.loaders.formats.schema import NEW_IDEAS, Message

WORDS = ["".join(Random(i).choices("abcdefghijklmnopqrstuvwxyz", k=4 + i % 5)) for i in range(300)]

Plant = Callable[[Random, list[str], int], list[tuple[str, str]]]
"""From options and the gold: the (role, sentence) that speak of them, in the order of messages."""


def make_context(
    plant: Plant, questions: int = 40, seed: int = 1
) -> tuple[list[Message], list[Item], list[int]]:
    random = Random(seed)
    messages: list[Message] = []
    items, ends = [], []
    for number in range(questions):
        options = [f"try the topic{number}x{j} {random.choice(WORDS)}{number}" for j in range(4)]
        gold = random.randrange(4)
        for role, sentence in plant(random, options, gold):
            filler = " ".join(random.choices(WORDS, k=random.randint(8, 30)))
            messages.append({"role": role, "content": f"{filler}. {sentence}. {filler}."})  # type: ignore[typeddict-item]
        question = f"subject{number} theme{number}"
        items.append(Item(f"q{number}", "t", question, tuple(options), gold, f"g{number}"))
        ends.append(len(messages))
    return messages, items, ends


def shuffled(random: Random, gold: int, times_gold: int = 1) -> list[int]:
    order = [j for j in range(4) for _ in range(times_gold if j == gold else 1)]
    random.shuffle(order)
    return order


def gold_last(random: Random, options: list[str], gold: int) -> list[tuple[str, str]]:
    order = [j for j in shuffled(random, gold) if j != gold]
    return [("user", options[j]) for j in [*order, gold]]


def gold_last_by_user(random: Random, options: list[str], gold: int) -> list[tuple[str, str]]:
    return [*gold_last(random, options, gold), ("assistant", options[(gold + 1) % 4])]


def gold_first(random: Random, options: list[str], gold: int) -> list[tuple[str, str]]:
    return gold_last(random, options, gold)[::-1]


def gold_often(random: Random, options: list[str], gold: int) -> list[tuple[str, str]]:
    return [("user", options[j]) for j in shuffled(random, gold, 3)]


def gold_never(random: Random, options: list[str], gold: int) -> list[tuple[str, str]]:
    return [("user", options[j]) for j in shuffled(random, gold) if j != gold]


def gold_only(random: Random, options: list[str], gold: int) -> list[tuple[str, str]]:
    return [("user", options[gold])]


def gold_beside_the_subject(random: Random, options: list[str], gold: int) -> list[tuple[str, str]]:
    number = options[0].split("topic")[1].split("x")[0]
    subject = f"subject{number} theme{number} "
    return [("user", (subject if j == gold else "") + options[j]) for j in shuffled(random, gold)]


def gold_without_friends(random: Random, options: list[str], gold: int) -> list[tuple[str, str]]:
    order = shuffled(random, gold)
    return [("user", ("I " if j == gold else "my friend ") + options[j]) for j in order]


def gold_denied_first(random: Random, options: list[str], gold: int) -> list[tuple[str, str]]:
    first = [("user", ("never " if j == gold else "") + options[j]) for j in shuffled(random, gold)]
    return [*first, ("user", f"I do {options[gold]}")]


def gold_of_a_friend(random: Random, options: list[str], gold: int) -> list[tuple[str, str]]:
    order = shuffled(random, gold)
    return [("user", ("my friend " if j == gold else "I ") + options[j]) for j in order]


def no_leak(random: Random, options: list[str], gold: int) -> list[tuple[str, str]]:
    return [("user", options[j]) for j in shuffled(random, gold)]


@pytest.mark.parametrize(
    ("plant", "policy"),
    [
        (gold_last, "most recently mentioned"),
        (gold_last_by_user, "most recently mentioned by the user"),
        (gold_first, "first mentioned"),
        (gold_first, "first mentioned by the user"),
        (gold_first, "least recently mentioned"),
        (gold_often, "most often mentioned"),
        (gold_often, "most often mentioned by the user"),
        (gold_never, "least often mentioned"),
        (gold_never, "lowest BM25"),
        (gold_only, "highest BM25"),
        (gold_beside_the_subject, "retrieval of one message"),
        (gold_beside_the_subject, "retrieval of five messages"),
        (gold_beside_the_subject, "question and option retrieved"),
        (gold_without_friends, "keywords at the last mention"),
        (gold_denied_first, "denied at its first mention"),
        (gold_of_a_friend, "somebody else's at its first mention"),
    ],
)
def test_a_planted_leak_is_found_in_full(plant: Plant, policy: str) -> None:
    messages, items, ends = make_context(plant)
    credits = credit(items, score_context(messages, items, ends)[policy])
    assert sum(credits) / len(items) >= (0.75 if policy == "retrieval of five messages" else 0.99)


def test_without_a_leak_no_policy_is_above_chance() -> None:
    messages, items, ends = make_context(no_leak, questions=200)
    scores = score_context(messages, items, ends)
    assert all(row.passed for row in measure_limit(items, scores, tuple(scores)))
    for name, rows in scores.items():
        # Four standard deviations of 200 independent draws.
        assert sum(credit(items, rows)) / len(items) < 0.25 + 4 * (0.1875 / 200) ** 0.5, name


def test_a_policy_over_the_limit_fails_where_it_is_held_to_it() -> None:
    messages, items, ends = make_context(gold_last, questions=200)
    scores = score_context(messages, items, ends)
    found = {
        (row.policy, row.question_type): row
        for row in measure_limit(items, scores, ["most recently mentioned"])
    }
    assert not found["most recently mentioned", "t"].passed
    assert found["most recently mentioned", OVERALL].p_value is None
    assert found["most recently mentioned by the user", "t"].p_value is None
    assert found["most recently mentioned by the user", "t"].passed


def test_our_questions_need_more_than_matching(dataset: Path) -> None:
    data = read_split(dataset, "32k")
    pairs = [
        (item, question)
        for item, question in zip(
            make_items(data.questions, data.annotations), data.questions, strict=True
        )
        if item.question_type != NEW_IDEAS
    ]
    by_context = defaultdict(list)
    for item, question in pairs:
        by_context[question.shared_context_id].append((item, question.end_index_in_shared_context))
    credits: defaultdict[str, list[float]] = defaultdict(list)
    for identifier, rows in by_context.items():
        items = [item for item, _ in rows]
        scores = score_context(
            data.contexts.read(identifier).messages, items, [end for _, end in rows]
        )
        for name in SHALLOW_POLICIES:
            credits[name].extend(credit(items, scores[name]))
    for name, values in credits.items():
        assert len(values) == len(pairs)
        assert sum(values) / len(values) < 0.4, name


def test_the_names_are_those_of_the_scores() -> None:
    messages, items, ends = make_context(no_leak, questions=2)
    scores = score_context(messages, items, ends)
    assert tuple(scores) == (*SHALLOW_POLICIES, *KEYWORD_POLICIES)


def as_messages(texts: Sequence[str]) -> list[Message]:
    return [{"role": "user", "content": text} for text in texts]


def test_nothing_after_the_end_index_counts() -> None:
    messages, items, ends = make_context(gold_last, questions=6)
    whole = score_context(messages, items, ends)
    for number, (item, end) in enumerate(zip(items, ends, strict=True)):
        alone = score_context(messages[:end], [item], [end])
        for name, rows in whole.items():
            assert rows[number].tolist() == pytest.approx(alone[name][0].tolist()), name


def make_item(options: tuple[str, ...] = ("one", "two", "three", "four")) -> Item:
    return Item("q", "t", "which one?", options, 0, "g")


def shapes(scores: dict[str, Scores]) -> set[tuple[int, ...]]:
    return {tuple(len(row) for row in rows) for rows in scores.values()}


@pytest.mark.parametrize(
    ("texts", "options", "end"),
    [
        (["one word"], ("one", "two", "three", "four"), 1),
        ([""], ("one", "two", "three", "four"), 1),
        (["one", "two"], ("", "", "", ""), 2),
        (["one", "two"], ("one", "one", "one", "one"), 2),
        (["one", "two"], ("...", "?", "!", "-"), 2),
        (["one", "two"], ("one", "two", "three", "four"), 9),
        (["one", "two"], ("one", "two", "three", "four"), 0),
        ([], ("one", "two", "three", "four"), 0),
    ],
)
def test_odd_input_gives_scores(texts: list[str], options: tuple[str, ...], end: int) -> None:
    item = make_item(options)
    scores = score_context(as_messages(texts), [item], [end])
    assert shapes(scores) == {(4,)}
    for rows in scores.values():
        assert not np.isnan(rows[0]).any()
        assert 0 <= credit([item], rows)[0] <= 1


def test_no_options_and_no_questions_give_no_scores() -> None:
    messages = as_messages(["one", "two"])
    assert shapes(score_context(messages, [make_item(())], [2])) == {(0,)}
    assert shapes(score_context(messages, [], [])) == {()}


def test_a_long_message_is_read_in_pieces_that_break_no_word() -> None:
    text = "seven letters " * 300_000
    tracemalloc.start()
    try:
        postings = Postings(as_messages([text]), ["seven", "letters", "sev"])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert postings.lengths.tolist() == [600_000]
    assert [postings.find(word, 1)[1].tolist() for word in ("seven", "letters", "sev")] == [
        [300_000],
        [300_000],
        [],
    ]
    # The words as a list of texts take 36 MB, and the text itself 4.
    assert peak < 30_000_000


@pytest.mark.parametrize("text", ["one more word, and " * 10, "w" * 190], ids=["words", "word"])
def test_a_huge_message_takes_time_in_proportion(text: str) -> None:
    def measure(times: int) -> float:
        messages = as_messages([text * times, "two"])
        start = process_time()
        score_context(messages, [make_item()] * 5, [2] * 5)
        return process_time() - start

    measure(1)
    assert measure(50_000_000 // 190) < 40 * max(measure(5_000_000 // 190), 0.01)


def test_more_questions_cost_no_more_readings() -> None:
    messages, items, ends = make_context(no_leak, questions=60)
    long = as_messages([" ".join(Random(3).choices(WORDS, k=1_000_000)), *find_words("a b c")])
    start = process_time()
    score_context([*long, *messages], items[:1], ends[:1])
    middle = process_time()
    score_context([*long, *messages], items, ends)
    assert process_time() - middle < 5 * (middle - start) + 1
