"""Reading a build configuration: sections by family, files, options that win, errors that name."""

from pathlib import Path

import pytest
from tiny_families import make_tiny_config, read_tiny_section

from personamem.dataset_builder.core.config import BuildConfig
from personamem.dataset_builder.families.configuration import load_config, make_config
from personamem.dataset_builder.families.registry import get_family, list_default_families
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.registry import FAMILIES

SECTIONS = {name: read_tiny_section(name) for name in FAMILIES}


def test_every_default_family_is_built_unless_some_are_named() -> None:
    built = list(make_config().families)
    assert built == list_default_families()
    assert built == [name for name in FAMILIES if get_family(name).is_default]
    for name in FAMILIES:
        assert list(make_tiny_config(name).families) == [name]


def test_the_order_of_sections_makes_no_other_configuration() -> None:
    turned = make_config(families=dict(reversed(SECTIONS.items())))
    assert turned.fingerprint() == make_tiny_config().fingerprint()


def test_the_fingerprint_covers_every_setting() -> None:
    plain = make_config().fingerprint()
    assert plain == make_config().fingerprint()
    written = {"writer": "openai", "model": {"name": "m"}}
    changes = [{"seed": 1}, {"version": "1.0.1"}, {"name": "other"}, written]
    changes += [{"families": {name: section}} for name, section in SECTIONS.items()]
    found = [make_config(**change).fingerprint() for change in changes]
    assert len({plain, *found}) == 1 + len(changes)


def test_a_configuration_is_read_again_from_its_json() -> None:
    for config in (make_tiny_config(seed=3), make_config(writer="openai", model={"name": "m"})):
        assert make_config(**config.as_json()) == config


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"seed": -1}, "seed"),
        ({"seed": True}, "seed"),
        ({"version": "one"}, "version"),
        ({"colour": "red"}, "Accepted keys: name, version"),
        ({"families": {}}, "at least one family"),
        ({"families": ["personamem"]}, "must be a mapping of personamem, "),
        ({"families": {"personamen": {}}}, "Did you mean 'personamem'"),
        ({"families": {"personamem": {"colour": "red"}}}, r"personamem\.colour.*Accepted keys:"),
        ({"families": {"personamem": [1]}}, r"personamem\."),
        ({"writer": "openai"}, "needs the settings of a model"),
        ({"model": {"name": "m"}}, "takes no model"),
    ],
)
def test_bad_values_are_named_with_what_is_accepted(
    values: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        make_config(**values)


def read(path: Path, text: str, **options: object) -> BuildConfig:
    path.write_text(text, "utf-8")
    return load_config(path, **options)


def test_a_config_file_is_read_and_options_win(tmp_path: Path) -> None:
    text = "families:\n  personamem: {sizes: [4k], personas: 8}\nseed: 5\n"
    options = {"seed": 6, "version": None, "families": {"personamem": {"personas": 4}}}
    config = read(tmp_path / "build.yaml", text, **options)
    expected = {"personamem": {"sizes": ["4k"], "personas": 4}}
    assert config == make_config(seed=6, families=expected)


def test_a_family_without_settings_of_its_own_is_built_with_its_defaults(tmp_path: Path) -> None:
    config = read(tmp_path / "build.yaml", "families:\n  personamem:\n")
    assert config == make_config(families={"personamem": {}})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed: [", "cannot be read"),
        ("seed: 1\nseed: 2", "cannot be read"),
        ("- 4k", "mapping"),
        ("sizes: [4k]", "sizes"),
        ("seed: x", "seed"),
    ],
)
def test_a_bad_config_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "build.yaml"
    with pytest.raises(InvalidInputError, match=message) as caught:
        read(path, text)
    assert str(path) in str(caught.value)
