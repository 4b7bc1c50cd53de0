import pytest

from personamem.dataset_builder.core.error_rate import (
    FAMILIES,
    correct_family,
    correct_holm,
    measure_accuracy,
)


def test_the_interval_holds_the_share() -> None:
    high = measure_accuracy([1.0] * 80 + [0.0] * 120)
    assert high.share == 0.4
    assert high.low < 0.4 < high.high


def test_no_questions_have_a_share_of_0_and_any_interval() -> None:
    nothing = measure_accuracy([])
    assert (nothing.share, nothing.low, nothing.high) == (0.0, 0.0, 1.0)


def test_the_interval_is_that_of_wilson() -> None:
    accuracy = measure_accuracy([1.0] * 10 + [0.0] * 30)
    assert accuracy.low == pytest.approx(0.1419, abs=1e-4)
    assert accuracy.high == pytest.approx(0.4019, abs=1e-4)


def test_holm_multiplies_step_by_step_and_keeps_the_order() -> None:
    assert correct_holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert correct_holm([0.9, 0.8]) == [1.0, 1.0]
    assert correct_holm([]) == []


def test_a_family_of_tests_is_corrected_for_all_families_and_parts() -> None:
    expected = [len(FAMILIES) * 3 * p for p in correct_holm([1e-4, 2e-5])]
    assert correct_family([1e-4, 2e-5], parts=3) == pytest.approx(expected)
    assert correct_family([0.5], parts=3) == [1.0]
