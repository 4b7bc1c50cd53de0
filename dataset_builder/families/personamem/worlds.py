"""Which world a dataset comes from: its plans, by the configuration."""

from collections.abc import Sequence

from personamem.dataset_builder.families.personamem import planning
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.lives import plan as lives_plan


def list_plans(
    config: PersonaMemConfig, size: str
) -> Sequence[planning.GroupPlan] | Sequence[lives_plan.GroupPlan]:
    """Return the plans of all context groups of a split."""
    if config.world == "lives":
        return lives_plan.plan_split(config, size)
    return planning.plan_split(config, size)
