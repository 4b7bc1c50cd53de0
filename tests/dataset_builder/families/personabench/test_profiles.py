"""Profiles: grounded in the graph, and apart where people know each other."""

from collections.abc import Sequence

import pytest

from personamem.dataset_builder.families.personabench.attributes import attribute_packs
from personamem.dataset_builder.families.personabench.graph import USERS, Community, build_community
from personamem.dataset_builder.families.personabench.profiles import Profile, draw_profiles

World = tuple[Community, Sequence[Profile]]


@pytest.fixture(scope="module")
def worlds() -> list[World]:
    packs = attribute_packs()
    seeds = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    made = [build_community(seed, place % 3) for place, seed in enumerate(seeds)]
    return [(c, draw_profiles(c, packs, seed)) for c, seed in zip(made, seeds, strict=True)]


def test_a_profile_covers_all_attributes_that_apply(worlds: list[World]) -> None:
    packs = attribute_packs()
    for community, profiles in worlds:
        for member, profile in zip(community.members, profiles, strict=True):
            missing = set(packs) - set(profile.entries)
            assert all(packs[name].grounded not in member.facts for name in missing)
            for name, entries in profile.entries.items():
                low, high = packs[name].count
                assert low <= len(entries) <= high
                assert len({entry.text for entry in entries}) == len(entries)
                keys = [entry.key for entry in entries]
                assert len(set(keys)) == len(entries) or not any(keys)


def test_grounded_entries_are_the_graphs(worlds: list[World]) -> None:
    packs = attribute_packs()
    for community, profiles in worlds:
        for member, profile in zip(community.members, profiles, strict=True):
            for name, entries in profile.entries.items():
                source = packs[name].grounded
                if source:
                    assert entries[0].text == str(member.facts[source])
    countries = {
        e.text: e.plain for _, ps in worlds for p in ps for e in p.entries["birth_country"]
    }
    assert countries["the United States"] == "United States"


def test_people_who_know_each_other_differ(worlds: list[World]) -> None:
    packs = attribute_packs()
    shared = checked = 0
    for community, profiles in worlds:
        for user in range(USERS):
            for other in community.relations_of(user):
                for name, pack in packs.items():
                    if not pack.grounded:
                        checked += 1
                        shared += bool(
                            set(profiles[user].entries[name]) & set(profiles[other].entries[name])
                        )
    assert shared <= checked / 200


def test_former_values_are_dropped_from_full_lists_alone(worlds: list[World]) -> None:
    dropped = 0
    for _, profiles in worlds:
        for number, profile in enumerate(profiles):
            assert number < USERS or not profile.former
            for name, former in profile.former.items():
                dropped += 1
                assert len(profile.entries[name]) == 5
                assert 1 <= len(former) <= 3
                assert not set(former) & set(profile.entries[name])
    assert dropped > 50
