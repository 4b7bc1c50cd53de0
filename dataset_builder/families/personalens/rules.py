"""What does not go together in one profile: the rules, and the check of any set of profiles.

Rules are of six kinds. Demographics of one person exclude each other. Values that need different
traits exclude each other, within a domain and across domains. Pairs of values exclude each other. A
favourite belongs to something that the user likes, such as an author to a genre. Values are those
of the schema, each once. Words exclude each other, or do not go with demographics.

The check needs nothing but profiles. In sets with other preference types, values are recognised by
their texts within a domain, whatever their type is called, and any value may be in use.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from personamem.dataset_builder.core.content_yaml import read_yaml
from personamem.dataset_builder.families.personalens.content_schema import (
    CONTENT,
    TypeContent,
    type_by_key,
)
from personamem.dataset_builder.families.personalens.traits import (
    find_dimension,
    follow_demographics,
    list_dimensions,
)
from personamem.dataset_builder.families.personalens.values import Value, read_values
from personamem.loaders.personalens.schema import Demographics, Preference, Profile

WORDS = {
    "spend": "spending",
    "pace": "time of day",
    "company": "company",
    "diet": "diet",
    "stage": "employment",
    "marital": "marital status",
    "age": "age",
    "manner": "tone",
    "footprint": "attitude to the environment",
    "mood": "liveliness",
    "place": "kind of place",
    "body": "activity",
}
"""Names of the dimensions of traits in reasons."""


@dataclass(frozen=True, slots=True)
class Flag:
    """One contradiction in a profile: the rule that it breaks, and the reason in a sentence."""

    user_id: str
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Found:
    """A value of a profile that the rules know, and what it is called in a reason."""

    key: str
    value: Value
    where: str


def check_profiles(profiles: Iterable[Profile]) -> list[Flag]:
    """Return all contradictions, by user."""
    return [flag for profile in profiles for flag in check_profile(profile)]


def check_profile(profile: Profile) -> list[Flag]:
    """Return the contradictions of one profile."""
    ours = all(_find_type(preference) for preference in profile.preferences)
    found = [each for preference in profile.preferences for each in _recognise(preference, ours)]
    problems = [
        *(("words", reason) for reason in check_words(profile)),
        *(("demographics", reason) for reason in check_demographics(profile.demographics)),
        *(("traits", reason) for reason in _check_traits(profile.demographics, found)),
        *(("pairs", reason) for reason in _check_pairs(found)),
        *(("favourites", reason) for reason in _check_favourites(profile, found)),
        *(
            ("values", reason)
            for each in profile.preferences
            for reason in _check_values(each, ours)
        ),
    ]
    return [Flag(profile.user_id, rule, reason) for rule, reason in problems]


def check_demographics(demographics: Demographics) -> Iterator[str]:
    """Yield why demographics cannot belong to one person."""
    for rule in _read_rules()["demographics"]:
        if all(
            getattr(demographics, field) in values
            for side in (rule["when"], rule["never"])
            for field, values in side.items()
        ):
            yield str(rule["why"])


def check_words(profile: Profile) -> Iterator[str]:
    """Yield which values do not go with others, or with demographics, by their words."""
    for rule in _read_rules()["words"]:
        if not all(
            getattr(profile.demographics, field) in values
            for field, values in rule.get("when", {}).items()
        ):
            continue
        other = _find_words(profile, rule["other"])
        one = _find_words(profile, rule["one"]) if "one" in rule else "the demographics"
        if one and other:
            yield f"{other} does not go with {one}: {rule['why']}"


def list_excluded(key: str, chosen: Mapping[str, Collection[str]]) -> set[str]:
    """Return the values of the type ``key`` that do not go with what is chosen of other types."""
    return {
        text
        for (other, others), texts, _ in _pairs_of().get(key, ())
        if not others.isdisjoint(chosen.get(other, ()))
        for text in texts
    }


def _check_traits(demographics: Demographics, found: Sequence[_Found]) -> Iterator[str]:
    follow = follow_demographics(demographics)
    needs: dict[str, list[tuple[frozenset[str], str]]] = {
        name: [(follow[name], "the demographics")] if name in follow else []
        for name in list_dimensions()
    }
    for each in found:
        for tags in each.value.needs:
            needs[find_dimension(tags)].append((tags, each.where))
    for name, given in needs.items():
        for number, (tags, where) in enumerate(given):
            for others, elsewhere in given[:number]:
                if not tags & others:
                    yield f"{WORDS[name]}: {where} does not go with {elsewhere}"


def _check_pairs(found: Sequence[_Found]) -> Iterator[str]:
    for first, second, why in _read_pairs():
        one, other = (
            [each for each in found if each.key == key and each.value.text in texts]
            for key, texts in (first, second)
        )
        if one and other:
            yield f"{one[0].where} does not go with {other[0].where}: {why}"


def _check_favourites(profile: Profile, found: Sequence[_Found]) -> Iterator[str]:
    chosen: dict[str, set[str]] = {}
    for each in found:
        chosen.setdefault(each.key, set()).add(each.value.text)
    for each in found:
        pool = type_by_key()[each.key][1].pool
        if pool and pool.of and each.value.of not in chosen.get(pool.of, ()):
            yield f"{each.where} belongs to {each.value.of!r}, which is not among the preferences"


def _check_values(preference: Preference, ours: bool) -> Iterator[str]:
    content = _find_type(preference) if ours else None
    where = f"{preference.domain}, {preference.type}"
    for value in dict.fromkeys(preference.values):
        if preference.values.count(value) > 1:
            yield f"{where} lists {value!r} more than once"
    if content is None:
        return
    most = content.most if content.form == "list" else 1
    if not 1 <= len(preference.values) <= most:
        yield f"{where} has {len(preference.values)} values; accepted: 1 to {most}"
    known = {value.text for value in read_values(content.key)}
    for text in preference.values:
        if text not in known:
            yield f"{where} has the unknown value {text!r}"


def _recognise(preference: Preference, ours: bool) -> Iterator[_Found]:
    content = _find_type(preference) if ours else None
    for text in preference.values:
        where = f"{text!r} ({preference.domain}, {preference.type})"
        for key, value in _index_values().get((preference.domain, text.lower()), ()):
            if content is None or content.key == key:
                yield _Found(key, value, where)


def _find_words(profile: Profile, side: Mapping[str, Any]) -> str:
    """Return what to call the first value with these words; empty if there is none."""
    pattern = re.compile(side["words"], re.IGNORECASE)
    for preference in profile.preferences_of(*side["domains"]):
        for text in preference.values:
            if pattern.search(text):
                return f"{text!r} ({preference.domain}, {preference.type})"
    return ""


def _find_type(preference: Preference) -> TypeContent | None:
    return _index_types().get((preference.domain, preference.type))


@cache
def _index_types() -> Mapping[tuple[str, str], TypeContent]:
    return {(domain, content.name): content for domain, content in type_by_key().values()}


@cache
def _index_values() -> Mapping[tuple[str, str], list[tuple[str, Value]]]:
    index: dict[tuple[str, str], list[tuple[str, Value]]] = {}
    for key, (domain, _) in type_by_key().items():
        for value in read_values(key):
            index.setdefault((domain, value.text.lower()), []).append((key, value))
    return index


_Side = tuple[str, frozenset[str]]


@cache
def _pairs_of() -> Mapping[str, list[tuple[_Side, frozenset[str], str]]]:
    """Return by type what it does not go with: another type's values, its own, and why."""
    index: dict[str, list[tuple[_Side, frozenset[str], str]]] = {}
    for first, second, why in _read_pairs():
        index.setdefault(first[0], []).append((second, first[1], why))
        index.setdefault(second[0], []).append((first, second[1], why))
    return index


@cache
def _read_pairs() -> tuple[tuple[_Side, _Side, str], ...]:
    found = []
    for rule in _read_rules()["pairs"]:
        ((one, values),) = rule["one"].items()
        ((other, others),) = rule["other"].items()
        found.append(((one, frozenset(values)), (other, frozenset(others)), str(rule["why"])))
    return tuple(found)


@cache
def _read_rules() -> Mapping[str, Any]:
    rules: Mapping[str, Any] = read_yaml(CONTENT / "rules.yaml")
    return rules
