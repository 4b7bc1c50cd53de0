"""P-values against chance: exact on quads, fair where nothing leaks, small where something does."""

from collections.abc import Callable
from itertools import permutations, product
from random import Random

import numpy as np
import pytest

from personamem.dataset_builder.audit.baselines import OVERALL, measure_chance
from personamem.dataset_builder.audit.blind import predict_blind
from personamem.dataset_builder.audit.chance import ChanceTest, find_tail
from personamem.dataset_builder.audit.metadata import (
    METADATA_POLICIES,
    MetadataRow,
    make_metadata_rows,
)
from personamem.dataset_builder.audit.predictions import Exchange, Prediction, predict_at_once
from personamem.dataset_builder.core.items import Item
from personamem.loaders.formats.schema import Question

OPTIONS = ("one", "two", "three", "four")


def make_quad(
    number: int, golds: tuple[int, ...], thread: str = "", wording: str = ""
) -> list[Item]:
    """The four rows of a quad: persona p has ``golds[p]``."""
    return [
        Item(
            question_id=f"q{number}-{persona}",
            question_type="type",
            question=wording or f"question {number}?",
            options=OPTIONS,
            gold=gold,
            group=thread or f"thread {number}",
            quad=f"quad {number}",
            persona=persona,
        )
        for persona, gold in enumerate(golds)
    ]


def answer(letters: list[int], stages: list[int] | None = None) -> Prediction:
    scores = [np.eye(4)[letter] for letter in letters]
    stage = np.array(stages or [0] * len(letters))
    return Prediction(scores, stage, np.ones(len(letters), bool))


def find_p_value(items: list[Item], prediction: Prediction) -> float | None:
    return ChanceTest(items).find_p_value(prediction, np.ones(len(items), bool))


@pytest.mark.parametrize(
    ("golds", "expected"),
    [((0, 1, 2, 3), 1 / 24), ((0, 1, 3, 2), 7 / 24), ((0, 2, 3, 1), 15 / 24), ((1, 0, 3, 2), 1.0)],
)
def test_four_answers_to_a_quad_match_as_often_as_a_permutation(
    golds: tuple[int, ...], expected: float
) -> None:
    assert find_p_value(make_quad(0, golds), answer([0, 1, 2, 3])) == pytest.approx(expected)


def test_one_answer_for_a_whole_quad_is_not_tested() -> None:
    items = [*make_quad(0, (0, 1, 2, 3)), *make_quad(1, (3, 1, 0, 2))]
    assert find_p_value(items, answer([2, 2, 2, 2, 0, 0, 0, 0])) is None
    assert find_p_value(items, predict_at_once([np.zeros(4)] * 8)) is None


def test_a_tie_earns_its_share() -> None:
    scores = [np.array([1.0, 1.0, 0, 0]), *(np.eye(4)[letter] for letter in (1, 2, 3))]
    # Three and a half is the most, and one order of the letters reaches it.
    found = find_p_value(make_quad(0, (0, 1, 2, 3)), predict_at_once(scores))
    assert found == pytest.approx(1 / 24)


def test_rows_of_one_wording_are_no_independent_evidence() -> None:
    # Before and after an update, each persona has another gold: options are ordered once.
    pair = [*make_quad(0, (0, 1, 2, 3), "t", "w?"), *make_quad(1, (1, 0, 3, 2), "t", "w?")]
    right = answer([0, 1, 2, 3, 1, 0, 3, 2])
    assert find_p_value(pair, right) == pytest.approx(1 / 24)
    apart = [*make_quad(0, (0, 1, 2, 3)), *make_quad(1, (1, 0, 3, 2))]
    assert find_p_value(apart, right) == pytest.approx(1 / 24**2)


def test_letters_that_were_seen_are_no_evidence() -> None:
    items = make_quad(0, (0, 1, 2, 3))
    scores = answer([0, 1, 2, 3]).scores
    # Two letters are known when the last two rows are answered: one in two is right by elimination.
    last_two = Prediction(scores, np.array([0, 0, 1, 1]), np.array([False, False, True, True]))
    assert find_p_value(items, last_two) == pytest.approx(1 / 2)
    last = Prediction(scores, np.array([0, 1, 2, 3]), np.array([False, False, False, True]))
    assert find_p_value(items, last) is None


def test_stages_are_combined_by_fisher() -> None:
    items = [*make_quad(0, (0, 1, 2, 3)), *make_quad(1, (0, 1, 2, 3))]
    found = find_p_value(items, answer([0, 1, 2, 3] * 2, [1] * 4 + [2] * 4))
    # For two p-values, P(p q <= x) = x (1 - ln x).
    both = 1 / 24**2
    assert found == pytest.approx(both * (1 - np.log(both)))


def test_personas_of_a_thread_exchange_all_their_golds() -> None:
    items = [*make_quad(0, (0, 1, 2, 3), "t"), *make_quad(1, (2, 0, 3, 1), "t")]
    right = answer([0, 1, 2, 3, 2, 0, 3, 1])
    exchanged = Prediction(right.scores, right.stage, right.tested, Exchange.PERSONAS)
    assert find_p_value(items, exchanged) == pytest.approx(1 / 24)
    assert find_p_value(items, right) == pytest.approx(1 / 24**2)


