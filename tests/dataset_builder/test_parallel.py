"""Work over processes: in order, and never far ahead of who takes the results."""

from collections.abc import Iterator
from time import sleep

import pytest

from personamem.dataset_builder.parallel import map_in_order


def wait_and_double(number: int) -> int:
    sleep(0.02 if number % 2 == 0 else 0)
    return 2 * number


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_jobs_and_few_wait(workers: int) -> None:
    drawn: list[int] = []

    def draw() -> Iterator[int]:
        for number in range(20):
            drawn.append(number)
            yield number

    taken = []
    for result in map_in_order(wait_and_double, draw(), workers):
        taken.append(result)
        assert len(drawn) - len(taken) < 2 * workers
    assert taken == [2 * number for number in range(20)]
