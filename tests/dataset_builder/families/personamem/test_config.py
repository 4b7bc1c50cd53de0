"""The section of PersonaMem: order, scale, and what is refused."""

import pytest

from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig, configure
from personamem.loaders.formats.errors import InvalidInputError


def test_sizes_and_topics_are_put_in_order_and_duplicates_go() -> None:
    section = {"sizes": ("1M", "32k", "32k"), "topics": ("travelPlanning", "therapy")}
    config = configure(make_config(seed=3, families={"personamem": section}))
    assert config.sizes == ("32k", "1M")
    assert config.topics == ("therapy", "travelPlanning")
    assert config.seed == 3


@pytest.mark.parametrize(("personas", "questions"), [(20, 120), (100, 592), (60, 356), (4, 24)])
def test_questions_follow_the_number_of_personas(personas: int, questions: int) -> None:
    config = PersonaMemConfig(seed=0, personas=personas)
    assert config.contexts_of("32k") == personas
    assert config.questions_of("32k") == questions


def test_a_number_of_questions_that_is_given_stays() -> None:
    assert PersonaMemConfig(seed=0, personas=4, questions=28).questions_of("1M") == 28


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"sizes": ("16k",)}, "Unknown size '16k'"),
        ({"sizes": ()}, "at least one size"),
        ({"topics": ("musicRecomendation",)}, "Did you mean 'musicRecommendation'"),
        ({"topics": ()}, "at least one topic"),
        ({"personas": 10}, "multiple of 4"),
        ({"personas": 0}, "personamem.personas"),
        ({"questions": 30}, "multiple of 4"),
    ],
)
def test_bad_values_are_named_with_what_is_accepted(
    section: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        make_config(families={"personamem": section})
