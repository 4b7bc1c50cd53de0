"""Demographics: shares that hold, and people who could be."""

from collections import Counter

import numpy as np
import pytest

from personamem.dataset_builder.families.personalens.demographics import (
    declared_shares,
    draw_people,
    fit_table,
    read_people,
)
from personamem.dataset_builder.families.personalens.rules import check_demographics


@pytest.mark.parametrize("seed", [0, 7])
def test_shares_are_those_declared_to_three_points(seed: int) -> None:
    people = [person.demographics for person in draw_people(seed, 1_500)]
    for field, shares in declared_shares().items():
        counts = Counter(getattr(each, field) for each in people)
        assert sum(shares.values()) == pytest.approx(1)
        for value in {*shares, *counts}:
            assert abs(counts[value] / 1_500 - shares.get(value, 0)) < 0.03, value
    same = sum(each.birth_country == each.reside_country for each in people)
    assert same / 1_500 == pytest.approx(0.88, abs=0.03)


def test_people_could_be() -> None:
    for seed in range(4):
        for person in draw_people(seed, 400):
            assert list(check_demographics(person.demographics)) == []
            towns = read_people()["countries"][person.demographics.reside_country]["towns"]
            assert {person.town, person.other_town} <= set(towns)
            assert person.town != person.other_town


def test_the_same_seed_gives_the_same_people() -> None:
    draw_people.cache_clear()
    first = draw_people(3, 50)
    draw_people.cache_clear()
    assert draw_people(3, 50) == first
    assert draw_people(4, 50) != first


def test_a_joint_table_has_its_margins_and_keeps_its_zeros() -> None:
    weights = np.array([[1.0, 5.0, 0.0], [2.0, 1.0, 1.0]])
    rows, columns = np.array([0.4, 0.6]), np.array([0.5, 0.3, 0.2])
    table = fit_table(weights, rows, columns)
    assert table.sum(axis=1) == pytest.approx(rows)
    assert table.sum(axis=0) == pytest.approx(columns, abs=1e-6)
    assert table[0, 2] == 0
    # Odds ratios are those of the weights.
    ratio = table[0, 0] * table[1, 1] / (table[0, 1] * table[1, 0])
    assert ratio == pytest.approx(1 * 1 / (5 * 2))
