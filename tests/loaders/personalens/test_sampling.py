"""Samples of users: nested, or named."""

from itertools import pairwise
from pathlib import Path

import pytest

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personalens import SAMPLE_SIZES, load_personalens
from personamem.loaders.personalens.sampling import choose_users

USERS = [f"user{number}" for number in range(150)]


def test_every_smaller_sample_is_part_of_every_larger_one() -> None:
    samples = [choose_users(USERS, size) for size in SAMPLE_SIZES]
    assert [len(sample) for sample in samples] == [20, 30, 50, 100]
    assert all(one < other for one, other in pairwise(samples))
    assert choose_users(USERS, None) == set(USERS)
    assert choose_users(list(reversed(USERS)), 20) == samples[0]


def test_users_are_chosen_by_their_ids(release: Path) -> None:
    data = load_personalens(release, sample=["user1"])
    assert [profile.user_id for profile in data.profiles] == ["user1"]
    assert {scenario.user_id for scenario in data.scenarios} == {"user1"}
    assert load_personalens(release, sample="user1") == data


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        (21, "Unknown sample '21'.*Accepted: 20, 30, 50, 100"),
        (20, "A sample of 20 users was asked for, and there are 2"),
        (["user7"], "Unknown user 'user7'"),
    ],
)
def test_samples_that_cannot_be_drawn_are_refused(
    release: Path, sample: object, message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        load_personalens(release, sample=sample)  # type: ignore[arg-type]
