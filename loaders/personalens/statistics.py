"""Figures of a set of users and tasks, as the paper of PersonaLens reports them (Tables 1, 6 to 9).

All functions are pure. Counts of preferences are over all domains of a profile, without the mask of
interests: only so do they give the published figures.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from personamem.loaders.personalens.benchmark import PersonaLens
from personamem.loaders.personalens.schema import (
    DOMAINS,
    Demographics,
    PreferenceType,
    Profile,
    Situation,
)

Counts = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Spread:
    """The smallest, mean and largest of some numbers; zeros if there are none."""

    smallest: int
    mean: float
    largest: int


@dataclass(frozen=True, slots=True)
class DomainCounts:
    """Tasks and scenarios of one domain; those of several domains count in each of them."""

    domain: str
    tasks: int
    scenarios: int
    interested_users: int


@dataclass(frozen=True, slots=True)
class TypeFigures:
    """The values of one preference type over all users, with the columns of Tables 8 and 9.

    ``evenness`` is H / ln n of the values as they are written, where n is ``distinct``; 0 where
    there are fewer than two. ``generated`` is the column "# Gen.": ``distinct``, but of categorical
    types at most ``listed``, the number of values in the schema.
    """

    domain: str
    type: str
    kind: str
    form: str
    listed: int
    distinct: int
    distinct_listed: int
    generated: int
    evenness: float
    users: int
    empty: int
    lengths: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class LensStatistics:
    """All figures; see the functions that compute them. Keys of mappings are values or domains."""

    users: int
    tasks: Counts
    scenarios: Counts
    scenarios_per_user: Mapping[str, Spread]
    domains: tuple[DomainCounts, ...]
    interests_per_user: Spread
    interests_by_age: Mapping[str, Mapping[str, float]]
    types: tuple[TypeFigures, ...]
    mean_evenness: Mapping[str, float]
    values_per_user: Spread
    values_of_interest_per_user: Spread
    list_lengths: Mapping[int, int]
    demographics: Mapping[str, Counts]
    situations: Mapping[str, Counts]
    history_words: Spread
    strays: Counts


def measure_statistics(data: PersonaLens) -> LensStatistics:
    """Return all figures of ``data``."""
    kinds = {task.task_id: task.kind for task in data.tasks}
    per_user: dict[str, Counter[str]] = {p.user_id: Counter() for p in data.profiles}
    for scenario in data.scenarios:
        per_user[scenario.user_id][kinds[scenario.task_id]] += 1
    types = measure_types(data.profiles, data.preference_types)
    lengths: Counter[int] = Counter()
    for each in types:
        lengths.update(each.lengths)
    return LensStatistics(
        users=len(data.profiles),
        tasks=_count(task.kind for task in data.tasks),
        scenarios=_count(kinds[scenario.task_id] for scenario in data.scenarios),
        scenarios_per_user={
            kind: measure_spread([counts[kind] for counts in per_user.values()])
            for kind in ("SD", "MD")
        },
        domains=count_domains(data),
        interests_per_user=measure_spread([len(p.interests) for p in data.profiles]),
        interests_by_age=measure_interests_by_age(data.profiles),
        types=types,
        mean_evenness={
            kind: _mean([each.evenness for each in types if each.kind == kind])
            for kind in dict.fromkeys(each.kind for each in types)
        },
        values_per_user=measure_spread(
            [sum(len(each.values) for each in p.preferences) for p in data.profiles]
        ),
        values_of_interest_per_user=measure_spread(
            [sum(len(each.values) for each in p.masked_preferences()) for p in data.profiles]
        ),
        list_lengths=dict(sorted(lengths.items())),
        demographics=count_fields([p.demographics for p in data.profiles], Demographics),
        situations=count_fields([each.situation for each in data.scenarios], Situation),
        history_words=measure_spread(
            [len(history.text.split()) for p in data.profiles for history in p.histories]
        ),
        strays=dict(data.strays),
    )


def count_domains(data: PersonaLens) -> tuple[DomainCounts, ...]:
    """Return the rows of Table 1, in the order of the domains."""
    tasks: Counter[str] = Counter()
    scenarios: Counter[str] = Counter()
    domains_of = {task.task_id: task.domains for task in data.tasks}
    for domains in domains_of.values():
        tasks.update(domains)
    for task_id, count in Counter(each.task_id for each in data.scenarios).items():
        for domain in domains_of[task_id]:
            scenarios[domain] += count
    interested = Counter(domain for p in data.profiles for domain in p.interests)
    return tuple(
        DomainCounts(domain, tasks[domain], scenarios[domain], interested[domain])
        for domain in DOMAINS
    )


def measure_interests_by_age(profiles: Iterable[Profile]) -> dict[str, dict[str, float]]:
    """Return the share of users interested in a domain, by domain and age."""
    ages: Counter[str] = Counter()
    interested: dict[str, Counter[str]] = {domain: Counter() for domain in DOMAINS}
    for profile in profiles:
        ages[profile.demographics.age] += 1
        for domain in profile.interests:
            interested[domain][profile.demographics.age] += 1
    return {
        domain: {age: counts[age] / ages[age] for age in sorted(ages)}
        for domain, counts in interested.items()
    }


def measure_types(
    profiles: Iterable[Profile], schema: Sequence[PreferenceType] = ()
) -> tuple[TypeFigures, ...]:
    """Return the figures of every preference type, in the order of the schema, else of profiles.

    Without a schema, nothing is known of which types are categorical: their kind is "".
    """
    values: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    lengths: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    forms: dict[tuple[str, str], str] = {}
    for profile in profiles:
        for each in profile.preferences:
            key = (each.domain, each.type)
            values[key].update(each.values)
            lengths[key][len(each.values)] += 1
            forms[key] = each.form
    listed = {(each.domain, each.type): each for each in schema}
    rows = []
    for key in dict.fromkeys((*listed, *values)):
        known, found = listed.get(key), values[key]
        accepted = known.values if known else ()
        is_capped = known is not None and known.kind == "categorical"
        form = known.form if known else forms[key]
        rows.append(
            TypeFigures(
                domain=key[0],
                type=key[1],
                kind=known.kind if known else "",
                form=form,
                listed=len(accepted),
                distinct=len(found),
                distinct_listed=len(found.keys() & set(accepted)),
                generated=min(len(found), len(accepted)) if is_capped else len(found),
                evenness=measure_evenness(found),
                users=sum(lengths[key].values()),
                empty=lengths[key][0],
                lengths=dict(sorted(lengths[key].items())) if form == "list" else {},
            )
        )
    return tuple(rows)


def measure_evenness(counts: Mapping[str, int]) -> float:
    """Return H / ln n of the n values that occur; 0 for fewer than two values.

    Reproduces all 90 rows of Tables 8 and 9 where ``counts`` are of the whole release.
    """
    found = [count for count in counts.values() if count]
    if len(found) < 2:
        return 0.0
    total = sum(found)
    entropy = -math.fsum(count / total * math.log(count / total) for count in found)
    return entropy / math.log(len(found))


def count_fields(records: Sequence[object], kind: type) -> dict[str, dict[str, int]]:
    """Return how often each value of each field occurs, the most frequent first."""
    return {
        field.name: _count(getattr(record, field.name) for record in records)
        for field in fields(kind)
    }


def measure_spread(numbers: Sequence[int]) -> Spread:
    """Return the smallest, mean and largest number."""
    if not numbers:
        return Spread(0, 0.0, 0)
    return Spread(min(numbers), math.fsum(numbers) / len(numbers), max(numbers))


def _count(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))


def _mean(numbers: Sequence[float]) -> float:
    return math.fsum(numbers) / len(numbers)
