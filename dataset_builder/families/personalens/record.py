"""What a manifest records about PersonaLens."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from personamem.dataset_builder.families.personalens.demographics import declared_shares
from personamem.loaders.formats.manifest import SplitName
from personamem.loaders.personalens.benchmark import PersonaLens
from personamem.loaders.personalens.schema import SPLIT

Count = Annotated[int, Field(ge=0, strict=True)]


class UsersRecord(BaseModel):
    """The counts of the one split."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    users: Count
    scenarios: Count
    single_domain_scenarios: Count
    multi_domain_scenarios: Count
    questions: Count
    quads: Count


class PersonaLensRecord(BaseModel):
    """The section of the family."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    splits: Mapping[SplitName, UsersRecord] = Field(min_length=1)
    checks: Mapping[str, Any] = {}
    tasks: Mapping[str, Count]
    preference_types: Mapping[str, Count]
    depths: Mapping[str, Count]
    ages: Mapping[str, Count]


def summarise(data: PersonaLens) -> dict[str, Any]:
    """Return the counts of the manifest."""
    kinds = {task.task_id: task.kind for task in data.tasks}
    single = sum(kinds[scenario.task_id] == "SD" for scenario in data.scenarios)
    ages = [profile.demographics.age for profile in data.profiles]
    return {
        "splits": {
            SPLIT: {
                "users": len(data.profiles),
                "scenarios": len(data.scenarios),
                "single_domain_scenarios": single,
                "multi_domain_scenarios": len(data.scenarios) - single,
                "questions": len(data.quads),
                "quads": len({question.quad_id for question in data.quads}),
            }
        },
        "tasks": {kind: list(kinds.values()).count(kind) for kind in ("SD", "MD")},
        "preference_types": {
            kind: sum(each.kind == kind for each in data.preference_types)
            for kind in ("categorical", "free")
        },
        "depths": {
            str(depth): sum(question.depth == depth for question in data.quads)
            for depth in sorted({question.depth for question in data.quads})
        },
        "ages": {age: ages.count(age) for age in declared_shares()["age"]},
    }
