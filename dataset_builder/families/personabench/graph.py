"""Communities: ten people around three test users, as a social graph.

Each test user has three neighbours in the graph, each in a relation of its own, so that "my sister"
or "my colleague" means one person. The stars of the three users overlap in two people, and two more
edges tie others together: eleven undirected edges, as in the release. An edge decides what its two
ends share: a surname, a company, a town.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

import networkx as nx

from personamem.dataset_builder.core.content_yaml import template
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personabench.people import (
    Member,
    draw_relative,
    draw_stranger,
    draw_users,
    settle_facts,
)
from personamem.dataset_builder.families.personabench.shared_content import load_content

USERS = 3
STARS: Mapping[int, tuple[int, ...]] = {0: (3, 5, 6), 1: (3, 4, 7), 2: (4, 8, 9)}
"""Whom each test user knows: members 3 and 4 belong to two users."""

OTHER_EDGES = 2

_KINDS = ("colleague", "neighbor", "friend", "service")

KIN = ("sibling", "spouse", "parent", "child", "cousin")
"""What the other end is to the test user."""

NAMED_KIN = frozenset(
    {"sister", "brother", "wife", "husband", "mother", "father", "daughter", "son"}
)
"""Relations by which one asks for the name, as in the release: a cousin is none of them."""


@dataclass(frozen=True, slots=True)
class Relationship:
    """A directed edge: ``source`` is ``target``'s ``relationship``; both are member numbers."""

    source: int
    target: int
    relationship: str
    description: str


@dataclass(frozen=True, slots=True)
class Community:
    """Members, the test users first, and both directions of every edge."""

    number: int
    members: tuple[Member, ...]
    ties: tuple[Relationship, ...]

    @property
    def name(self) -> str:
        """The name in all files."""
        return f"community_{self.number}"

    def relations_of(self, user: int) -> dict[int, str]:
        """Return what each neighbour of a member is to them, by number."""
        return {tie.source: tie.relationship for tie in self.ties if tie.target == user}


@lru_cache(maxsize=16)
def build_community(seed: int, number: int) -> Community:
    """Return community ``number`` of the world ``seed``; the same arguments give the same one."""
    random = make_rng(seed, "community", number, "graph")
    graph = _plan_edges(random, number)
    members = dict(enumerate(draw_users(seed, number, USERS)))
    for node in range(USERS, graph.number_of_nodes()):
        members[node] = _draw_member(graph, node, members, random)
    employed_with = {
        max(a, b): min(a, b) for a, b, kind in graph.edges(data="kind") if kind == "colleague"
    }
    in_order = [members[node] for node in sorted(members)]
    settled = settle_facts(in_order, employed_with, seed, number)
    ties = [tie for a, b in graph.edges for tie in _tie(graph, a, b, settled, random)]
    ties.sort(key=lambda tie: (tie.target, tie.source))
    return Community(number, tuple(settled), tuple(ties))


def _plan_edges(random: Random, number: int) -> "nx.Graph[int]":
    """Return the graph with the kind of every edge, and of kin what they are to the user."""
    while True:
        graph: nx.Graph[int] = nx.Graph()
        graph.add_nodes_from(range(1 + max(max(star) for star in STARS.values())))
        # In the release two in five test users are asked for the name of a relative.
        with_kin = random.sample(range(USERS), 1 + number % 2)
        for user, star in STARS.items():
            # Each kind is left out by turns, so that none is much more common than the others.
            left_out = (number * USERS + user) % len(_KINDS)
            kinds = random.sample(_KINDS[:left_out] + _KINDS[left_out + 1 :], len(star))
            for other, kind in zip(star, kinds, strict=True):
                graph.add_edge(user, other, kind=kind)
            if user in with_kin or random.random() < 0.5:
                own = [other for other in star if graph.degree(other) == 1]
                kin = random.choice(KIN[:-1]) if user in with_kin else "cousin"
                graph.edges[user, own[-1]].update(kind="kin", kin=kin)
        others = [node for node in graph if node >= USERS]
        while graph.number_of_edges() < OTHER_EDGES + sum(map(len, STARS.values())):
            a, b = sorted(random.sample(others, 2))
            if not graph.has_edge(a, b):
                graph.add_edge(a, b, kind=random.choice(("friend", "colleague")))
        if _is_consistent(graph):
            return graph


