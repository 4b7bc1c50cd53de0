"""Answers as words and as items."""

from collections.abc import Sequence

import pytest

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personabench.answers import (
    decode_answer,
    encode_answer,
    items_of,
    words_of,
)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("Self-Employed, at  the\tZoo!", {"selfemployed", "at", "the", "zoo"}),
        ("Beyoncé", {"beyonc"}),
        ("日本", set()),
        (39, {"39"}),
        (39.0, {"39"}),
        (["dark tea", "tea"], {"dark", "tea"}),
        ({"cat": "Mull"}, {"cat", "mull"}),
        ([{"Height": "5'6\""}, {"Eye color": "Blue"}], {"height", "56", "eye", "color", "blue"}),
        ({"dog": "O'Rex"}, {"dog", "orex"}),
        ([1984, "Emma"], {"1984", "emma"}),
        (None, set()),
        ("", set()),
        ([], set()),
    ],
)
def test_words_are_the_official_ones(answer: object, words: set[str]) -> None:
    assert words_of(answer) == words


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        ("Guns, Germs, and Steel", [{"guns germs and steel"}]),
        ("Self-Employed", [{"self employed"}]),
        ("STRASSE Straße", [{"strasse strasse"}]),
        ("Cafe\u0301", [{"café"}]),
        ("日本", [{"日本"}]),
        (39, [{"39"}]),
        (["tea", "Tea.", "tea "], [{"tea"}]),
        (["", "?!", None, "a"], [{"a"}]),
        ({"cat": "Mull"}, [{"mull", "cat mull", "mull cat"}]),
        ({"cat": "Mull", "age": 3}, [{"mull", "cat mull", "mull cat"}, {"3", "age 3", "3 age"}]),
        (None, []),
    ],
)
def test_items_are_whole_and_without_case_or_punctuation(
    answer: object, items: Sequence[set[str]]
) -> None:
    assert items_of(answer) == items


@pytest.mark.parametrize("answer", [True, [["a"]], {"a": ["b"]}, b"a", {1, 2}, [{"a": None}]])
def test_other_forms_are_refused(answer: object) -> None:
    for read in (words_of, items_of):
        with pytest.raises(InvalidInputError, match=r"no answer|no item"):
            read(answer)


@pytest.mark.parametrize("answer", [39, "39", ["Ghent", "Łódź"], [{"cat": "Mull"}], None, 5.5])
def test_answers_survive_as_json(answer: object) -> None:
    assert decode_answer(encode_answer(answer)) == answer
    assert type(decode_answer(encode_answer(answer))) is type(answer)


@pytest.mark.parametrize(
    "text", ["the zoo", "", "[a, b", "true", "[[1]]", '{"a": ["b"]}', "[" * 9999]
)
def test_other_texts_stand_for_themselves(text: str) -> None:
    assert decode_answer(text) == text
