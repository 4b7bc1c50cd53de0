"""The six axes and their z-scores."""

import math
from collections.abc import Sequence
from dataclasses import astuple, fields
from pathlib import Path

import pytest

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personabench import load_personabench
from personamem.loaders.personabench.radar import Radar, compute_radar, standardise_radars
from personamem.loaders.personabench.records import Question
from personamem.loaders.personabench.scoring import ScoredAnswer, score_answers, summarise_answers


@pytest.fixture
def questions(release: Path) -> list[Question]:
    archives = load_personabench(release).archives(0.0)
    return [asked.question for archive in archives for asked in archive.questions]


def answer(questions: Sequence[Question], wrong: Sequence[str] = ()) -> list[ScoredAnswer]:
    given = [
        ["nonsense", "rooibos"] if question.category in wrong else question.answer
        for question in questions
    ]
    return score_answers(questions, given)


def test_axes_stand_in_the_order_of_the_paper() -> None:
    assert [field.name for field in fields(Radar)] == [
        "noise_robustness",
        "social",
        "basic",
        "updating",
        "preference_completeness",
        "preference_precision",
    ]


def test_axes_come_from_the_lowest_noise_and_robustness_from_both_ends(
    questions: list[Question],
) -> None:
    clean, middle = answer(questions), answer(questions, ["basic", "preference_hard"])
    noisy = answer(questions, ["basic"])
    radar = compute_radar({0.7: noisy, 0.0: clean, 0.5: middle})
    assert astuple(radar)[1:] == (1.0, 1.0, 0.5, 1.0, 1.0)
    assert radar.noise_robustness == pytest.approx(6 / 9)
    reverse = compute_radar({0.7: clean, 0.0: noisy})
    assert reverse.noise_robustness == pytest.approx(1 + 3 / 9)
    assert reverse.basic == 0.0


def test_preferences_are_averaged_with_equal_weight(questions: list[Question]) -> None:
    scored = answer(questions, ["preference_hard"])
    scores = summarise_answers(scored)
    hard = scores["preference_hard"].words
    assert (hard.recall, hard.precision) == (pytest.approx(1 / 12), pytest.approx(1 / 4))
    radar = compute_radar({0.0: scored})
    assert radar.preference_completeness == pytest.approx((1 + 1 / 12) / 2)
    assert radar.preference_precision == pytest.approx((1 + 1 / 4) / 2)
    assert radar.preference_completeness != pytest.approx(scores["preference"].words.recall)


def test_basic_and_social_are_recall_as_in_the_code_or_f1_as_in_the_text(
    questions: list[Question],
) -> None:
    given = [
        [*value, "besides"] if isinstance(value := question.answer, tuple) else [value, "besides"]
        for question in questions
    ]
    scored = score_answers(questions, given)
    assert compute_radar({0.0: scored}).basic == 1.0
    by_text = compute_radar({0.0: scored}, "f1")
    assert by_text.basic == pytest.approx(summarise_answers(scored)["basic"].words.f1)
    assert by_text.social == pytest.approx(summarise_answers(scored)["social"].words.f1)
    assert by_text.basic < 1.0


def test_what_was_not_asked_is_not_a_number(questions: list[Question]) -> None:
    basic_only = [question for question in questions if question.category == "basic"]
    radar = compute_radar({0.0: answer(basic_only)})
    assert radar.basic == 1.0
    others = (
        radar.noise_robustness,
        radar.social,
        radar.updating,
        radar.preference_completeness,
        radar.preference_precision,
    )
    assert all(map(math.isnan, others))
    with pytest.raises(InvalidInputError, match="no runs"):
        compute_radar({})


def test_z_scores_equal_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    systems = {
        "a": Radar(0.9, 0.2, 0.1, 0.8, 0.3, 0.5),
        "b": Radar(0.7, 0.4, 0.1, 0.9, 0.5, 0.4),
        "c": Radar(0.8, 0.9, 0.1, math.nan, 0.4, 0.9),
    }
    scores = standardise_radars(systems)
    assert list(scores) == ["a", "b", "c"]
    for axis in ("noise_robustness", "social", "preference_completeness", "preference_precision"):
        expected = stats.zscore([getattr(system, axis) for system in systems.values()])
        assert [getattr(score, axis) for score in scores.values()] == pytest.approx(list(expected))
    assert all(math.isnan(score.basic) and math.isnan(score.updating) for score in scores.values())


def test_one_system_has_no_z_scores() -> None:
    (alone,) = standardise_radars({"a": Radar(0.9, 0.2, 0.1, 0.8, 0.3, 0.5)}).values()
    assert all(map(math.isnan, astuple(alone)))
    assert standardise_radars({}) == {}