def test_without_all_four_personas_letters_are_exchanged() -> None:
    items = [*make_quad(0, (0, 1, 2, 3), "t"), *make_quad(1, (2, 0, 3, 1), "t")][:-1]
    right = answer([0, 1, 2, 3, 2, 0, 3])
    exchanged = Prediction(right.scores, right.stage, right.tested, Exchange.PERSONAS)
    assert find_p_value(items, exchanged) == find_p_value(items, right)


def test_the_tail_is_that_of_all_combinations() -> None:
    random = Random(3)
    values = np.array([[random.randrange(5) for _ in range(24)] for _ in range(3)])
    sums = np.array([sum(chosen) for chosen in product(*values.tolist())])
    for observed in range(13):
        expected = max(float(np.mean(sums >= observed)), 1e-12)
        assert find_tail(values, observed) == pytest.approx(expected, abs=1e-9)
    assert find_tail(np.full((5, 24), 2), 10) is None


def draw_quads(random: Random, number: int, leak: Callable[[int], int | None]) -> list[Item]:
    """Quads in random order of rows; ``leak`` says which letter a row number would like to have."""
    places = random.sample(range(4 * number), 4 * number)
    rows: dict[int, Item] = {}
    for quad in range(number):
        own = places[4 * quad : 4 * quad + 4]
        wanted = [leak(place) for place in own]
        orders = random.sample(list(permutations(range(4))), 24)
        golds = max(
            orders, key=lambda order: sum(a == b for a, b in zip(order, wanted, strict=True))
        )
        rows.update(zip(own, make_quad(quad, golds), strict=True))
    return [rows[place] for place in range(4 * number)]


def make_rows(items: list[Item]) -> tuple[MetadataRow, ...]:
    questions = [
        Question(
            persona_id=item.persona,
            question_id=item.question_id,
            question_type=item.question_type,
            topic="topic",
            context_length_in_tokens=1,
            context_length_in_letters=1,
            distance_to_ref_in_blocks=1,
            distance_to_ref_in_tokens=1,
            num_irrelevant_tokens=1,
            distance_to_ref_proportion_in_context="1.00%",
            user_question_or_message=item.question,
            correct_answer=f"({'abcd'[item.gold]})",
            all_options="[]",
            shared_context_id=str(item.persona),
            end_index_in_shared_context=1,
            options=item.options,
            answer_index=item.gold,
        )
        for item in items
    ]
    return make_metadata_rows(questions, items)


LETTER_POLICIES = [name for name in METADATA_POLICIES if "classifier" not in name]


def test_p_values_are_fair_where_nothing_leaks() -> None:
    """Holds for policies that learn, on quads: at most a share a of p-values lies below a."""
    random = Random(5)
    p_values = []
    for _ in range(60):
        items = draw_quads(random, 40, lambda place: None)
        test, rows = ChanceTest(items), make_rows(items)
        for name in LETTER_POLICIES:
            found = test.find_p_value(METADATA_POLICIES[name](rows), np.ones(160, bool))
            p_values.append(1.0 if found is None else found)
    assert len(p_values) == 420
    for level in (0.01, 0.05, 0.2):
        share = sum(p <= level for p in p_values) / len(p_values)
        # Three standard deviations, if all were independent.
        assert share <= level + 3 * (level / len(p_values)) ** 0.5, level


@pytest.mark.parametrize("seed", range(5))
def test_a_leak_of_ten_points_in_the_text_is_found_on_592_questions(seed: int) -> None:
    random = Random(seed)
    items = []
    for number in range(592):
        gold = random.randrange(4)
        longest = gold if number < 592 * 0.35 else (gold + random.randrange(1, 4)) % 4
        options = tuple(
            "".join(random.choices("abcdefgh", k=20 + 2 * (place == longest))) for place in range(4)
        )
        items.append(Item(f"q{number}", f"type{number % 7}", "?", options, gold, f"g{number}"))
    random.shuffle(items)
    found = measure_chance(items, predict_blind(items, ["longest"]))
    assert found[0].question_type == OVERALL
    assert found[0].accuracy.share == pytest.approx(0.35, abs=2e-3)
    assert not found[0].passed


def test_a_leak_of_twelve_points_that_is_learned_is_found_on_592_questions_in_quads() -> None:
    random = Random(1)
    found = []
    for _ in range(6):
        # A fifth of the rows would like the letter of their number.
        keen = [random.random() < 0.2 for _ in range(592)]
        items = draw_quads(random, 148, lambda place, keen=keen: place % 4 if keen[place] else None)
        prediction = METADATA_POLICIES["letter by row number"](make_rows(items))
        found.append(measure_chance(items, {"letter by row number": prediction})[0])
    assert np.mean([row.accuracy.share for row in found]) < 0.385
    assert sum(not row.passed for row in found) >= 5
