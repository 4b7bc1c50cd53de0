import pickle
import random

import pytest

from personamem.dataset_builder.audit.text import (
    ContextText,
    measure_context,
    summarise_text,
)
from personamem.loaders.formats.schema import Message


def test_places_name_the_context_the_message_and_the_words() -> None:
    messages: list[Message] = [
        {"role": "system", "content": "A gardener."},
        {"role": "user", "content": "All is well here. " * 20 + "I saw the the film."},
    ]
    figures = summarise_text([measure_context("c", messages, [0], 0)])
    assert figures.residue.value == 1
    (place,) = figures.residue.hits.places
    assert (place.context_id, place.message) == ("c", 1)
    assert "the the film" in place.excerpt
    assert len(place.excerpt) <= 120


def test_at_most_twenty_places_are_kept_and_all_are_counted() -> None:
    parts = [
        measure_context(name, [{"role": "user", "content": "I saw the the film."}] * 30, [0], 0)
        for name in "ab"
    ]
    (doubled,) = [kind for kind in summarise_text(parts).residue_kinds if kind.value]
    assert (doubled.value, doubled.hits.count, len(doubled.hits.places)) == (60, 60, 20)
    assert {place.context_id for place in doubled.hits.places} == {"a", "b"}


BAD: dict[str, list[Message]] = {
    "empty": [],
    "one": [{"role": "user", "content": "Hello there."}],
    "blank": [{"role": "user", "content": ""}, {"role": "assistant", "content": " \n"}],
    "system": [
        {"role": "system", "content": "A gardener from Graz, who likes tea and long walks."}
    ],
    "odd": [{"role": "user", "content": "\ud800 \x00 \ue000 \u202e \u0130 \U0001f600" * 9}] * 3,
    "no spaces": [{"role": "tool", "content": "x" * 300_000}],
    "unclosed": [{"role": "user", "content": "```" + '{{[<(`"' * 20_000}],
}


@pytest.mark.parametrize("name", BAD)
def test_any_text_has_figures(name: str) -> None:
    part = measure_context(name, BAD[name], [0, 5, -1, 0], 0)
    for parts in ([part], [part, part]):
        for figure in summarise_text(parts):
            assert figure.value is None or figure.value >= 0
            assert figure.name
            assert figure.definition


def test_no_contexts_have_figures() -> None:
    assert summarise_text([]).contexts.value == 0
    assert summarise_text([]).dist_1.value is None


def test_a_part_survives_pickling_and_is_the_same_each_time() -> None:
    draw = random.Random(0)
    messages: list[Message] = [
        {"role": "user", "content": " ".join(draw.choices("abcdefghijkl", k=draw.randint(1, 40)))}
        for _ in range(300)
    ]
    part = measure_context("c", messages, [0], 3)
    again: ContextText = pickle.loads(pickle.dumps(measure_context("c", messages, [0], 3)))
    assert list(summarise_text([again])) == list(summarise_text([part]))
    assert measure_context("c", messages, [0], 4).diversity.self_bleu != part.diversity.self_bleu
