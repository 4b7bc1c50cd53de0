import math
import random

import pytest
from sacrebleu.metrics import BLEU

from personamem.dataset_builder.audit.text.diversity import (
    measure_distinct,
    measure_diversity,
    measure_entropy,
    measure_self_bleu,
)
from personamem.dataset_builder.audit.text.words import read_words
from personamem.loaders.formats.schema import Message

WORDS = [f"word{number}" for number in range(60)]


def say(*texts: str) -> list[Message]:
    return [{"role": "user", "content": text} for text in texts]


def test_words_are_numbers_marks_and_words_without_labels() -> None:
    words = read_words(say("User: It's 3,459.6 km...", "", "Assistant: \u00c9t\u00e9!"))
    told = [words.tokens[a:b] for a, b in zip(words.starts, words.ends, strict=True)]
    assert told == [["it", "'", "s", "3,459.6", "km", "..."], [], ["\u00e9t\u00e9", "!"]]


def test_distinct_and_entropy_of_a_known_text() -> None:
    hashes = read_words(say("a b a b a")).hashes[:5]
    assert measure_distinct(hashes, 1) == 2 / 5
    assert measure_distinct(hashes, 2) == 2 / 4
    assert measure_entropy(hashes, 2) == pytest.approx(math.log(2))
    assert measure_distinct(hashes, 6) is None


def test_self_bleu_is_that_of_sacrebleu() -> None:
    draw = random.Random(1)
    texts = [" ".join(draw.choices(WORDS, k=draw.randint(1, 30))) for _ in range(12)]
    texts[3] = texts[5]
    bleu = BLEU(effective_order=True)
    scores = [
        bleu.sentence_score(text, texts[:index] + texts[index + 1 :]).score
        for index, text in enumerate(texts)
    ]
    assert measure_self_bleu(texts) == pytest.approx(sum(scores) / len(scores) / 100)


def test_repeated_8grams_stay_inside_messages_and_name_the_top() -> None:
    sentence = " ".join(WORDS[:9])
    found = measure_diversity("c", read_words(say(sentence, "x", sentence, WORDS[9])), [0], 0)
    assert found.repeated == 2 / 4
    assert found.top_share == 2 / 4
    assert (found.top.count, found.top.places[0].message) == (2, 0)
    assert found.top.places[0].excerpt == " ".join(WORDS[:8])
    system: list[Message] = [{"role": "system", "content": sentence}] * 3
    assert measure_diversity("c", read_words(system + say(sentence)), [0], 0).repeated == 0


def test_blocks_are_sessions_joined_and_the_short_rest_is_left_out() -> None:
    fresh = [" ".join(f"w{start + i}" for i in range(2_100)) for start in (0, 3_000, 6_000)]
    dull = "the " * 500
    two = measure_diversity("c", read_words(say(fresh[0], fresh[1], dull)), [0, 1, 2], 0)
    assert two.dist_1 == 1
    one = measure_diversity("c", read_words(say(fresh[0], fresh[1], dull)), [0], 0)
    assert one.dist_1 == pytest.approx(4_201 / 4_700)
    short = measure_diversity("c", read_words(say(dull, dull)), [0, 1], 0)
    assert short.dist_1 == 1 / 1000
