"""The number of personas is the user's: far above the default scale, with unique names of all."""

from itertools import chain
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from personamem.dataset_builder.core.people import draw_persona
from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig, configure
from personamem.dataset_builder.families.personamem.lives.plan import plan_split
from personamem.dataset_builder.packaging.build import build_dataset
from personamem.loaders.formats.errors import InvalidInputError


def configure_4k(**section: int) -> PersonaMemConfig:
    return configure(make_config(families={"personamem": {"sizes": ("4k",), **section}}))


@pytest.mark.system
def test_more_personas_than_by_default_have_a_context_each(tmp_path: Path) -> None:
    section = {"sizes": ("4k",), "personas": 80, "questions": 80}
    out = tmp_path / "data"
    manifest = build_dataset(make_config(families={"personamem": section}), out, workers=1)
    counts = manifest.families["personamem"].splits["4k"]
    assert (counts["contexts"], counts["personas"], counts["questions"]) == (80, 80, 80)
    contexts = pq.read_table(out / "contexts/4k.parquet", columns=["shared_context_id"])
    assert len(set(contexts.column(0).to_pylist())) == 80
    questions = pq.read_table(out / "benchmark/4k.parquet").to_pylist()
    for column in ("question_id", "shared_context_id", "persona_id"):
        assert len({row[column] for row in questions}) == 80, "each persona is asked once"


@pytest.mark.parametrize("personas", [40, 44, 400])
def test_a_plan_has_the_personas_and_questions_that_are_asked_for(personas: int) -> None:
    config = configure_4k(personas=personas)
    plans = plan_split(config, "4k")
    assert len(plans) == personas // 4
    quads = list(chain.from_iterable(plan.quads for plan in plans))
    assert len(quads) * 4 == config.questions_of("4k") == 8 * personas
    assert len({quad.quad_id for quad in quads}) == len(quads)
    assert [plan.group for plan in plans] == list(range(len(plans)))


def test_personas_of_distant_cohorts_are_different_people() -> None:
    numbers = [4 * group + place for group in (0, 99, 100, 374) for place in range(4)]
    personas = [draw_persona(0, number) for number in numbers]
    assert [persona.persona_id for persona in personas] == numbers
    assert len({persona.name for persona in personas}) == len(personas)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (
            {"personas": 400, "questions": 4},
            "questions: 4 of size 4k are fewer than its 400 personas.* Accepted: 400 or more",
        ),
        ({"questions": 36}, "questions: 36 of size 4k are fewer than its 40 personas"),
        (
            {"personas": 8, "questions": 4_000},
            "four contexts ask more questions than .*Accepted: fewer questions",
        ),
    ],
)
def test_a_number_that_cannot_be_is_one_error(section: dict[str, int], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        plan_split(configure_4k(**section), "4k")
