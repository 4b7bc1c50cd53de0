"""Work over processes: in order, and never far ahead of who takes the results."""

from collections.abc import Iterator

import pytest

from personamem.dataset_builder.core.parallel import Workers

pytestmark = pytest.mark.system

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
    with Workers(workers, [__name__]) as pool:
        for result in pool.map_in_order(sum, draw()):
            taken.append(result)
            assert len(drawn) - len(taken) < 2 * workers
    assert taken == [sum(job) for job in JOBS]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_job_goes_on_beside_others(workers: int) -> None:
    with Workers(workers, [__name__]) as pool:
        take = pool.start(sum, JOBS[0])
        assert list(pool.map_in_order(sum, JOBS[1:4])) == [sum(job) for job in JOBS[1:4]]
        assert take() == sum(JOBS[0])
