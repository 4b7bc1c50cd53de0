import random

from personamem.dataset_builder.audit.text import measure_context, summarise_text
from personamem.dataset_builder.audit.text.duplicates import find_near, read_long_messages
from personamem.dataset_builder.audit.text.words import read_words
from personamem.loaders.formats.schema import Message


def write(seed: int, words: int = 40) -> str:
    draw = random.Random(seed)
    return " ".join(f"w{draw.randrange(10_000)}" for _ in range(words))


def change(text: str, count: int) -> str:
    """Replace words of ``text`` that stand together."""
    words = text.split()
    words[10 : 10 + count] = [f"new{number}" for number in range(count)]
    return " ".join(words)


def say(*texts: str) -> list[Message]:
    return [{"role": "user", "content": text} for text in texts]


def test_duplicates_within_a_context() -> None:
    first, second = write(1), write(2)
    short = "Thanks, that is all."
    part = measure_context("c", say(first, second, short, first, change(second, 2), short), [0], 0)
    assert (part.exact.count, [place.message for place in part.exact.places]) == (1, [3])
    assert (part.near.count, [place.message for place in part.near.places]) == (2, [3, 4])
    assert part.exact.places[0].excerpt == first[:60] or len(part.exact.places[0].excerpt) <= 120


def test_near_means_a_jaccard_similarity_of_four_fifths() -> None:
    # Of 38 shingles a change of n words in a row replaces n + 2: 34/42 and 33/43 are shared.
    texts = [write(seed) for seed in range(300)]
    near = read_long_messages(read_words(say(*texts, *(change(text, 2) for text in texts))))
    assert find_near("c", near).count >= 297
    far = read_long_messages(read_words(say(*texts, *(change(text, 3) for text in texts))))
    assert find_near("c", far).count == 0


def test_duplicates_across_contexts_and_of_sessions() -> None:
    shared, other = write(1), write(2)
    parts = [
        measure_context("a", say(shared, write(3), shared, write(3)), [0, 2], 0),
        measure_context("b", say(write(4), change(other, 2), shared, write(3)), [0, 2], 0),
        measure_context("d", say(write(5), other), [0], 0),
    ]
    figures = summarise_text(parts)
    assert [(p.context_id, p.message) for p in figures.exact_across.hits.places] == [
        ("b", 2),
        ("b", 3),
    ]
    assert figures.near_across.hits.count == 3
    assert figures.near_across.hits.places[-1].context_id == "d"
    assert figures.exact_within.value == 2 / 10
    assert figures.exact_within_highest.value == 2 / 4
    assert (figures.sessions_within.value, figures.sessions_across.value) == (1 / 5, 1 / 5)


def test_system_messages_are_counted_apart() -> None:
    persona: list[Message] = [{"role": "system", "content": write(1)}]
    part = measure_context("c", persona + say("Hello.") + persona + say("Hi."), [0, 2], 0)
    assert (part.exact.count, part.near.count) == (0, 0)
    assert (part.system_messages, part.system_repeats) == (2, 1)
    assert summarise_text([part]).system_repeats.value == 1 / 2


def test_many_alike_are_found_in_time_that_grows_with_their_number() -> None:
    text = write(1)
    part = measure_context("c", say(*[f"{text} {number}" for number in range(4_000)]), [0], 0)
    assert part.near.count == 3_999
