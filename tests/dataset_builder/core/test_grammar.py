from random import Random

import pytest

from personamem.dataset_builder.core.grammar import expand_all, parse, with_article
from personamem.loaders.formats.errors import InvalidInputError


def test_renders_choices_slots_and_filters() -> None:
    template = parse("[One|Two] {cap:what} and {a:what}[|, {where}].")
    texts = {
        template.render({"what": "apple", "where": "here"}, Random(i).random) for i in range(50)
    }
    assert texts == {
        f"{number} Apple and an apple{place}."
        for number in ("One", "Two")
        for place in ("", ", here")
    }


def test_expands_nested_choices_with_slots_left_open() -> None:
    assert list(expand_all(parse("[a|[b|c] {x}]!"))) == ["a!", "b {x}!", "c {x}!"]
    assert len(list(expand_all(parse("[a|b][c|d][e|f]"), limit=5))) == 5


def test_names_its_slots() -> None:
    assert parse("{a} [x {cap:b}|{c}]").slots() == {"a", "b", "c"}


@pytest.mark.parametrize("source", ["[a|b", "a]", "a | b", "{1}", "{a b}", "{upper:x}"])
def test_rejects_malformed_templates_with_the_text(source: str) -> None:
    with pytest.raises(InvalidInputError, match="Template"):
        parse(source)


@pytest.mark.parametrize(
    ("noun", "phrase"),
    [
        ("apple", "an apple"),
        ("uniform", "a uniform"),
        ("hour", "an hour"),
        ("bus", "a bus"),
        ("umbrella", "an umbrella"),
        ("ukulele", "a ukulele"),
    ],
)
def test_article_follows_the_sound(noun: str, phrase: str) -> None:
    assert with_article(noun) == phrase
