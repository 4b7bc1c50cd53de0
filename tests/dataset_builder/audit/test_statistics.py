import pytest

from personamem.dataset_builder.core.error_rate import (
    correct_holm,
    measure_accuracy,
    wilson_interval,
)


def test_accuracy_at_chance_is_not_significant_and_above_is() -> None:
    chance = measure_accuracy([1.0] * 50 + [0.0] * 150)
    assert chance.share == 0.25
    assert chance.p_value > 0.4
    high = measure_accuracy([1.0] * 80 + [0.0] * 120)
    assert high.p_value < 1e-4
    assert high.low < 0.4 < high.high


def test_no_questions_are_no_evidence() -> None:
    nothing = measure_accuracy([])
    assert (nothing.share, nothing.low, nothing.high, nothing.p_value) == (0.0, 0.0, 1.0, 1.0)


def test_wilson_interval_of_a_known_case() -> None:
    low, high = wilson_interval(10, 40)
    assert low == pytest.approx(0.1419, abs=1e-4)
    assert high == pytest.approx(0.4019, abs=1e-4)


def test_holm_multiplies_step_by_step_and_keeps_the_order() -> None:
    assert correct_holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert correct_holm([0.9, 0.8]) == [1.0, 1.0]
    assert correct_holm([]) == []
