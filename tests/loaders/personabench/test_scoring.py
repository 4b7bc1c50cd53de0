"""Precision, recall and F1 of answers, updating, and their evaluate.Metric forms."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personabench import load_personabench
from personamem.loaders.personabench.answers import encode_answer
from personamem.loaders.personabench.records import Question
from personamem.loaders.personabench.scoring import (
    Agreement,
    Updating,
    score_answers,
    score_items,
    score_outdated,
    score_updating,
    score_words,
    summarise_answers,
)


def questions_of(release: Path, noise: float = 0.0) -> list[Question]:
    archives = load_personabench(release).archives(noise)
    return [asked.question for archive in archives for asked in archive.questions]


def test_word_scores_by_hand() -> None:
    scores = score_words(["dark chocolate", "sushi"], "I like dark SUSHI, and dark beer")
    # Shared: dark, sushi. Gold: dark, chocolate, sushi. Given: i, like, dark, sushi, and, beer.
    assert scores.precision == pytest.approx(2 / 6)
    assert scores.recall == pytest.approx(2 / 3)
    assert scores.f1 == pytest.approx(2 * (2 / 6) * (2 / 3) / (2 / 6 + 2 / 3))


def test_item_scores_by_hand() -> None:
    scores = score_items(
        ["dark chocolate", "sushi", "Guns, Germs"], ["Sushi", "dark", "guns germs"]
    )
    assert scores == Agreement(pytest.approx(2 / 3), pytest.approx(2 / 3), pytest.approx(2 / 3))
    # Words that belong to different items make an answer by words, not by items.
    assert score_words(["dark chocolate", "white wine"], "white chocolate").precision == 1.0
    assert score_items(["dark chocolate", "white wine"], "white chocolate").precision == 0.0


@pytest.mark.parametrize("prediction", [None, "", [], " ?! ", [""]])
@pytest.mark.parametrize("gold", ["Ghent", 39, ["a", "b"], {"cat": "Mull"}])
def test_an_empty_prediction_scores_nothing(gold: object, prediction: object) -> None:
    assert score_words(gold, prediction) == score_items(gold, prediction) == Agreement(0, 0, 0)


def test_repetition_and_order_change_nothing() -> None:
    once = (["tea", "ale"], ["tea", "gin"])
    again = (["ale", "tea", "Tea"], ["gin", "TEA", "tea", "gin"])
    for score in (score_words, score_items):
        assert score(*once) == score(*again) == Agreement(0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    "named", ["Mull", "cat: Mull", "Mull (cat)", {"cat": "mull"}, {"Cat": "Mull"}]
)
def test_a_named_value_goes_by_several_forms(named: object) -> None:
    gold = [{"cat": "Mull"}, {"dog": "Rex"}]
    assert score_items(gold, [named, "rex"]) == Agreement(1, 1, 1)
    assert score_items(gold, ["dog: Mull", "cat"]) == Agreement(0, 0, 0)


def test_numbers_are_scored_like_texts() -> None:
    for gold in (39, 39.0, "39"):
        for prediction in (39, 39.0, "39", "39."):
            assert score_words(gold, prediction).f1 == 1.0
            assert score_items(gold, prediction).f1 == 1.0
        assert score_words(gold, "38").f1 == 0.0


def test_other_scripts_count_as_items_and_not_as_words() -> None:
    assert score_items("日本", "日本").f1 == 1.0
    assert score_words("日本", "日本").f1 == 0.0


@pytest.mark.parametrize("gold", [None, "", [], {}])
def test_no_gold_is_an_error_not_a_score(gold: object) -> None:
    for score in (score_words, score_items, score_outdated):
        with pytest.raises(InvalidInputError, match="nothing to compare with"):
            score(gold, "a")


def test_echoing_the_gold_is_perfect(release: Path) -> None:
    questions = questions_of(release)
    scored = score_answers(questions, [question.answer for question in questions])
    perfect = Agreement(1, 1, 1)
    for scores in summarise_answers(scored).values():
        assert scores.words == scores.items == perfect


def test_the_switch_compares_a_number_with_the_gold_before(release: Path) -> None:
    questions = questions_of(release)
    assert questions[1].answer == 41
    echo = [question.answer for question in questions]
    official = score_answers(questions, echo, official_integers=True)
    assert official[1].words == Agreement(0, 0, 0)
    assert official[1].items == Agreement(1, 1, 1)
    assert {answer.words.f1 for answer in official[2:]} == {1.0}
    parrot = score_answers(questions[:2], ["Bell foundry"] * 2, official_integers=True)
    assert parrot[1].words == Agreement(1, 1, 1)
    later = score_answers(
        [questions[0], questions[3], questions[1]], ["Ghent, Łódź"] * 3, official_integers=True
    )
    assert [answer.words.f1 for answer in later] == [0, 1, 1]
    # Two numbers in a row: both fall back to the last text. Subjective ones are passed over.
    subjective = next(q for q in questions if q.question_type == "Subjective")
    row = [questions[0], subjective, questions[1], questions[1]]
    parrot = score_answers(row, ["Bell foundry"] * 4, official_integers=True)
    assert [answer.words.f1 for answer in parrot] == [1, 0, 1, 1]
    assert score_answers(questions[1:2], [41], official_integers=True)[0].words.f1 == 0.0


def test_updating_is_one_minus_the_share_of_outdated_values(release: Path) -> None:
    questions = questions_of(release)
    echo = score_answers(questions, [question.answer for question in questions])
    # "hot mate" shares a word with "iced mate", which is current.
    assert score_updating(answer.outdated for answer in echo) == Updating(1, 0.5, 1.0)
    (drinks,) = [question for question in questions if question.outdated_values]
    former = score_answers([drinks], [["rooibos", "Hot Mate"]])
    assert score_updating(answer.outdated for answer in former) == Updating(1, 0.0, 0.0)
    nothing = score_answers([drinks], [None])
    assert score_updating(answer.outdated for answer in nothing) == Updating(1, 1.0, 1.0)
    without = score_updating(answer.outdated for answer in score_answers(questions[:1], ["a"]))
    assert without.questions == 0
    assert math.isnan(without.words)
    assert math.isnan(without.items)


def test_groups_tell_easy_from_hard(release: Path) -> None:
    questions = questions_of(release)
    given = [q.answer if q.difficulty == "hard" else None for q in questions]
    scores = summarise_answers(score_answers(questions, given))
    assert scores["hard"].words.f1 == scores["preference_hard"].items.recall == 1.0
    assert scores["easy"].words.f1 == scores["subjective"].words.f1 == 0.0
    assert scores["preference"].words.f1 == pytest.approx(2 / 3)
    assert scores["social"].items.f1 == pytest.approx(1 / 3)
    assert scores["overall"].words.f1 == pytest.approx(3 / 9)
    assert scores["overall_with_subjective"].words.f1 == pytest.approx(3 / 10)


def test_as_many_predictions_as_questions(release: Path) -> None:
    questions = questions_of(release)
    with pytest.raises(InvalidInputError, match="1 predictions for 10 questions"):
        score_answers(questions, ["a"])
    with pytest.raises(InvalidInputError, match="no answer"):
        score_answers(questions[:1], [True])
    with pytest.raises(InvalidInputError, match="nothing to compare"):
        score_answers([replace(questions[0], answer="")], ["a"])


def test_the_official_community_echoed(official: Path) -> None:
    for noise in (0.0, 0.7):
        questions = questions_of(official, noise)
        echo: list[Any] = [question.answer for question in questions]
        scores = summarise_answers(score_answers(questions, echo))
        assert {score.words.f1 for score in scores.values()} == {1.0}
        assert {score.items.f1 for score in scores.values()} == {1.0}
        mistaken = summarise_answers(score_answers(questions, echo, official_integers=True))
        # One of the 57 answers is a number here; in the whole release 4 of 110, hence .964.
        assert mistaken["basic"].words.f1 == pytest.approx(56 / 57)
        assert mistaken["overall"].words.f1 == pytest.approx(115 / 116)


def test_the_metrics_compute_without_a_hub(release: Path, tmp_path: Path) -> None:
    from personamem.loaders.personabench.evaluate_metrics import (
        AnswerItems,
        AnswersByGroup,
        AnswerWords,
        InformationUpdating,
    )

    cache = {"cache_dir": str(tmp_path)}
    questions = questions_of(release)
    references = [encode_answer(question.answer) for question in questions]
    predictions = [*references[:4], "rooibos or hot mate", *references[5:]]
    scored = score_answers(questions, [q.answer for q in questions[:4]] + [predictions[4]] + [
        q.answer for q in questions[5:]
    ])  # fmt: skip
    expected = summarise_answers(scored)
    words = AnswerWords(**cache).compute(predictions=predictions, references=references)
    assert words["recall"] == pytest.approx(expected["overall_with_subjective"].words.recall)
    items = AnswerItems(**cache).compute(predictions=predictions, references=references)
    assert items["f1"] == pytest.approx(expected["overall_with_subjective"].items.f1)
    grouped = AnswersByGroup(**cache).compute(
        predictions=predictions,
        references=references,
        question_types=[question.question_type for question in questions],
        difficulties=[question.difficulty for question in questions],
    )
    for group, scores in expected.items():
        assert grouped[f"precision_{group}"] == pytest.approx(scores.words.precision)
        assert grouped[f"item_recall_{group}"] == pytest.approx(scores.items.recall)
    updating = InformationUpdating(**cache).compute(
        predictions=predictions,
        references=[encode_answer(list(question.outdated_values)) for question in questions],
    )
    # One text is one item, so the outdated value within it is seen by its words alone.
    assert updating == {"updating": 0.0, "item_updating": 1.0}


def test_the_metric_has_the_official_switch(tmp_path: Path) -> None:
    from personamem.loaders.personabench.evaluate_metrics import AnswersByGroup, AnswerWords

    metric = AnswerWords(cache_dir=str(tmp_path))
    answers = {"predictions": ['"Ghent"', "39"], "references": ['"Ghent"', "39"]}
    assert metric.compute(**answers)["f1"] == 1.0
    assert metric.compute(**answers, official_integers=True)["f1"] == 0.5
    texts = {"predictions": ['"Ghent"', '"39"'], "references": ['"Ghent"', '"39"']}
    assert metric.compute(**texts, official_integers=True)["f1"] == 1.0
    with pytest.raises(InvalidInputError, match=r"'Hobby'.*Accepted: Basic information"):
        AnswersByGroup(cache_dir=str(tmp_path)).compute(
            predictions=["a"], references=["a"], question_types=["Hobby"], difficulties=["easy"]
        )
