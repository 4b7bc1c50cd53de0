"""Briefs of options: what the embedded options keep to, for whoever words them anew."""

import pytest

from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.planning import GroupPlan, plan_split
from personamem.dataset_builder.families.personamem.questions.briefs import brief_options
from personamem.dataset_builder.families.personamem.world.cohort import Cohort, build_cohort
from personamem.dataset_builder.families.personamem.writers.model.option_checks import check_options
from personamem.dataset_builder.families.personamem.writers.model.options import OptionsBrief
from personamem.dataset_builder.llm.writing.prose import RejectedTextError
from personamem.loaders.formats import schema

CONFIG = PersonaMemConfig(seed=3, sizes=("32k",))

Briefed = list[tuple[GroupPlan, Cohort, dict[str, OptionsBrief]]]


@pytest.fixture(scope="module")
def briefed() -> Briefed:
    found = []
    for plan in plan_split(CONFIG, "32k"):
        cohort = build_cohort(CONFIG.seed, plan.cohort)
        found.append((plan, cohort, brief_options(CONFIG, plan, cohort)))
    return found


def test_the_embedded_options_keep_to_their_briefs_in_their_order_only(briefed: Briefed) -> None:
    # So what is refused is not what the world itself asks for. (Advice may lack its cue.)
    for _, _, briefs in briefed:
        for brief in briefs.values():
            if brief.question_type == schema.GENERALIZE:
                continue
            drafts = [option.draft for option in brief.options]
            check_options(brief, drafts)
            with pytest.raises(RejectedTextError):
                check_options(brief, [*drafts[1:], drafts[0]])


def test_the_quads_of_a_pair_share_a_brief_and_no_others_do(briefed: Briefed) -> None:
    for plan, _, briefs in briefed:
        paired = {id(briefs[quad.quad_id]) for quad in plan.quads if quad.paired}
        single = {id(briefs[quad.quad_id]) for quad in plan.quads if not quad.paired}
        assert len(paired) == sum(quad.paired for quad in plan.quads) / 2
        assert len(single) == sum(not quad.paired for quad in plan.quads)


def test_every_persona_and_everybody_they_know_is_barred(briefed: Briefed) -> None:
    for _, cohort, briefs in briefed:
        brief = next(iter(briefs.values()))
        for persona in cohort.personas:
            people = (*persona.friends, *persona.relatives)
            assert {*persona.name.split(), *(each.name for each in people)} <= brief.names
