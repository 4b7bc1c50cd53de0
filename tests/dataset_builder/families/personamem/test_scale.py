"""The number of personas is the user's: far above the default scale, with unique names of all."""

from itertools import chain
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig, configure
from personamem.dataset_builder.families.personamem.planning import plan_split
from personamem.dataset_builder.families.personamem.world.cohort import build_cohort
from personamem.dataset_builder.packaging.build import build_dataset
from personamem.loaders.formats.errors import InvalidInputError


def configure_4k(**section: int) -> PersonaMemConfig:
    return configure(make_config(families={"personamem": {"sizes": ("4k",), **section}}))


@pytest.mark.system
def test_four_hundred_personas_have_four_hundred_contexts(tmp_path: Path) -> None:
    section = {"sizes": ("4k",), "personas": 400, "questions": 400}
    out = tmp_path / "data"
    manifest = build_dataset(make_config(families={"personamem": section}), out, workers=2)
    counts = manifest.families["personamem"].splits["4k"]
    assert (counts["contexts"], counts["personas"], counts["questions"]) == (400, 400, 400)
    contexts = pq.read_table(out / "contexts/4k.parquet", columns=["shared_context_id"])
    assert len(set(contexts.column(0).to_pylist())) == 400
    questions = pq.read_table(out / "benchmark/4k.parquet").to_pylist()
    for column in ("question_id", "shared_context_id", "persona_id"):
        assert len({row[column] for row in questions}) == 400, "each persona is asked once"


@pytest.mark.parametrize("personas", [40, 44, 1_500])
def test_a_plan_has_the_personas_and_questions_that_are_asked_for(personas: int) -> None:
    config = configure_4k(personas=personas)
    plans = plan_split(config, "4k")
    assert len(plans) == personas // 4
    quads = list(chain.from_iterable(plan.quads for plan in plans))
    assert len(quads) * 4 == config.questions_of("4k") == 8 * personas
    assert len({quad.quad_id for quad in quads}) == len(quads)
    assert len({plan.cohort for plan in plans}) == len(plans)


def test_personas_of_distant_cohorts_are_different_people() -> None:
    ids = [
        persona.persona_id
        for number in (0, 99, 100, 374)
        for persona in build_cohort(0, number).personas
    ]
    assert ids == [4 * number + place for number in (0, 99, 100, 374) for place in range(4)]


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (
            {"personas": 400, "questions": 4},
            "questions: 4 of size 4k are fewer than its 400 personas.* Accepted: 400 or more",
        ),
        ({"questions": 36}, "questions: 36 of size 4k are fewer than its 40 personas"),
        ({"personas": 8, "questions": 4_000}, "more than 15 topic.* can carry; accepted: up to"),
    ],
)
def test_a_number_that_cannot_be_is_one_error(section: dict[str, int], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        plan_split(configure_4k(**section), "4k")
