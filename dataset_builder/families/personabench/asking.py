"""What is asked: the open questions of a community, at the proportions of the release.

A question is made from graph and profiles alone. Documents are written afterwards, and reveal what
is asked here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personabench.attributes import MOST_VALUES, AttributePack
from personamem.dataset_builder.families.personabench.graph import NAMED_KIN, USERS, Community
from personamem.dataset_builder.families.personabench.profiles import Entry, Profile
from personamem.dataset_builder.families.personabench.shared_content import load_content

Form = Literal["own", "relation", "name", "two_hop"]
Answer = str | int | list[str] | list[dict[str, str]]

OFFICIAL_COUNTS: Mapping[str, int] = {
    "basic": 110,
    "preference_easy": 26,
    "preference_hard": 41,
    "social_relation": 21,
    "social_two_hop": 32,
}
"""Questions of the six test users of the release, without Subjective ones."""

QUOTAS: Mapping[str, tuple[int, ...]] = {
    "basic": (19, 18, 18),
    "preference_easy": (5, 4, 4),
    "preference_hard": (7, 7, 7),
}
"""Questions on oneself of the three test users of a community."""

TWO_HOP = 16
"""Two-hop questions of a community, two at most on each of nine neighbours."""

_NOT_OF_OTHERS = ("gender", "job_status", "school_status", "degree")
"""A name or "my sister" gives it away, or the commonest answer is right half of the time."""


@dataclass(frozen=True, slots=True)
class QuestionSpec:
    """One question. ``subject`` is the member it is about, ``user`` who asks.

    ``attribute`` is empty for questions on relations: "relation" asks what the subject is to the
    user, "name" who is in that relation. ``entries`` are the values to find, ``former`` those that
    no longer hold.
    """

    form: Form
    user: int
    subject: int
    relation: str
    attribute: str
    path: str
    text: str
    answer: Answer
    entries: tuple[Entry, ...]
    former: tuple[Entry, ...]
    question_type: str
    difficulty: str

    @property
    def category(self) -> str:
        """The key in ``OFFICIAL_COUNTS``."""
        if self.question_type == "Basic information":
            return "basic"
        if self.question_type == "Preference":
            return f"preference_{self.difficulty}"
        return "social_two_hop" if self.form == "two_hop" else "social_relation"


def plan_asks(
    community: Community,
    profiles: Sequence[Profile],
    packs: Mapping[str, AttributePack],
    seed: int,
) -> list[list[QuestionSpec]]:
    """Return the questions of each test user, in the order of the release."""
    two_hops = _plan_two_hops(community, profiles, packs, seed)
    return [
        [
            *_ask_own(community, user, profiles[user], packs, seed),
            *_ask_social(community, user, two_hops, profiles, packs, seed),
        ]
        for user in range(USERS)
    ]


def make_answer(pack: AttributePack, entries: Sequence[Entry]) -> Answer:
    """Return the answer in the form of the attribute's kind."""
    if pack.kind == "number":
        return int(entries[0].text)
    if pack.kind == "text":
        return entries[0].plain
    if pack.kind == "named":
        return [{entry.key: entry.plain} for entry in entries]
    return [entry.plain for entry in entries]


def classify(pack: AttributePack, entries: Sequence[Entry]) -> tuple[str, str]:
    """Return type and difficulty: preferences are easy when a list of fewer than five."""
    if pack.family == "demographics":
        return "Basic information", "easy"
    short_list = pack.kind in ("list", "named") and len(entries) < MOST_VALUES
    return "Preference", "easy" if short_list else "hard"


