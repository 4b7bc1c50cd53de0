"""The watch on values that must not stand in a text by accident."""

from datetime import datetime
from random import Random

import pytest

from personamem.dataset_builder.core.people import list_acquaintances
from personamem.dataset_builder.families.personabench.scenes import Renderer, TermMatcher
from personamem.dataset_builder.families.personabench.wording import contains_words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We had Thai twice.", ["thai"]),
        ("A load of pad thai.", ["pad thai"]),
        ("Otters, and one otter", ["otter", "otter"]),
        ("thailand", []),
        ("glass", ["glass"]),
        ("Pads thai; pad", ["thai"]),
        ("two pad thais, no pad thai salad", ["pad thai", "pad thai salad"]),
    ],
)
def test_values_are_found_as_whole_words(text: str, found: list[str]) -> None:
    values = ["thai", "pad thai", "pad thai salad", "otter", "glass"]
    assert TermMatcher(values).find(text) == found


def test_what_is_meant_does_not_count() -> None:
    watch = TermMatcher(["thai", "otter"])
    assert watch.count(["pad thai and an otter"], ()) == 2
    assert watch.count(["pad thai and an otter"], ["Pad Thai"]) == 1


def test_words_are_compared_whole() -> None:
    assert contains_words("She had two Cats.", "cat")
    assert not contains_words("concatenate", "cat")
    assert contains_words("a bachelor's degree", "bachelor's degree")


@pytest.mark.parametrize(("is_of_other", "named"), [(False, "acquaintance"), (True, "other")])
def test_pronouns_are_those_of_who_is_named(is_of_other: bool, named: str) -> None:
    renderer = Renderer(Random(3), TermMatcher([]))
    seen = set()
    for _ in range(40):
        scene = renderer.scene(datetime(2025, 3, 4, 12), is_of_other)
        assert scene["they"] == list_acquaintances()[scene[named]]
        assert scene["them"] == {"she": "her", "he": "him"}[scene["they"]]
        seen.add(scene["they"])
    assert seen == {"she", "he"}
