import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from personamem.dataset_builder.core.content_yaml import template
from personamem.dataset_builder.core.grammar import expand_all
from personamem.dataset_builder.families.personamem.packs import (
    CONTENT,
    load_pack,
    load_topic,
    texts_outside_items,
)
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import TOPICS

DOUBLED = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
ALLOWED_DOUBLES = {"had had", "that that", "so so", "bye bye"}


@pytest.fixture(scope="module")
def good_pack() -> dict[str, Any]:
    path = CONTENT / "topics" / "musicRecommendation.yaml"
    loaded: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return loaded


def write(tmp_path: Path, pack: object) -> Path:
    path = tmp_path / "pack.yaml"
    path.write_text(yaml.safe_dump(pack, allow_unicode=True), "utf-8")
    return path


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_has_a_rich_pack(topic: str) -> None:
    pack = load_topic(topic)
    assert pack.topic == topic
    assert sum(len(group.items) for group in pack.groups) >= 32
    assert len(pack.groups) >= 6
    assert sum(len(kind.members) for kind in pack.events) >= 12
    assert len(pack.reasons) >= 12


@pytest.mark.parametrize("topic", TOPICS)
def test_no_text_of_a_pack_doubles_a_word_or_a_blank(topic: str) -> None:
    for where, source in texts_outside_items(load_topic(topic)):
        for text in expand_all(template(source), limit=200):
            found = DOUBLED.search(text)
            assert not found or found[0].lower() in ALLOWED_DOUBLES, f"{where}: {text}"
            assert "  " not in text.strip(), f"{where}: {text}"
            assert " ," not in text, f"{where}: {text}"
            assert " ." not in text, f"{where}: {text}"


def test_no_pack_names_an_item_of_another() -> None:
    names = {item.name.lower(): topic for topic in TOPICS for item in load_topic(topic).items()}
    assert len(names) == sum(1 for topic in TOPICS for _ in load_topic(topic).items())
    pattern = re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))))
    for topic in TOPICS:
        pack = load_topic(topic)
        for where, text in texts_outside_items(pack):
            found = pattern.search(text.lower())
            assert not found, f"{topic}, {where} names {found[0]!r} of {names[found[0]]}: {text}"
        for item in pack.items():
            for pick in item.picks:
                others = set(pattern.findall(pick.lower())) - {item.name.lower()}
                assert not others, f"{topic}: pick {pick!r} names {others}"


def remove_items(pack: dict[str, Any]) -> None:
    pack["groups"] = pack["groups"][:6]
    for group in pack["groups"]:
        group["items"] = group["items"][:3]


def name_item_elsewhere(pack: dict[str, Any]) -> None:
    pack["scenes"][0] = f"I could not stop thinking of {pack['groups'][0]['items'][0]['name']}."


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda pack: pack.pop("reasons"), "reasons"),
        (lambda pack: pack.update(colour="red"), "colour"),
        (lambda pack: pack.update(topic="gardening"), "gardening"),
        (lambda pack: pack["scenes"].append("On {nosuch} it rained all day long."), "nosuch"),
        (lambda pack: pack["scenes"].append("It rained [all day|all night long."), "not closed"),
        (lambda pack: pack["reasons"].append("{I} was tired of the noise"), "past tense"),
        (lambda pack: pack["scenes"].append("I asked my wife what she thought."), "persona"),
        (lambda pack: pack["uses"][0].update(base="listen to nothing"), "exactly once"),
        (lambda pack: pack["shown"].pop("quiet"), "shown"),
        (lambda pack: pack["scenarios"][0]["advice"].pop("quiet"), "traits"),
        (remove_items, "at least 32 items"),
        (name_item_elsewhere, "names the item"),
    ],
)
def test_a_malformed_pack_is_one_error_that_names_file_and_entry(
    good_pack: dict[str, Any],
    tmp_path: Path,
    break_it: Callable[[dict[str, Any]], object],
    message: str,
) -> None:
    pack = copy.deepcopy(good_pack)
    break_it(pack)
    path = write(tmp_path, pack)
    with pytest.raises(InvalidInputError, match=re.escape(message)) as caught:
        load_pack(path)
    assert str(path) in str(caught.value)


def test_yaml_that_is_not_plain_data_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pack.yaml"
    path.write_text("!!python/object/apply:os.system ['true']", "utf-8")
    with pytest.raises(InvalidInputError, match="not valid YAML"):
        load_pack(path)


def test_missing_pack_and_unknown_topic_say_what_is_accepted(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="does not exist"):
        load_pack(tmp_path / "none.yaml")
    with pytest.raises(InvalidInputError, match="Did you mean 'therapy'"):
        load_topic("terapy")
