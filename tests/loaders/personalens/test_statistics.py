"""Figures of the specimen, computed again from its files; small cases by hand."""

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from personamem.loaders.personalens import load_personalens
from personamem.loaders.personalens.schema import DOMAINS
from personamem.loaders.personalens.statistics import (
    LensStatistics,
    measure_evenness,
    measure_spread,
    measure_statistics,
    measure_types,
)


@pytest.fixture
def profiles(specimen: Path) -> list[dict[str, Any]]:
    paths = sorted(specimen.glob("profile/user*/profile.json"))
    return [json.loads(path.read_text("utf-8")) for path in paths]


@pytest.fixture
def found(specimen: Path) -> LensStatistics:
    return measure_statistics(load_personalens(specimen))


def as_list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def test_scenarios_are_those_of_the_files(specimen: Path, found: LensStatistics) -> None:
    counts: Counter[str] = Counter()
    domains: Counter[str] = Counter()
    situations: dict[str, Counter[str]] = {}
    per_user: dict[str, list[int]] = {"SD": [], "MD": []}
    for kind, name in (("SD", "tasks.json"), ("MD", "tasks_md.json")):
        for path in specimen.glob(f"profile/*/{name}"):
            tasks = json.loads(path.read_text("utf-8")).values()
            per_user[kind].append(len(tasks))
            counts[kind] += len(tasks)
            for task in tasks:
                domains.update(task["Relevant Domains"])
                for key, value in task["situations"].items():
                    situations.setdefault(key, Counter())[value] += 1
    assert found.scenarios == counts
    assert {each.domain: each.scenarios for each in found.domains} == {
        domain: domains[domain] for domain in DOMAINS
    }
    for kind, numbers in per_user.items():
        spread = found.scenarios_per_user[kind]
        assert (spread.smallest, spread.largest) == (min(numbers), max(numbers))
        assert spread.mean == sum(numbers) / 10
    assert found.situations["device"] == situations["Device"]
    assert found.situations["time_of_day"] == situations["Time of Day"]
    assert found.situations["location"] == situations["Location"]
    assert found.tasks == {"SD": 86, "MD": 25}


def test_interests_and_demographics_are_those_of_the_files(
    profiles: list[dict[str, Any]], found: LensStatistics
) -> None:
    for each in found.domains:
        assert each.interested_users == sum(p["interests"][each.domain] for p in profiles)
    numbers = [sum(p["interests"].values()) for p in profiles]
    assert found.interests_per_user.mean == sum(numbers) / 10
    ages = Counter(p["demographics"]["age"] for p in profiles)
    assert found.demographics["age"] == ages
    for age, count in ages.items():
        likes = [p["interests"]["Games"] for p in profiles if p["demographics"]["age"] == age]
        assert found.interests_by_age["Games"][age] == sum(likes) / count


def test_evenness_and_values_are_those_of_the_files(
    specimen: Path, profiles: list[dict[str, Any]], found: LensStatistics
) -> None:
    schema = json.loads((specimen / "schema.json").read_text("utf-8"))
    listed = {(d["domain"], a["name"]): a for d in schema for a in d["affinities"]}
    assert len(found.types) == len(listed) == 90
    lengths: Counter[int] = Counter()
    for each in found.types:
        given = [p["affinities"][each.domain][each.type] for p in profiles]
        values = [value for one in given for value in as_list(one)]
        shares = [values.count(value) / len(values) for value in set(values)]
        entropy = sum(share * math.log2(1 / share) for share in shares)
        evenness = entropy / math.log2(len(shares)) if len(shares) > 1 else 0
        assert each.evenness == pytest.approx(evenness, abs=1e-12)
        assert each.distinct == len(shares)
        possible = listed[each.domain, each.type]["possible_values"]
        assert each.distinct_listed == len(set(values) & set(possible))
        assert each.empty == given.count([])
        own = Counter(len(one) for one in given if isinstance(one, list))
        assert each.lengths == own
        lengths += own
    assert found.list_lengths == lengths
    categorical = [each.evenness for each in found.types if each.kind == "categorical"]
    assert len(categorical) == 70
    assert found.mean_evenness["categorical"] == pytest.approx(sum(categorical) / 70)
    numbers = [
        sum(len(as_list(value)) for types in p["affinities"].values() for value in types.values())
        for p in profiles
    ]
    assert found.values_per_user.mean == sum(numbers) / 10
    words = [len(text.split()) for p in profiles for text in p["interactions"].values()]
    assert found.history_words.mean == sum(words) / 200


def test_without_a_schema_types_are_those_of_the_profiles(release: Path) -> None:
    (release / "schema.json").unlink()
    rows = measure_types(load_personalens(release).profiles)
    assert len(rows) == 40
    assert {(row.kind, row.form, row.listed, row.generated) for row in rows} == {
        ("", "single", 0, 1),
        ("", "list", 0, 1),
    }


@pytest.mark.parametrize(
    ("counts", "evenness"),
    [({}, 0), ({"a": 5}, 0), ({"a": 2, "b": 2, "c": 2}, 1), ({"a": 3, "b": 1, "c": 0}, 0.811278)],
)
def test_evenness(counts: dict[str, int], evenness: float) -> None:
    assert measure_evenness(counts) == pytest.approx(evenness, abs=1e-6)


def test_the_spread_of_nothing_is_zero() -> None:
    assert (measure_spread([]).smallest, measure_spread([]).mean) == (0, 0.0)
