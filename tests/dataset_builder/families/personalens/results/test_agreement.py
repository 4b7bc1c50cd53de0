"""Kappas against values worked out by hand, and files of annotations that cannot be used."""

import math
from pathlib import Path

import pytest

from personamem.dataset_builder.families.personalens.results.agreement import (
    compare_with_people,
    measure_cohen,
    measure_fleiss,
    read_annotations,
)
from personamem.dataset_builder.families.personalens.results.records import (
    GivenVerdict,
    JudgedDialogue,
    LensRun,
)
from personamem.loaders.formats.errors import InvalidInputError

HEAD = "dialogue,setting,rater,dimension,value\n"


def make_run(values: list[int], model: str = "m", setting: str = "all") -> LensRun:
    dialogues = tuple(
        JudgedDialogue(
            dialogue_id=f"user{n}/SD-Books-task-1",
            epoch=1,
            user_id=f"user{n}",
            domains=("Books",),
            ended="stop word",
            pairs=2,
            messages=4,
            empty_replies=0,
            stop_words=0,
            scores={"personalization": float(value)},
            verdicts={"personalization": (GivenVerdict("j", value, None),)},
        )
        for n, value in enumerate(values)
    )
    return LensRun(model, setting, "SD", "u", ("j",), "s", dialogues)


def test_cohens_kappa_is_that_of_the_formula() -> None:
    one, other = dict(enumerate([1, 1, 2, 2, 2, 1])), dict(enumerate([1, 2, 2, 2, 1, 1]))
    # Four of six agree; by chance a half would.
    assert measure_cohen(one, other) == (pytest.approx((4 / 6 - 0.5) / 0.5), 6)
    assert math.isnan(measure_cohen({1: 3}, {1: 3})[0])


def test_fleiss_kappa_is_that_of_the_formula() -> None:
    ratings = {
        name: dict(enumerate(values))
        for name, values in (("a", [1, 1, 2, 2]), ("b", [1, 1, 2, 1]), ("c", [1, 2, 2, 2]))
    }
    agreed = (1 + 1 / 3 + 1 + 1 / 3) / 4
    assert measure_fleiss(ratings) == (pytest.approx((agreed - 0.5) / 0.5), 4)


def test_people_are_compared_with_the_judge_and_each_other(tmp_path: Path) -> None:
    path = tmp_path / "rated.csv"
    rows = [
        f"user{n}/SD-Books-task-1,all,{rater},personalization,{value}\n"
        for rater, values in (("ann", (1, 2, 3, 4)), ("bo", (1, 2, 4, 3)))
        for n, value in enumerate(values)
    ]
    path.write_text(HEAD + "".join(rows))
    [found] = compare_with_people([make_run([1, 2, 3, 4])], read_annotations(path))["j"]
    # Ann agrees in all, Bo in two of four where a quarter would by chance.
    assert found.cohen == pytest.approx((1 + (0.5 - 0.25) / 0.75) / 2)
    assert (found.raters, found.total, found.compared) == (2, 4, 8)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dialogue,value\n", "lacks the columns setting, rater, dimension"),
        (HEAD, "holds no annotations"),
        (HEAD + "d,all,a,personalization,5\n", "line 2: value is '5'"),
        (HEAD + "d,all,a,personalisation,4\n", "Did you mean 'personalization'"),
        (HEAD + "d,all,,personalization,4\n", "line 2: rater is empty"),
        (HEAD + "d,all,a,personalization,4\n" * 2, "is rated twice"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_clear_error(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "rated.csv"
    path.write_text(text)
    with pytest.raises(InvalidInputError, match=message):
        read_annotations(path)


def test_a_dialogue_in_no_log_or_in_several_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rated.csv"
    path.write_text(HEAD + "user0/SD-Books-task-1,all,a,personalization,4\n")
    annotations = read_annotations(path)
    with pytest.raises(InvalidInputError, match="under all is in no log"):
        compare_with_people([make_run([1], setting="base")], annotations)
    with pytest.raises(InvalidInputError, match=r"in logs of m .*, n "):
        compare_with_people([make_run([1]), make_run([1], model="n")], annotations)
