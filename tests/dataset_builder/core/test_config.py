"""The configuration of a build: values, sections of families, and files that users write."""

from pathlib import Path
from typing import Any

import pytest

from personamem.dataset_builder.core.config import BuildConfig
from personamem.dataset_builder.core.strict_yaml import MOST_CHARACTERS, load_strict_yaml
from personamem.dataset_builder.families.configuration import load_config, make_config
from personamem.dataset_builder.families.personamem.config import (
    PersonaMemConfig,
    PersonaMemSettings,
    configure,
)
from personamem.dataset_builder.families.registry import FAMILIES, list_default_families
from personamem.loaders.formats.errors import InvalidInputError


def make_section(**values: Any) -> BuildConfig:
    return make_config(families={"personamem": values})


def read_section(config: BuildConfig) -> PersonaMemConfig:
    return configure(config)


def test_sizes_and_topics_are_put_in_order_and_duplicates_go() -> None:
    config = read_section(
        make_section(sizes=("1M", "32k", "32k"), topics=("travelPlanning", "therapy"))
    )
    assert config.sizes == ("32k", "1M")
    assert config.topics == ("therapy", "travelPlanning")


def test_every_default_family_is_built_unless_some_are_chosen() -> None:
    assert list(make_config().families) == list_default_families()
    assert set(list_default_families()) < set(FAMILIES)
    assert list(make_section().families) == ["personamem"]
    assert make_section().find_settings(PersonaMemSettings) == PersonaMemSettings()


def test_the_fingerprint_covers_every_setting() -> None:
    plain = make_section().fingerprint()
    assert plain == make_section().fingerprint()
    assert plain != make_config().fingerprint()
    for change in ({"personas": 8}, {"sizes": ("4k",)}, {"questions": 28}):
        assert make_section(**change).fingerprint() != plain
    for change in ({"seed": 1}, {"version": "1.0.1"}, {"name": "other"}):
        assert make_config(families={"personamem": {}}, **change).fingerprint() != plain


def test_the_number_of_personas_is_honoured_and_questions_follow_it() -> None:
    for personas, questions in ((20, 120), (100, 592), (400, 2_368), (1_500, 8_880)):
        config = read_section(make_section(personas=personas))
        assert config.contexts_of("32k") == personas
        assert config.questions_of("32k") == questions
    assert read_section(make_section()).contexts_of("128k") == 60


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"sizes": ("16k",)}, r"personamem\.sizes: .*Unknown size '16k'"),
        ({"sizes": ()}, "at least one size"),
        ({"topics": ("musicRecomendation",)}, "Did you mean 'musicRecommendation'"),
        ({"personas": 10}, "multiple of 4"),
        ({"questions": 30}, "multiple of 4"),
        ({"colour": "red"}, r"personamem\.colour: .* Accepted keys: sizes, personas"),
    ],
)
def test_bad_values_of_a_section_are_named_with_what_is_accepted(
    values: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        make_section(**values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"seed": -1}, "seed: "),
        ({"seed": True}, r"seed: .* \(got True\)"),
        ({"version": "one"}, "version: "),
        ({"colour": "red"}, "colour: .* Accepted keys: name, version, seed"),
        ({"families": {}}, "at least one family"),
        ({"families": ["personamem"]}, "families: must be a mapping"),
        ({"families": {"persona": {}}}, "Unknown family 'persona'"),
        ({"families": {"personamem": 4}}, r"personamem\.config: .* \(got 4\)"),
    ],
)
def test_bad_values_are_named_with_what_is_accepted(
    values: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        make_config(**values)


def test_a_config_file_is_read_and_options_win(tmp_path: Path) -> None:
    path = tmp_path / "build.yaml"
    path.write_text("seed: 5\nfamilies:\n  personamem: {sizes: [4k], personas: 8}\n", "utf-8")
    config = load_config(path, seed=6, families={"personamem": {"questions": 28}})
    section = read_section(config)
    assert (config.seed, section.sizes, section.personas) == (6, ("4k",), 8)
    assert section.questions == 28


BAD_FILES = {
    "not YAML": ("seed: [", "cannot be read: "),
    "no mapping": ("- 4k", "must hold a mapping of name, version, seed"),
    "an unknown key": ("sise: [4k]", "sise: "),
    "a text for a number": ("seed: x", "seed: "),
    "true for a number": ("seed: true", r"seed: .* \(got True\)"),
    "a date that does not exist": (
        "seed: 1\nname: 2024-99-99",
        r"2024-99-99 cannot be read: month must be in 1\.\.12.*\n.*line 2, column 7",
    ),
    "a number of 6,000 digits": ("seed: " + "9" * 6_000, r"9{40}\.\.\. cannot be read: "),
    "nesting without end": ("[" * 100_000, "nested too deeply"),
    "mappings without end": ("a: {" * 50_000, "nested too deeply"),
    "a key given twice": ("seed: 1\nname: x\nseed: 2", r"'seed' is given twice\n.*line 3"),
    "a key twice in a section": (
        "families: {personamem: {personas: 4, personas: 8}}",
        "'personas' is given twice",
    ),
    "a list for a key": ("[1, 2]: 3", r"a key is \[1, 2\]"),
    "an alias": ("a: &a [x, x]\nseed: *a", r"aliases are not accepted\n.*line 2"),
    "a bomb of aliases": (
        "a0: &a0 [x, x]\n" + "".join(f"a{n + 1}: &a{n + 1} [{f'*a{n}, ' * 9}]\n" for n in range(9)),
        "aliases are not accepted",
    ),
    "an object of Python": ("seed: !!python/object/apply:os.getpid []", "cannot be read: "),
    "a text too long": ("# " + "x" * MOST_CHARACTERS, "characters"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_config_file_is_one_error_that_names_it(tmp_path: Path, name: str) -> None:
    text, message = BAD_FILES[name]
    path = tmp_path / "build.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidInputError, match=message) as caught:
        load_config(path)
    assert str(caught.value).startswith(f"Config file {path}")
    assert len(str(caught.value)) < 500


def test_what_is_no_text_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "bytes.yaml").write_bytes(b"name: \xff")
    for path, words in (
        (tmp_path, "is no regular file"),
        (Path("/dev/zero"), "is no regular file"),
        (tmp_path / "none.yaml", "does not exist"),
        (tmp_path / "bytes.yaml", "cannot be read: 'utf-8' codec"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            load_config(path)


def test_plain_values_are_read_as_yaml_has_them() -> None:
    text = "a: 1\nb: [x, '2', 3.5, null, yes]\nc: {d: 2024-01-31}\n"
    values = load_strict_yaml(text)
    assert values["b"] == ["x", "2", 3.5, None, True]
    assert values["c"]["d"].isoformat() == "2024-01-31"