def _is_consistent(graph: "nx.Graph[int]") -> bool:
    for node in graph:
        kinds = [data["kind"] for _, _, data in graph.edges(node, data=True)]
        if any(kinds.count(kind) > 1 for kind in ("colleague", "neighbor", "kin")):
            return False
        # Relatives are drawn without regard to work, so they are nobody's colleagues.
        if node >= USERS and "kin" in kinds and "colleague" in kinds:
            return False
    return bool(nx.is_connected(graph))


def _draw_member(
    graph: "nx.Graph[int]", node: int, members: Mapping[int, Member], random: Random
) -> Member:
    """Return a new member that fits the edges to the users, with a name nobody else has."""
    users = sorted(other for other in graph[node] if other < USERS)
    # Who is near in space decides the region; the others may live anywhere.
    user = next((u for u in users if graph[node][u]["kind"] in ("neighbor", "kin")), users[0])
    edge = graph[node][user]
    anchor = members[user]
    works = any(data["kind"] in ("colleague", "service") for data in graph[node].values())
    if edge["kind"] == "kin":
        edge["kin"] = _fit_kin(edge["kin"], anchor)
    taken = {word for member in members.values() for word in member.name.split()}
    while True:
        if edge["kind"] == "kin":
            member = _draw_kin(random, anchor, edge["kin"])
            own = {member.first_name}
        else:
            member = draw_stranger(random, anchor.region, works)
            own = set(member.name.split())
        if not own & taken:
            return replace(member, town=anchor.town) if edge["kind"] == "neighbor" else member


def _fit_kin(kin: str, user: Member) -> str:
    too_old, too_young = kin == "parent" and user.age > 52, kin == "child" and user.age < 44
    return "sibling" if too_old or too_young else kin


def _draw_kin(random: Random, user: Member, kin: str) -> Member:
    sex = random.choice(("she", "he"))
    if kin == "spouse":
        sex = "he" if user.sex == "she" else "she"
    low, high = {
        "sibling": (user.age - 8, user.age + 8),
        "cousin": (user.age - 10, user.age + 10),
        "spouse": (user.age - 5, user.age + 5),
        "parent": (user.age + 21, user.age + 34),
        "child": (user.age - 34, user.age - 24),
    }[kin]
    age = random.randint(max(low, 19), max(high, 20))
    member = draw_relative(random, user, sex, age, same_birthplace=kin == "sibling")
    return replace(member, town=user.town) if kin == "spouse" else member


_KIN_WORDS: Mapping[str, Mapping[str, str]] = {
    "sibling": {"she": "sister", "he": "brother"},
    "spouse": {"she": "wife", "he": "husband"},
    "parent": {"she": "mother", "he": "father"},
    "child": {"she": "daughter", "he": "son"},
    "cousin": {"she": "cousin", "he": "cousin"},
}
_SERVICE_WORDS: Mapping[str, tuple[Mapping[str, str], Mapping[str, str]]] = {
    "letting": ({"she": "tenant", "he": "tenant"}, {"she": "landlady", "he": "landlord"}),
    "lessons": ({"she": "pupil", "he": "pupil"}, {"she": "tutor", "he": "tutor"}),
}
"""What people in standing service relations are to each other: who is served, and who serves."""
_OTHER_SIDE = {"parent": "child", "child": "parent"}


def _tie(
    graph: "nx.Graph[int]", a: int, b: int, members: Sequence[Member], random: Random
) -> tuple[Relationship, Relationship]:
    """Return both directions of an edge; ``a`` is the lower number, a user if one of them is."""
    edge = graph.edges[a, b]
    kind = edge["kind"]
    if kind == "kin":
        roles = (
            _KIN_WORDS[_OTHER_SIDE.get(edge["kin"], edge["kin"])][members[a].sex],
            _KIN_WORDS[edge["kin"]][members[b].sex],
        )
    elif kind == "service":
        kind = random.choice(tuple(_SERVICE_WORDS))
        served, serves = _SERVICE_WORDS[kind]
        if random.random() < 0.5:
            served, serves = serves, served
        roles = (served[members[a].sex], serves[members[b].sex])
    else:
        roles = (kind, kind)
    slots = {"company": members[a].company, "town": members[a].town}
    source = load_content().relations.description[kind]
    description = template(source).render(slots, random.random)
    return Relationship(a, b, roles[0], description), Relationship(b, a, roles[1], description)
