"""The data of PersonaLens, whatever it was read from."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby

from personamem.loaders.personalens.sampling import choose_users
from personamem.loaders.personalens.schema import (
    LensQuestion,
    PreferenceType,
    Profile,
    Scenario,
    Task,
)


@dataclass(frozen=True)
class PersonaLens:
    """Users, tasks, and the scenarios in which users have tasks.

    ``preference_types`` is empty where a release has no schema, ``quads`` but in datasets of ours.
    ``strays`` counts by kind what a release holds beside its own rules; see ``official``.
    """

    source: str
    profiles: tuple[Profile, ...]
    tasks: tuple[Task, ...]
    scenarios: tuple[Scenario, ...]
    preference_types: tuple[PreferenceType, ...] = ()
    quads: tuple[LensQuestion, ...] = ()
    strays: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def profile_by_id(self) -> Mapping[str, Profile]:
        """The users by their ids."""
        return {profile.user_id: profile for profile in self.profiles}

    @cached_property
    def task_by_id(self) -> Mapping[str, Task]:
        """The tasks by their ids."""
        return {task.task_id: task for task in self.tasks}

    def scenarios_by_user(self) -> Iterator[tuple[Profile, list[Scenario]]]:
        """Yield each user who has scenarios, with them."""
        for user_id, found in groupby(self.scenarios, key=lambda scenario: scenario.user_id):
            yield self.profile_by_id[user_id], list(found)


def select_users(data: PersonaLens, sample: int | Iterable[str]) -> PersonaLens:
    """Return the data of some users alone; quads whose four users are not all there are left out.

    Raises:
        InvalidInputError: a size that is not known or too large, or unknown users.
    """
    chosen = choose_users(data.profile_by_id, sample)
    asked: dict[str, int] = {}
    for question in data.quads:
        asked[question.quad_id] = asked.get(question.quad_id, 0) + (question.user_id in chosen)
    return replace(
        data,
        profiles=tuple(each for each in data.profiles if each.user_id in chosen),
        scenarios=tuple(each for each in data.scenarios if each.user_id in chosen),
        quads=tuple(each for each in data.quads if asked[each.quad_id] == 4),
    )
