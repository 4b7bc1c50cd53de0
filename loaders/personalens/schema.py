"""Records of PersonaLens (arXiv 2506.09902): users with preferences, tasks, and situations.

The records whose names end in ``Row`` are the rows of a dataset of ours.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from personamem.loaders.formats.records import make_schema

FAMILY = "personalens"
"""The name under which a manifest has these tables."""

SPLIT = "users"
"""The one split of a dataset of ours."""

DOMAINS = (
    "Alarm",
    "Books",
    "Buses",
    "Calendar",
    "Events",
    "Finance",
    "Flights",
    "Games",
    "Hotels",
    "Media",
    "Messaging",
    "Movies",
    "Music",
    "Rental Cars",
    "Restaurants",
    "Services",
    "Shopping",
    "Sports",
    "Train",
    "Travel",
)
"""What an assistant helps with; every preference, history and task belongs to one or several."""

SETTINGS = ("all", "none", "d", "i", "s")
"""What an assistant is told of a user: demographics (d), past interactions (i), situation (s)."""

Form = Literal["single", "list"]
TaskKind = Literal["SD", "MD"]


@dataclass(frozen=True, slots=True)
class Demographics:
    """Who a user is; the values are those of the official release, such as ``25-34 years old``."""

    age: str
    gender: str
    employment_status: str
    education: str
    marital_status: str
    english_proficiency: str
    ethnicity: str
    religion: str
    birth_country: str
    reside_country: str


@dataclass(frozen=True, slots=True)
class Preference:
    """The values of one preference type; ``form`` tells a single value from a list of one."""

    domain: str
    type: str
    form: Form
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class History:
    """A summary in prose of what a user did with an assistant in one domain."""

    domain: str
    text: str


@dataclass(frozen=True, slots=True)
class Profile:
    """One user: a row of ``profiles``.

    ``interests`` are the domains that the user cares about. ``preferences`` and ``histories`` cover
    all domains; what a benchmark uses is masked by the interests.
    """

    user_id: str
    demographics: Demographics
    interests: tuple[str, ...]
    preferences: tuple[Preference, ...]
    histories: tuple[History, ...]

    def preferences_of(self, *domains: str) -> Iterator[Preference]:
        """Yield the preferences of domains, in the order of the profile; of all without domains."""
        return (each for each in self.preferences if not domains or each.domain in domains)

    def masked_preferences(self) -> Iterator[Preference]:
        """Yield the preferences of the domains that interest the user."""
        return (each for each in self.preferences if each.domain in self.interests)

    def histories_of(self, *domains: str) -> Iterator[History]:
        """Yield the histories of some domains."""
        return (each for each in self.histories if each.domain in domains)


@dataclass(frozen=True, slots=True)
class Task:
    """One task: a row of ``tasks``. ``types`` name the preference types that it involves."""

    task_id: str
    kind: TaskKind
    number: int
    domains: tuple[str, ...]
    description: str
    intent: str
    goal: str
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Situation:
    """Where and when a user turns to the assistant."""

    location: str
    device: str
    time_of_day: str
    day_of_week: str
    environment: str


@dataclass(frozen=True, slots=True)
class Scenario:
    """One user with one task in one situation: a row of ``scenarios``."""

    user_id: str
    task_id: str
    situation: Situation


@dataclass(frozen=True, slots=True)
class LensQuestion:
    """One question of a quad: a row of ``quads``.

    Four users share ``request``, ``options`` and ``situation``; each option is right for one of
    them. ``depth`` counts the preference types that are needed to tell the options apart, and
    ``types`` names them as "domain: type".
    """

    question_id: str
    quad_id: str
    user_id: str
    task_id: str
    kind: TaskKind
    domains: tuple[str, ...]
    depth: int
    types: tuple[str, ...]
    situation: Situation
    request: str
    options: tuple[str, ...]
    answer_index: int


@dataclass(frozen=True, slots=True)
class PreferenceType:
    """One preference type: a row of ``preference_types``.

    ``values`` are all accepted ones of a categorical type, and examples of a free one.
    """

    domain: str
    domain_description: str
    type: str
    description: str
    form: Form
    kind: Literal["categorical", "free"]
    values: tuple[str, ...]


TABLES = {
    "profiles": Profile,
    "scenarios": Scenario,
    "tasks": Task,
    "preference_types": PreferenceType,
    "quads": LensQuestion,
}
"""The tables of a dataset of ours and the records that are their rows."""

SCHEMAS = {name: make_schema(record) for name, record in TABLES.items()}
"""The columns of each table."""
