"""Diversity against plain counting and NLTK's BLEU, on the specimen and by hand."""

import math
from pathlib import Path
from random import Random

import pytest
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from personamem.loaders.personalens import load_personalens
from personamem.loaders.personalens.diversity import (
    draw_samples,
    measure_distinct,
    measure_diversity,
    measure_entropy,
    measure_self_bleu,
)

LINES = [
    "a b c a b c d",
    "A b x.",
    "the cat sat on the mat",
    "the cat sat",
    "on a mat",
    "a b c d e",
]


def compute_self_bleu(messages: list[str], words: bool) -> float:
    texts = [m.lower().split() if words else m.lower() for m in messages]
    method = SmoothingFunction().method1
    scores = [
        sentence_bleu(texts[:number] + texts[number + 1 :], text, smoothing_function=method)
        for number, text in enumerate(texts)
    ]
    return math.fsum(scores) / len(scores)


@pytest.mark.parametrize("words", [True, False])
def test_self_bleu_is_that_of_nltk(words: bool) -> None:
    assert measure_self_bleu(LINES, words) == pytest.approx(compute_self_bleu(LINES, words))
    foreign = [*LINES, "zzz qqq", "x"]
    assert measure_self_bleu(foreign, words) == pytest.approx(compute_self_bleu(foreign, words))
    assert math.isnan(measure_self_bleu(LINES[:1], words))
    assert measure_self_bleu(["same words here now"] * 3, words) == pytest.approx(1)


def test_distinct_n_grams_by_hand() -> None:
    assert measure_distinct(["One two. One", "one"], 1) == 2 / 4
    assert measure_distinct(["One two. One", "one"], 2) == 1
    assert measure_distinct(["a b a b"], 2) == 2 / 3
    assert math.isnan(measure_distinct(["a"], 2))


def test_entropy_by_hand() -> None:
    assert measure_entropy(["a b c d e"], 4) == pytest.approx(math.log(2))
    assert measure_entropy(["A b c d", "a b C d"], 4) == 0
    assert measure_entropy(["a b"], 4) == 0


def test_samples_have_the_tokens_that_were_asked_for() -> None:
    messages = [f"{number} is a number" for number in range(50)]
    samples = list(draw_samples(messages, 10, 3))
    assert [len(" ".join(sample).split()) for sample in samples] == [10, 10, 10]
    assert [len(sample) for sample in samples] == [3, 3, 3]
    order = list(messages)
    random = Random(42)
    for sample in samples:
        random.shuffle(order)
        assert sample == [*order[:2], order[2].rsplit(" ", 2)[0]]


def test_the_specimen_is_measured_as_by_plain_counting(specimen: Path) -> None:
    texts = [h.text for p in load_personalens(specimen).profiles[:4] for h in p.histories]
    found = measure_diversity(texts, sample_tokens=1_500, samples=2)
    drawn = list(draw_samples(texts, 1_500, 2))
    grams = [
        [tuple(words[i : i + n]) for words in map(split_plainly, sample) for i in fitting(words, n)]
        for n in (1, 2)
        for sample in drawn
    ]
    shares = [len(set(found)) / len(found) for found in grams]
    assert found.dist_1 == pytest.approx(sum(shares[:2]) / 2)
    assert found.dist_2 == pytest.approx(sum(shares[2:]) / 2)
    assert found.self_bleu_words == pytest.approx(
        sum(compute_self_bleu(sample, True) for sample in drawn) / 2
    )
    assert found.self_bleu_characters == pytest.approx(
        sum(compute_self_bleu(sample, False) for sample in drawn) / 2
    )
    assert (found.messages, found.tokens) == (80, len(" ".join(texts).split()))


def split_plainly(text: str) -> list[str]:
    return text.lower().replace(".", "").replace("\n", "").split(" ")


def fitting(words: list[str], order: int) -> range:
    return range(len(words) - order + 1)


def test_a_small_set_is_one_sample_and_an_empty_one_has_no_figures() -> None:
    small = measure_diversity(LINES)
    assert small.self_bleu_words == pytest.approx(compute_self_bleu(LINES, True))
    assert math.isnan(measure_diversity([]).ent_4)
