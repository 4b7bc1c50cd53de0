from pathlib import Path

import pytest

from personamem.dataset_builder.core.config import BuildConfig, load_config, make_config
from personamem.loaders.formats.errors import InvalidInputError


def test_sizes_and_topics_are_put_in_order_and_duplicates_go() -> None:
    config = make_config(sizes=("1M", "32k", "32k"), topics=("travelPlanning", "therapy"))
    assert config.sizes == ("32k", "1M")
    assert config.topics == ("therapy", "travelPlanning")


def test_the_fingerprint_covers_every_setting() -> None:
    plain = BuildConfig().fingerprint()
    assert plain == BuildConfig().fingerprint()
    for change in ({"seed": 1}, {"personas": 8}, {"sizes": ("4k",)}, {"version": "1.0.1"}):
        assert make_config(**change).fingerprint() != plain


def test_fewer_personas_mean_proportionally_fewer_questions() -> None:
    config = make_config(personas=20)
    assert config.contexts_of("32k") == 20
    assert config.questions_of("32k") == 296
    assert config.questions_of("32k") % 4 == 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"sizes": ("16k",)}, "Unknown size '16k'"),
        ({"sizes": ()}, "at least one size"),
        ({"topics": ("musicRecomendation",)}, "Did you mean 'musicRecommendation'"),
        ({"personas": 10}, "multiple of 4"),
        ({"questions": 30}, "multiple of 4"),
        ({"seed": -1}, "seed"),
        ({"version": "one"}, "version"),
        ({"colour": "red"}, "Accepted keys"),
    ],
)
def test_bad_values_are_named_with_what_is_accepted(
    values: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        make_config(**values)


def test_a_config_file_is_read_and_options_win(tmp_path: Path) -> None:
    path = tmp_path / "build.yaml"
    path.write_text("sizes: [4k]\nseed: 5\npersonas: 8\n", "utf-8")
    config = load_config(path, seed=6)
    assert (config.sizes, config.seed, config.personas) == (("4k",), 6, 8)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed: [", "cannot be read"),
        ("- 4k", "mapping"),
        ("sise: [4k]", "sise"),
        ("seed: x", "seed"),
    ],
)
def test_a_bad_config_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "build.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidInputError, match=message) as caught:
        load_config(path)
    assert str(path) in str(caught.value)
