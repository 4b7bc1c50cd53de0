"""Which tasks there are on PersonaLens datasets: one for each setting of what is told."""

from dataclasses import dataclass

from personamem.loaders.personalens.schema import FAMILY as NAME
from personamem.loaders.personalens.schema import SETTINGS, SPLIT
from personamem.tasks.families import Mode, TaskFamily


@dataclass(frozen=True, slots=True)
class SettingTasks(TaskFamily):
    """Tasks whose names all state the setting, ``personalens_all`` included."""

    def _name_control(self, condition: str) -> tuple[str, ...]:
        return (condition,)


FAMILY = SettingTasks(
    name=NAME,
    splits=(SPLIT,),
    grouped_splits=(SPLIT,),
    conditions=SETTINGS,
    modes=(
        Mode("", "_generate_yaml", ("acc", "unparsable")),
        Mode("ll", "_loglikelihood_yaml", ("acc",)),
    ),
)
