"""Of several texts that show the same, those come first that readers and strangers found real."""

from random import Random

from personamem.dataset_builder.core.content_yaml import read_json
from personamem.dataset_builder.families.personamem.lives.bank import get_need, list_need_ids
from personamem.dataset_builder.families.personamem.lives.need import CONTENT
from personamem.dataset_builder.families.personamem.lives.preferring import (
    count_doubts,
    hash_said,
    order_texts,
    rate_texts,
)


def test_strangers_rated_texts_of_the_bank() -> None:
    ratings = read_json(CONTENT / "strangers.json")["ratings"]
    assert set(ratings.values()) <= {1, 2, 3, 4, 5, 9}
    texts = {
        hash_said(exchange)
        for need_id in list_need_ids()
        for choice in get_need(need_id).choices
        for exchange in choice.artefacts
    }
    assert len(texts & ratings.keys()) > 500


def test_what_strangers_doubt_comes_last() -> None:
    moved = 0
    for need_id in list_need_ids():
        for choice in get_need(need_id).choices:
            texts = choice.artefacts
            doubts = [count_doubts(text) for text in texts]
            if max(doubts) < 2 or sum(doubt > 0 for doubt in doubts) > 1:
                continue
            order = order_texts(need_id, choice.key, "artefacts", texts, "Germany", Random(1))
            assert order.index(doubts.index(max(doubts))) >= len(order) - 2
            moved += 1
    assert moved > 10


def test_every_text_has_a_rating() -> None:
    for need_id in list_need_ids():
        rated = rate_texts(need_id)
        for choice in get_need(need_id).choices:
            assert f"{choice.key}.endings.0" in rated
        assert ".pointers.0" in rated
