"""Reading PersonaLens, ours and the official release: profiles, tasks, scenarios and quads."""

from personamem.loaders.personalens.benchmark import PersonaLens
from personamem.loaders.personalens.dataset import OFFICIAL_SOURCE, load_personalens
from personamem.loaders.personalens.sampling import SAMPLE_SIZES
from personamem.loaders.personalens.schema import Profile, Scenario, Situation, Task

__all__ = [
    "OFFICIAL_SOURCE",
    "SAMPLE_SIZES",
    "PersonaLens",
    "Profile",
    "Scenario",
    "Situation",
    "Task",
    "load_personalens",
]
