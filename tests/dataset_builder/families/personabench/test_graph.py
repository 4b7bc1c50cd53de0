"""Communities: edges that agree with the people at their ends."""

from itertools import product

import networkx as nx
import pytest

from personamem.dataset_builder.core.people import list_acquaintances
from personamem.dataset_builder.families.personabench.graph import (
    NAMED_KIN,
    STARS,
    USERS,
    Community,
    build_community,
)

OPPOSITE = {
    "husband": {"wife"},
    "wife": {"husband"},
    "sister": {"sister", "brother"},
    "brother": {"sister", "brother"},
    "mother": {"daughter", "son"},
    "father": {"daughter", "son"},
    "daughter": {"mother", "father"},
    "son": {"mother", "father"},
    "tenant": {"landlord", "landlady"},
    "landlord": {"tenant"},
    "landlady": {"tenant"},
    "tutor": {"pupil"},
    "pupil": {"tutor"},
}
FEMALE = {"wife", "sister", "mother", "daughter", "landlady"}
MALE = {"husband", "brother", "father", "son", "landlord"}


@pytest.fixture(scope="module")
def many() -> list[Community]:
    return [build_community(seed, number) for seed, number in product(range(12), range(5))]


def test_a_community_has_the_shape_of_the_release(many: list[Community]) -> None:
    for community in many:
        assert len(community.members) == 10
        assert len(community.ties) == 22
        graph = nx.Graph((tie.source, tie.target) for tie in community.ties)
        assert nx.is_connected(graph)
        assert graph.number_of_nodes() == 10
        for user in range(USERS):
            assert set(community.relations_of(user)) == set(STARS[user])


def test_both_directions_of_an_edge_agree(many: list[Community]) -> None:
    for community in many:
        directed = {(t.source, t.target): t for t in community.ties}
        for (source, target), tie in directed.items():
            back = directed[target, source]
            word = tie.relationship
            assert back.relationship in OPPOSITE.get(word, {word})
            assert back.description == tie.description
            sex = community.members[source].sex
            assert word not in (MALE if sex == "she" else FEMALE)


def test_a_relation_means_one_person(many: list[Community]) -> None:
    for community in many:
        for user in range(USERS):
            words = list(community.relations_of(user).values())
            assert len(set(words)) == len(words) == 3


def test_ends_share_what_the_edge_says(many: list[Community]) -> None:
    seen = set()
    for community in many:
        for tie in community.ties:
            a, b = community.members[tie.source], community.members[tie.target]
            seen.add(tie.relationship)
            if tie.relationship in NAMED_KIN | {"cousin"}:
                assert a.last_name == b.last_name
            if tie.relationship in ("sister", "brother"):
                assert a.facts["nationality"] == b.facts["nationality"]
                assert a.birth_town == b.birth_town
                assert abs(a.age - b.age) <= 8
            if tie.relationship in ("mother", "father"):
                assert a.age - b.age >= 19
            if tie.relationship in ("wife", "husband"):
                assert a.town == b.town
                assert a.sex != b.sex
            if tie.relationship == "colleague":
                assert a.company
                assert a.company == b.company
            if tie.relationship == "neighbor":
                assert a.town == b.town
    assert seen >= set(OPPOSITE) | {"colleague", "neighbor", "friend", "cousin"}


def test_what_nobody_shares_by_an_edge_is_ones_own(many: list[Community]) -> None:
    for community in many:
        colleagues = {
            frozenset((t.source, t.target)) for t in community.ties if t.relationship == "colleague"
        }
        companies = [member.company for member in community.members if member.company]
        assert len(companies) - len(set(companies)) == len(colleagues)
        names = [member.name for member in community.members]
        assert len(set(names)) == 10
        assert len({member.first_name for member in community.members}) == 10


def test_lives_do_not_contradict_themselves(many: list[Community]) -> None:
    acquaintances = set(list_acquaintances())
    for community in many:
        for member in community.members:
            facts = member.facts
            assert member.first_name not in acquaintances
            assert facts["age"] == member.age
            assert str(member.age) in member.persona
            assert ("profession" in facts) == ("workplace" in facts)
            assert ("company" in facts) == member.job_status.startswith("employed")
            if facts["job_status"] == "student":
                assert facts["school_status"] == "still enrolled"
                assert "degree" not in facts
            if facts["job_status"] == "retired":
                assert member.age >= 66
                assert "profession" not in facts
            if facts.get("degree") == "doctorate":
                assert member.age >= 30
            assert facts.get("previous_profession") != facts.get("profession", "")
        for user in community.members[:USERS]:
            assert len(user.facts) == 17


def test_another_seed_or_number_is_another_community() -> None:
    names = {build_community(seed, n).members[0].name for seed in range(3) for n in range(3)}
    assert len(names) == 9
    build_community.cache_clear()
    assert build_community(3, 1) == build_community(3, 1)
