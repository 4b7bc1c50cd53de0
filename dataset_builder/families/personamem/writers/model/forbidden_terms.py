"""What may stand in no session that does not plan it: all that a group's questions turn on."""

from personamem.dataset_builder.families.personamem.packs import load_topic
from personamem.dataset_builder.families.personamem.planning import GroupPlan
from personamem.dataset_builder.families.personamem.world.cohort import Cohort
from personamem.dataset_builder.families.personamem.world.threads import Kind
from personamem.dataset_builder.families.personamem.writers.surface_forms import (
    express_reason,
    list_surface_forms,
)


def list_candidates(plan: GroupPlan, cohort: Cohort) -> frozenset[str]:
    """Return all candidates of a group in lower case, in all words in which they are said.

    These are the items of its topics, and the events, traits and reasons of its threads, as the
    four personas would say them of themselves and of others.
    """
    found = {item.name for topic in plan.topics for item in load_topic(topic).items()}
    for thread_id in plan.thread_ids():
        for facts in cohort.facts:
            for fact in facts[thread_id]:
                found.update(list_surface_forms(fact), express_reason(fact))
        thread = cohort.threads[thread_id]
        if thread.kind is Kind.IDEAS:
            # The new idea of a persona is told by nobody.
            found.update(thread.candidates)
    return frozenset(text.lower() for text in found)
