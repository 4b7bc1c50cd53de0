"""The p-value of a share over a limit: fair at the limit, whatever goes together in a group."""

from random import Random

import pytest

from personamem.dataset_builder.core.limits import find_limit_p_value


def draw(random: Random, groups: int, size: int, share: float, together: bool) -> list[float]:
    """Right answers a group; ``together`` if those of a group are all right or all wrong."""
    if together:
        return [float(size * (random.random() < share)) for _ in range(groups)]
    return [float(sum(random.random() < share for _ in range(size))) for _ in range(groups)]


@pytest.mark.parametrize("together", [False, True])
def test_at_the_limit_p_values_are_fair(together: bool) -> None:
    random = Random(1)
    draws = 2_000
    p_values = [
        find_limit_p_value(draw(random, 30, 4, 0.4, together), [4] * 30, 0.4) for _ in range(draws)
    ]
    for level in (0.01, 0.05, 0.2):
        share = sum(p <= level for p in p_values) / draws
        assert share <= level + 3 * (level / draws) ** 0.5


def test_a_share_far_over_the_limit_is_found_in_a_few_groups() -> None:
    assert find_limit_p_value([4.0] * 20, [4] * 20, 0.4) < 1e-5
    assert find_limit_p_value([3.0] * 60, [4] * 60, 0.4) < 1e-6


def test_few_groups_or_a_share_below_prove_nothing() -> None:
    assert find_limit_p_value([4.0] * 3, [4] * 3, 0.4) > 0.01
    assert find_limit_p_value([1.0] * 50, [4] * 50, 0.4) == 1.0
    assert find_limit_p_value([], [], 0.4) == 1.0


def test_groups_of_different_size_weigh_by_size() -> None:
    # Of 120, 48 are right. The mean of the groups would be 0.91, of which nothing is claimed.
    sums, sizes = [1.0] * 40 + [1.6] * 5, [1] * 40 + [16] * 5
    assert find_limit_p_value(sums, sizes, 0.4) > 0.01
