"""Reading the official PersonaLens release.

    profile/user<n>/profile.json   demographics, interests, preferences, histories of one user
    profile/user<n>/tasks.json     the user's tasks of one domain, each with a situation
    profile/user<n>/tasks_md.json  the user's tasks of several domains
    task/<Domain>/task.jsonl       the tasks of a domain; Multi-Domain has those of several
    schema.json                    domains and preference types (in its repository: res/schema.json)

The first four lie in ``data`` of its repository. Preferences and histories cover all domains; the
release leaves it to its readers to mask them by the interests. What contradicts the release's own
rules is counted and read, since the release has all of it:

* stray keys of interests, such as ``Buses**``, which count as no interest;
* empty lists; types and values that the schema does not have; values of situations off their lists;
* copies of tasks that differ from their definition, and types that no domain of a task has;
* tasks of a user in a domain that does not interest them, which are left out, and tasks that lack.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from sys import intern

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.files import find_file, has_file, list_names
from personamem.loaders.personalens.benchmark import PersonaLens
from personamem.loaders.personalens.official_format import (
    PROFILE,
    SCHEMA,
    ProfileForm,
    read_form,
)
from personamem.loaders.personalens.official_tasks import (
    read_definitions,
    read_user_tasks,
    refuse_unknown_domains,
)
from personamem.loaders.personalens.schema import (
    DOMAINS,
    Demographics,
    History,
    Preference,
    PreferenceType,
    Profile,
    Scenario,
    Task,
)

OFFICIAL_FILES = ("*profile.json", "*tasks.json", "*tasks_md.json", "*task.jsonl", "*schema.json")
"""Patterns of the files that are read."""

_USER = re.compile(r"user(\d+)")


def read_official(source: str, folder: Path) -> PersonaLens:
    """Read the release in ``folder``; ``source`` is how the user names it.

    Raises:
        DatasetError: no release, a file that is missing or malformed, unknown fields or domains.
    """
    base, prefix = _find_base(folder)
    strays: Counter[str] = Counter()
    types = _read_schema(base, prefix)
    definitions = read_definitions(base, f"{prefix}task")
    profiles, scenarios = [], []
    copies: dict[str, Task] = {}
    for user_id in _list_users(base / prefix / "profile"):
        place = f"{prefix}profile/{user_id}"
        profile = _read_profile(base, place, user_id, types, strays)
        profiles.append(profile)
        interests = set(profile.interests)
        seen: set[str] = set()
        for name in ("tasks.json", "tasks_md.json"):
            path = find_file(base, f"{place}/{name}")
            for task, situation in read_user_tasks(path, strays):
                known = (definitions or copies).get(task.task_id)
                if known is None:
                    if definitions:
                        raise DatasetError(
                            f"{path}: task_id {task.task_id!r} is no task of the release."
                        )
                    copies[task.task_id] = task
                elif known != task:
                    strays["tasks that differ from their definition"] += 1
                if interests.issuperset(task.domains):
                    seen.add(task.task_id)
                    scenarios.append(Scenario(user_id, (known or task).task_id, situation))
                else:
                    strays["tasks in masked domains"] += 1
        due = {t.task_id for t in definitions.values() if interests.issuperset(t.domains)}
        if due - seen:
            strays["tasks that users lack"] += len(due - seen)
    tasks = tuple(definitions.values()) or tuple(sorted(copies.values(), key=_order_task))
    _count_unknown_types(tasks, types, strays)
    return PersonaLens(
        source, tuple(profiles), tasks, tuple(scenarios), tuple(types.values()), strays=+strays
    )


def _find_base(folder: Path) -> tuple[Path, str]:
    """Return the folder that all files are within, and what the names of files begin with there."""
    if (folder / "profile").is_dir():
        return folder, ""
    if (folder / "data" / "profile").is_dir():
        return folder, "data/"
    if folder.name == "profile" and any(folder.glob("user*/profile.json")):
        return folder.parent, ""
    raise DatasetError(
        f"{folder} is not a PersonaLens release: it holds neither profile/user<n>/profile.json nor "
        "the manifest.json of a dataset of ours."
    )


def _list_users(folder: Path) -> list[str]:
    numbers = {name: match for name in list_names(folder) if (match := _USER.fullmatch(name))}
    if not numbers:
        raise DatasetError(f"{folder} holds no users. Accepted: folders user0, user1 and so on.")
    return sorted(numbers, key=lambda name: int(numbers[name][1]))


def _read_schema(base: Path, prefix: str) -> dict[tuple[str, str], PreferenceType]:
    names = [f"{prefix}schema.json", "res/schema.json"]
    places = [(base, name) for name in names if has_file(base, name)]
    # Beside the folder ``data`` of the repository, if that was named itself.
    if not places and has_file(base.parent, "res/schema.json"):
        places = [(base.parent, "res/schema.json")]
    if not places:
        return {}
    path = find_file(*places[0])
    return {
        (domain.domain, each.name): PreferenceType(
            domain=domain.domain,
            domain_description=domain.description,
            type=each.name,
            description=each.description,
            form="list" if each.has_multiple_values else "single",
            kind="categorical" if each.is_categorical else "free",
            values=tuple(each.possible_values),
        )
        for domain in read_form(path, SCHEMA)
        for each in domain.affinities
    }


def _read_profile(
    base: Path,
    place: str,
    user_id: str,
    types: Mapping[tuple[str, str], PreferenceType],
    strays: Counter[str],
) -> Profile:
    path = find_file(base, f"{place}/profile.json")
    form = read_form(path, PROFILE)
    if form.demographics.user_id != user_id:
        raise DatasetError(
            f"{path}: demographics.user_id is {form.demographics.user_id!r}. Accepted: {user_id!r}."
        )
    for domains in (form.affinities, form.interactions):
        refuse_unknown_domains(path, list(domains))
    strays["domains that users lack"] += 2 * len(DOMAINS) - sum(
        domain in found for found in (form.affinities, form.interactions) for domain in DOMAINS
    )
    preferences = tuple(_make_preferences(form, types, strays))
    return Profile(
        user_id=user_id,
        demographics=Demographics(
            **{
                name: intern(value)
                for name, value in form.demographics.model_dump(exclude={"user_id"}).items()
            }
        ),
        interests=_read_interests(path, form, strays),
        preferences=preferences,
        histories=tuple(
            History(domain, form.interactions[domain])
            for domain in DOMAINS
            if domain in form.interactions
        ),
    )


def _read_interests(path: Path, form: ProfileForm, strays: Counter[str]) -> tuple[str, ...]:
    for name, value in form.interests.items():
        if name not in DOMAINS:
            # The release has such a key, of a domain with marks around.
            if name.strip("*_ \t\n") not in DOMAINS:
                refuse_unknown_domains(path, [name])
            strays["stray keys of interests"] += 1
        if value not in (0, 1):
            raise DatasetError(f"{path}: interests.{name} is {value}. Accepted: 0 or 1.")
    return tuple(domain for domain in DOMAINS if form.interests.get(domain, 0) == 1)


def _make_preferences(
    form: ProfileForm, types: Mapping[tuple[str, str], PreferenceType], strays: Counter[str]
) -> Iterator[Preference]:
    for domain in DOMAINS:
        for name, given in form.affinities.get(domain, {}).items():
            values = (given,) if isinstance(given, str) else tuple(given)
            if not values:
                strays["empty lists"] += 1
            known = types.get((domain, name))
            if types and known is None:
                strays["types that the schema does not have"] += 1
            elif known and known.kind == "categorical":
                off = sum(value not in known.values for value in values)
                if off:
                    strays["values that the schema does not have"] += off
            yield Preference(
                domain=domain,
                type=intern(name),
                form="single" if isinstance(given, str) else "list",
                values=tuple(map(intern, values)),
            )


def _count_unknown_types(
    tasks: Sequence[Task],
    types: Mapping[tuple[str, str], PreferenceType],
    strays: Counter[str],
) -> None:
    if types:
        strays["types of tasks that no domain of theirs has"] += sum(
            not any((domain, name) in types for domain in task.domains)
            for task in tasks
            for name in task.types
        )


def _order_task(task: Task) -> tuple[bool, tuple[str, ...], int]:
    return task.kind == "MD", task.domains if task.kind == "SD" else (), task.number
