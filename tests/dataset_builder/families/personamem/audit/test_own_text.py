"""The text of contexts as they are built, measured as an audit measures it."""

import pytest
from unrelated_samples import sample

from personamem.dataset_builder.audit.text import TextFigures, measure_context, summarise_text
from personamem.dataset_builder.core.text.faults import read_closely
from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.personamem.config import configure
from personamem.dataset_builder.families.personamem.lives.contexts import build_context
from personamem.dataset_builder.families.personamem.lives.life import make_life
from personamem.dataset_builder.fillers.writer import kinds


@pytest.fixture(scope="module")
def figures() -> TextFigures:
    config = configure(make_config(families={"personamem": {"sizes": ("32k",), "personas": 4}}))
    contexts = [build_context(make_life(config, "32k", 0, persona)) for persona in range(4)]
    return summarise_text(
        measure_context(str(number), context.messages, context.session_starts, 0, slips=True)
        for number, context in enumerate(contexts)
    )


def test_a_built_context_has_the_text_it_should(figures: TextFigures) -> None:
    assert figures.contexts.value == 4
    assert 0.20 <= (figures.dist_1.value or 0) <= 0.35
    assert 0.68 <= (figures.dist_2.value or 0) <= 0.85
    assert 7.5 <= (figures.entropy_4.value or 0) <= 9
    assert (figures.repeated_8grams_highest.value or 1) <= 0.15
    assert (figures.self_bleu_highest.value or 1) <= 0.45
    assert figures.exact_within_highest.value is not None
    assert figures.exact_within_highest.value < 0.005


def test_a_built_context_has_no_residue_and_no_personal_data(figures: TextFigures) -> None:
    assert figures.residue.hits.places == ()
    assert figures.personal.hits.places == ()
    assert figures.sessions_within.value == 0


@pytest.mark.parametrize("kind", kinds())
def test_unrelated_exchanges_have_no_residue(kind: str) -> None:
    for asked, answered in sample(kind):
        assert list(read_closely(asked, typed=True)) == []
        assert list(read_closely(answered, typed=False)) == [], answered