def _ask_own(
    community: Community,
    user: int,
    profile: Profile,
    packs: Mapping[str, AttributePack],
    seed: int,
) -> list[QuestionSpec]:
    random = make_rng(seed, "community", community.number, "asks", user)
    classes: dict[str, list[QuestionSpec]] = {category: [] for category in QUOTAS}
    for name, entries in profile.entries.items():
        pack = packs[name]
        question_type, difficulty = classify(pack, entries)
        ask = QuestionSpec(
            form="own",
            user=user,
            subject=user,
            relation="",
            attribute=name,
            path=pack.path,
            text=_reword(pack.questions.first, community, user, seed, name),
            answer=make_answer(pack, entries),
            entries=entries,
            former=profile.former.get(name, ()),
            question_type=question_type,
            difficulty=difficulty,
        )
        classes[ask.category].append(ask)
    chosen = []
    for category, asks in classes.items():
        # Which of the users has one more moves on with the community.
        quota = QUOTAS[category][(user + community.number) % USERS]
        chosen += random.sample(asks, min(quota, len(asks)))
    return chosen


def _plan_two_hops(
    community: Community,
    profiles: Sequence[Profile],
    packs: Mapping[str, AttributePack],
    seed: int,
) -> set[tuple[int, int, str]]:
    """Return (user, neighbour, attribute): one of each family, of all but a few neighbours."""
    random = make_rng(seed, "community", community.number, "two-hop")
    planned = []
    for user in range(USERS):
        for other in community.relations_of(user):
            for family in ("demographics", "psychographics"):
                names = [
                    name
                    for name, entries in profiles[other].entries.items()
                    if packs[name].family == family
                    and name not in _NOT_OF_OTHERS
                    # What both share could be answered from what the user says of themself.
                    and not set(entries) & set(profiles[user].entries.get(name, ()))
                ]
                if names:
                    planned.append((user, other, random.choice(names)))
    return set(random.sample(planned, min(TWO_HOP, len(planned))))


def _ask_social(
    community: Community,
    user: int,
    two_hops: set[tuple[int, int, str]],
    profiles: Sequence[Profile],
    packs: Mapping[str, AttributePack],
    seed: int,
) -> list[QuestionSpec]:
    random = make_rng(seed, "community", community.number, "social", user)
    asks = []
    for other, relation in community.relations_of(user).items():
        name = community.members[other].name
        asks.append(_ask_relation("relation", user, other, relation, name, random))
        if relation in NAMED_KIN:
            asks.append(_ask_relation("name", user, other, relation, name, random))
        for attribute in sorted(a for u, o, a in two_hops if (u, o) == (user, other)):
            pack, entries = packs[attribute], profiles[other].entries[attribute]
            wording = _reword(pack.questions.third, community, user + other, seed, attribute)
            phrase = f"my {relation}"
            asks.append(
                QuestionSpec(
                    form="two_hop",
                    user=user,
                    subject=other,
                    relation=relation,
                    attribute=attribute,
                    path=pack.path,
                    text=wording.replace("{who}", phrase).replace("{whose}", f"{phrase}'s"),
                    answer=make_answer(pack, entries),
                    entries=entries,
                    former=(),
                    question_type="Social",
                    difficulty="hard",
                )
            )
    return asks


def _ask_relation(
    form: Form, user: int, other: int, relation: str, name: str, random: Random
) -> QuestionSpec:
    relations = load_content().relations
    wordings = relations.name_questions if form == "relation" else relations.relation_questions
    answer = relation if form == "relation" else name
    text = random.choice(wordings).replace("{name}", name).replace("{relation}", relation)
    return QuestionSpec(
        form=form,
        user=user,
        subject=other,
        relation=relation,
        attribute="",
        path=f"Social_relationship.{relation.replace(' ', '_')}",
        text=text,
        answer=answer,
        entries=(Entry(answer),),
        former=(),
        question_type="Social",
        difficulty="easy",
    )


def _reword(wordings: Sequence[str], community: Community, shift: int, seed: int, name: str) -> str:
    """Return one paraphrase; those who are asked the same get them by turns."""
    first = make_rng(seed, "community", "wording", name).randrange(len(wordings))
    return wordings[(first + community.number * USERS + shift) % len(wordings)]
