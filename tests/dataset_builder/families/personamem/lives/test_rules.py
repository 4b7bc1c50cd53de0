"""The needs keep to the rules, and the rules see what breaks them."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from personamem.dataset_builder.core.content_yaml import read_yaml
from personamem.dataset_builder.families.personamem.lives.need import Need, list_needs, load_need
from personamem.dataset_builder.families.personamem.lives.rules import find_problems
from personamem.loaders.formats.errors import InvalidInputError

NEEDS = list_needs()


@pytest.mark.parametrize("path", NEEDS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_need_keeps_to_the_rules(path: Path) -> None:
    need = load_need(path)
    assert (need.topic, need.need) == (path.parent.name, path.stem)
    assert find_problems(need) == []


@pytest.fixture(scope="module")
def first_need() -> dict[str, Any]:
    """The first need as plain values."""
    loaded: dict[str, Any] = read_yaml(NEEDS[0])
    return loaded


@pytest.fixture
def data(first_need: dict[str, Any]) -> dict[str, Any]:
    """The first need as plain values, to be changed."""
    return deepcopy(first_need)


def plant(data: dict[str, Any], place: str, text: str) -> list[str]:
    """Add ``text`` to the text at a place such as "choices.0.artefacts.1.ask"; return problems."""
    *parents, last = place.split(".")
    at: Any = data
    for key in parents:
        at = at[int(key)] if key.isdigit() else at[key]
    at[last] += text
    return find_problems(Need.model_validate(data))


@pytest.mark.parametrize("group", ["artefacts", "others", "endings", "refusals", "condition"])
@pytest.mark.parametrize("field", ["ask", "assistant"])
def test_a_term_of_any_choice_is_found(data: dict[str, Any], group: str, field: str) -> None:
    other = data["choices"][3]
    (problem,) = [
        problem
        for problem in plant(data, f"choices.0.{group}.0.{field}", f" {other['terms'][0]}.")
        if "the term" in problem
    ][:1]
    key = data["choices"][0]["key"]
    assert problem.startswith(f"{key}.{group}.0: the term {other['terms'][0]!r}")


def test_a_word_that_a_reply_has_too_is_found_in_another_form(data: dict[str, Any]) -> None:
    replies, key = data["occasions"][0]["replies"], data["choices"][1]["key"]
    replies[key] = f"{replies[key].rsplit(' ', 1)[0]} Zanzibars."
    problems = plant(data, "choices.1.artefacts.2.ask", " zanzibar")
    assert any("shares words with the replies" in p and "zanzibar" in p for p in problems)
    own = [p for p in problems if "zanzibar" in p]
    assert all(p.startswith(f"{key}.artefacts.2") for p in own)


@pytest.mark.parametrize(
    ("place", "text", "message"),
    [
        ("choices.0.artefacts.0.ask", " {planet}", "unknown slots planet"),
        ("choices.0.artefacts.0.assistant", " word" * 200, "the answer has"),
        ("choices.0.artefacts.0.assistant", " Great question!", "a phrase of assistants"),
        ("choices.0.endings.0.reason", " and" * 20, "the reason has"),
        ("choices.0.others.0.ask", " {who}", "{who} has to stand in it once"),
        ("choices.0.artefacts.0.ask", "", ""),
    ],
)
def test_what_else_breaks_a_rule_is_found(
    data: dict[str, Any], place: str, text: str, message: str
) -> None:
    problems = plant(data, place, text)
    assert any(message in problem for problem in problems) if message else problems == []


def test_replies_that_differ_in_length_are_found(data: dict[str, Any]) -> None:
    key = data["choices"][0]["key"]
    problems = plant(data, f"occasions.0.replies.{key}", " quay" * 20)
    assert any("characters of the replies differ" in problem for problem in problems)


def test_a_file_that_is_no_need_is_named(tmp_path: Path, data: dict[str, Any]) -> None:
    del data["occasions"][1]["replies"][data["choices"][2]["key"]]
    path = tmp_path / "broken.yaml"
    path.write_text(yaml.safe_dump(data), "utf-8")
    with pytest.raises(InvalidInputError) as caught:
        load_need(path)
    assert str(path) in str(caught.value)
    assert f"replies are missing or unknown for {data['choices'][2]['key']}" in str(caught.value)


def test_an_errand_on_somebody_else_names_their_way_and_no_other(data: dict[str, Any]) -> None:
    other = data["choices"][3]
    assert plant(data, "choices.0.others_named.0.ask", f" {other['terms'][0]}.") == [
        f"{data['choices'][0]['key']}.others_named.0: names "
        + ", ".join(sorted((data["choices"][0]["key"], other["key"])))
    ]
