"""The embedded writer: no slot begins with the word before it, whatever stands in it."""

from datetime import date
from random import Random

import pytest

from personamem.dataset_builder.core.content_yaml import template
from personamem.dataset_builder.core.text.faults import has_doubled_word
from personamem.dataset_builder.families.personamem.packs import load_topic
from personamem.dataset_builder.families.personamem.writers.template import (
    TemplateWriter,
    patterns,
)
from personamem.loaders.formats.schema import TOPICS

JOINT = "It sounds as if you've found what suits you {when} in {item}."
MAY = date(2024, 6, 3)
"""In its texts, the month before is May."""


@pytest.mark.parametrize(
    ("text", "doubled"),
    [
        ("what suits you when she joins in in chess", True),
        ("Idleness in May may prove to be the best", True),
        ("The the end", True),
        ("he had had enough, and that that is so", False),
        ("in In Our Time", False),
        ("half-half half in, in", False),
    ],
)
def test_a_doubled_word_is_seen(text: str, doubled: bool) -> None:
    assert has_doubled_word(text) is doubled


def test_a_text_that_doubles_a_word_is_worded_otherwise() -> None:
    slots = {"when": "when an old great-aunt joins in", "item": "cribbage"}
    assert JOINT[-9:-1] in "|".join(patterns()["relations"]["likes"]["ack"])
    assert has_doubled_word(template(JOINT).render(slots, Random(0).random))
    for seed in range(100):
        writer = TemplateWriter(Random(seed))
        assert not has_doubled_word(writer._say(("relations", "likes", "ack"), slots))


def test_a_month_does_not_double_a_word() -> None:
    said = "What feels like idleness in {month} [may prove|turns out] to be the best hour."
    texts = {TemplateWriter(Random(seed))._render(said, MAY) for seed in range(50)}
    assert texts == {"What feels like idleness in May turns out to be the best hour."}


@pytest.mark.parametrize("topic", TOPICS)
def test_each_pattern_has_an_alternative_for_each_occasion(topic: str) -> None:
    pack = load_topic(topic)
    whens = [occasion.when for occasion in pack.occasions]
    for name, kinds in patterns()["relations"].items():
        for kind, sources in kinds.items():
            for when in whens:
                joint = f"{when} in"
                fitting = [
                    s for s in sources if not has_doubled_word(s.replace("{when} in", joint))
                ]
                assert fitting, (name, kind, when)
