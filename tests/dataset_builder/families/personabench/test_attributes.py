"""Attribute packs: the real ones are whole, and a broken one is one clear error."""

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from personamem.dataset_builder.core.content_yaml import template
from personamem.dataset_builder.core.grammar import expand_all
from personamem.dataset_builder.families.personabench.attribute_schema import CONTENT
from personamem.dataset_builder.families.personabench.attributes import (
    Grounded,
    attribute_packs,
    load_attribute,
    load_attributes,
    texts_of,
)
from personamem.loaders.formats.errors import InvalidInputError

Pack = dict[str, Any]


@pytest.fixture(scope="module")
def artists() -> Pack:
    text = (CONTENT / "attributes" / "music_artist.yaml").read_text("utf-8")
    loaded: Pack = yaml.safe_load(text)
    return loaded


@pytest.fixture(scope="module")
def pets() -> Pack:
    loaded: Pack = yaml.safe_load((CONTENT / "attributes" / "pets.yaml").read_text("utf-8"))
    return loaded


def write(folder: Path, pack: Pack, name: str = "") -> Path:
    path = folder / f"{name or pack['attribute']}.yaml"
    path.write_text(yaml.safe_dump(pack), "utf-8")
    return path


def test_the_packs_are_those_of_the_table() -> None:
    readme = (CONTENT / "README.md").read_text("utf-8")
    table = readme.split("## The 48 attributes")[1]
    listed = dict(
        re.findall(r"(\w+)\*?(?: \(\w+\))?: ((?:Demographics|Psychographics)[\w.]+)", table)
    )
    assert len(listed) == 48
    assert {name: pack.path for name, pack in attribute_packs().items()} == listed
    grounded = {pack.grounded for pack in attribute_packs().values()} - {None}
    assert grounded == set(get_args(Grounded))


def test_texts_hold_no_doubled_words() -> None:
    doubled = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
    for pack in attribute_packs().values():
        for section, source in texts_of(pack):
            for text in expand_all(template(source), limit=50):
                found = doubled.search(text)
                assert not found or found[0].lower() in {
                    "had had",
                    "that that",
                    "so so",
                    "ok ok",
                    "no no",
                }, f"{pack.attribute}, {section}: {text}"


def set_in(pack: Pack, *path: str | int, value: object) -> Pack:
    changed = copy.deepcopy(pack)
    place: Any = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return changed


def thread(*messages: str) -> Pack:
    return {"messages": list(messages)}


FAULTS: list[tuple[tuple[str | int, ...], object, str]] = [
    (("conversation", 0), thread("you: what's on", "me: {value}, my favourite one"), "flatly"),
    (("conversation", 1), thread("you: what's on", "me: [{value}|nothing]"), "every"),
    (("conversation", 1), thread("you: what's on", "me: {value} for {person}"), "{person}"),
    (("conversation", 1), thread("you: what's on", "me: {value}", "me: yes {value}"), "2 messages"),
    (("conversation", 1), thread("you: {value}?", "her: yes"), "pattern"),
    (("conversation", 1), thread("me: {value}", "ai: a fine one"), "a person elsewhere"),
    (("conversation", 2), thread("you: so?", "me: {value}", "you: my sister too"), "related"),
    (("chat", 0), thread("me: {value} again", "ai: Have you tried Nina Simone?"), "Nina Simone"),
    (("chat", 0), thread("me: What is there to hear?", "ai: A lot."), "0 messages"),
    (("chat", 0), thread("me: {value}, who is it?", "me: please", "ai: A singer."), "in turn"),
    (("conversation", 1), thread("me: what's on", "you: {value}"), "told by 'me'"),
    (("updates", 0), thread("you: so?", "me: it's {value} now"), "{old}"),
    (("updates", 0), thread("me: {value}!", "you: not {old}?"), "comes up before"),
    (("updates",), [thread("you: {old}?", "me: no, {value}")] * 3, "'me' does in one"),
    (("updates",), [], "updates"),
    (("values", 0), "nina simone", "twice"),
    (("values",), ["Billie Holiday", "Nina Simone"], "20 or more"),
    (("values", 1), "Billie Holiday Trio", "part of"),
    (("questions", "third", 0), "Which musicians do people like best?", "{who}"),
    (("questions", "first"), ["Whose music do I like?"] * 3, "twice"),
    (("questions", "first"), ["Whose music do I like?"], "at least 3"),
    (("grounded",), "profession", "exactly one"),
    (("family",), "demographics", "family"),
    (("count",), [2, 6], "1 to 5"),
    (("noise", "talk"), [], "at least 6"),
    (("noise", "others", 0), thread("you: who?", "me: somebody has {value} on"), "{other}"),
    (("purchase", 0, "description"), "Short.", "at least 40"),
    (("purchase", 0, "title"), "A plain box of records", "{value}"),
    (("colour",), "red", "Extra inputs"),
    (("kind",), "set", "named"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "part"), FAULTS, ids=lambda v: str(v)[:40])
def test_a_broken_pack_names_file_entry_and_rule(
    artists: Pack, tmp_path: Path, path: tuple[str | int, ...], value: object, part: str
) -> None:
    file = write(tmp_path, set_in(artists, *path, value=value))
    with pytest.raises(InvalidInputError) as caught:
        load_attribute(file)
    assert str(file) in str(caught.value)
    assert part in str(caught.value)


def test_named_values_need_their_key(pets: Pack, tmp_path: Path) -> None:
    hint = thread("you: who was at the biscuits", "me: {value} looks away when I ask")
    with pytest.raises(InvalidInputError, match=r"conversation\.0 must hold \{key\}"):
        load_attribute(write(tmp_path, set_in(pets, "conversation", 0, value=hint)))
    cow = hint | {"keys": ["cow"]}
    with pytest.raises(InvalidInputError, match="unknown key 'cow'; accepted: cat, dog"):
        load_attribute(write(tmp_path, set_in(pets, "conversation", 0, value=cow)))
    load_attribute(write(tmp_path, set_in(pets, "conversation", 0, value=hint | {"keys": ["cat"]})))


def without_values(pack: Pack) -> Pack:
    return {key: value for key, value in pack.items() if key not in ("values", "updates")}


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda pack: pack | {"attribute": "other"}, "path"),
        (lambda pack: pack | {"attribute": "other", "path": "Psychographics.x"}, "value"),
        (
            lambda pack: (
                without_values(pack)
                | {
                    "attribute": "other",
                    "path": "Psychographics.x",
                    "kind": "text",
                    "count": [1, 1],
                    "grounded": "company",
                }
            ),
            "grounded source 'company'",
        ),
    ],
)
def test_two_packs_share_nothing(
    artists: Pack, tmp_path: Path, change: Callable[[Pack], Pack], part: str
) -> None:
    other = change(artists)
    write(tmp_path, other)
    if "grounded" in other:
        write(tmp_path, other | {"attribute": "third", "path": "Psychographics.y"})
    else:
        write(tmp_path, artists)
    with pytest.raises(InvalidInputError, match=rf"share the {part}"):
        load_attributes(tmp_path)


def test_a_pack_is_called_as_its_file(artists: Pack, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="'singer', as the file"):
        load_attribute(write(tmp_path, artists, "singer"))
    with pytest.raises(InvalidInputError, match="does not exist"):
        load_attribute(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_text("a: [", "utf-8")
    with pytest.raises(InvalidInputError, match="not valid YAML"):
        load_attribute(tmp_path / "bad.yaml")
