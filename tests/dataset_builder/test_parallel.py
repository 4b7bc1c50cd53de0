"""Work over processes: in order, and never far ahead of who takes the results."""

from collections.abc import Iterator

import pytest

from personamem.dataset_builder.parallel import map_in_order

# Numbers to add up, every other job with many: results arrive out of order. The function is a
# built-in, since the processes are started anew and need not be able to import this file.
JOBS = [range(number if number % 2 else 400_000 + number) for number in range(20)]


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_jobs_and_few_wait(workers: int) -> None:
    drawn: list[int] = []

    def draw() -> Iterator[range]:
        for job in JOBS:
            drawn.append(len(job))
            yield job

    taken: list[int] = []
    for result in map_in_order(sum, draw(), workers):
        taken.append(result)
        assert len(drawn) - len(taken) < 2 * workers
    assert taken == [sum(job) for job in JOBS]
