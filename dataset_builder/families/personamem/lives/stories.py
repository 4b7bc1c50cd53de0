"""Stories: what a cohort of four personas has in common about one need.

A story has four candidates, choices of its need, and four roles. In the life of persona k,
candidate v_j has the role (j - shifts[k]) mod 4, where ``shifts`` is a random permutation of 0..3:
over the cohort every candidate has every role exactly once. So a question about the story, asked of
all four with the same options, has each option as gold once.

``chain`` says which roles are the user's own, stage by stage: (0, 1) is one update, (0, 1, 0) goes
back to the first. What the other roles are is the same for the four personas too, and so is who the
other people are, since a question may name one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, permutations, product
from random import Random

from personamem.dataset_builder.core.people import Contact
from personamem.dataset_builder.families.personamem.dials import Level
from personamem.dataset_builder.families.personamem.lives.bank import NeedId
from personamem.dataset_builder.families.personamem.lives.need import Choice, Need
from personamem.loaders.formats.schema import COHORT_SIZE, MAX_LENGTH_RATIO

PHRASE_FRAME, REASON_FRAME = 40, 35
"""Letters that the shortest frame of an option has around a noun phrase or a reason."""

NO_EVENTS = ("",) * COHORT_SIZE
"""No candidate is ended by an event of life."""


class Role(StrEnum):
    """What a candidate is to the user, at the moment of a question."""

    CURRENT = "current"
    FORMER = "former"
    SOMEBODY_ELSE = "somebody_else"
    DECLINED = "declined"
    CONDITIONAL = "conditional"
    FORGOTTEN = "forgotten"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Story:
    """One story line of a cohort.

    Where ``candidates[j]`` is "", the need has no candidate j, and nothing is told of it.
    ``fixed[r]`` is what role r is unless it is the user's own: SOMEBODY_ELSE for a role that
    becomes the user's own later. ``contacts[r]`` is who has the choice of role r, ``leavers[r]``
    who once had it and gave it up, told where ``tells_reasons``; of ``bystanders`` nothing is
    asked. ``endings[j]`` is the text in which candidate j comes to an end,
    or else ``events[j]`` the event of life that ends it. ``boundaries`` are the
    shares of the story's time at which the stages after the first begin; it ends at the share
    ``until`` of the calendar, so that questions come up all over a context. The persona
    ``silent_for`` never brings the need up; ``private_for`` calls it private,
    in the words of number ``remark``.
    """

    story_id: str
    need_id: NeedId
    level: Level
    candidates: tuple[str, ...]
    shifts: tuple[int, ...]
    chain: tuple[int, ...]
    fixed: tuple[Role, ...]
    contacts: tuple[Contact, ...]
    leavers: tuple[Contact, ...]
    bystanders: tuple[Contact, ...]
    endings: tuple[int, ...]
    events: tuple[str, ...]
    boundaries: tuple[float, ...]
    until: float
    tells_reasons: bool = False
    silent_for: int | None = None
    private_for: int | None = None
    remark: int = 0

    @property
    def topic(self) -> str:
        """The topic of the need."""
        return self.need_id[0]

    @property
    def updates(self) -> int:
        """How often the user's own choice changes."""
        return max(len(self.chain) - 1, 0)

    def role_of(self, persona_index: int, candidate: int) -> int:
        """Return the number of a candidate's role in the life of a persona."""
        return (candidate - self.shifts[persona_index]) % COHORT_SIZE

    def candidate_in(self, persona_index: int, role: int) -> int:
        """Return the candidate that has a role in the life of a persona."""
        return (role + self.shifts[persona_index]) % COHORT_SIZE

    def state_of(self, role: int, stage: int) -> Role:
        """Return what a role is to the user at a stage."""
        if self.chain and self.chain[stage] == role:
            return Role.CURRENT
        if role in self.chain[:stage]:
            return Role.FORMER
        return self.fixed[role]

    def find_somebody_else(self) -> int | None:
        """Return a role that is somebody else's to the end, or None."""
        return next(
            (
                role
                for role in range(COHORT_SIZE)
                if self.fixed[role] is Role.SOMEBODY_ELSE and role not in self.chain
            ),
            None,
        )


def draw_shifts(random: Random) -> tuple[int, ...]:
    """Return a rotation for each of the four personas."""
    return tuple(random.sample(range(COHORT_SIZE), COHORT_SIZE))


def draw_boundaries(random: Random, updates: int) -> tuple[float, ...]:
    """Return where the stages after the first begin, as shares of the calendar."""
    width = 0.8 / (updates + 1)
    return tuple(0.1 + width * (stage + 0.7 + 0.6 * random.random()) for stage in range(updates))


def draw_candidates(
    need: Need,
    random: Random,
    taken: frozenset[str] = frozenset(),
    chain: tuple[int, ...] = (0,),
    weigh: Callable[[Sequence[str]], int] = lambda keys: 0,
    rate: Callable[[str], float] = lambda place: 0.0,
) -> tuple[tuple[Choice, ...], tuple[int, ...]] | None:
    """Return four choices, none of ``taken``, and which of its endings each one has.

    Fours that ``weigh`` makes light are preferred, and endings that ``rate`` finds real. Noun
    phrases, histories of the user's own choices along ``chain``, and reasons are alike enough in
    length for options built on them; None where no four are.
    """
    free = [choice for choice in need.choices if choice.key not in taken]
    fours = list(combinations(free, COHORT_SIZE))
    random.shuffle(fours)
    fours.sort(key=lambda four: weigh(tuple(choice.key for choice in four)))
    for four in fours:
        if not are_alike([choice.phrase for choice in four], PHRASE_FRAME):
            continue
        ordered = _order(four, chain, random)
        if ordered is None:
            continue
        endings = list(product(*(range(len(choice.endings)) for choice in ordered)))
        random.shuffle(endings)
        rates = [
            [rate(f"{choice.key}.endings.{n}") for n in range(len(choice.endings))]
            for choice in ordered
        ]
        endings.sort(key=lambda ns: -sum(rates[i][n] for i, n in enumerate(ns)))
        for numbers in endings:
            pairs = zip(ordered, numbers, strict=True)
            if are_alike([choice.endings[n].reason for choice, n in pairs], REASON_FRAME):
                return ordered, numbers
    return None


def _order(
    four: tuple[Choice, ...], chain: tuple[int, ...], random: Random
) -> tuple[Choice, ...] | None:
    """Return four choices in an order in which the four histories are alike in length."""
    orders = list(permutations(four))
    random.shuffle(orders)
    for order in orders:
        histories = [
            "".join(order[(first + role) % COHORT_SIZE].phrase for role in chain)
            for first in range(COHORT_SIZE)
        ]
        if are_alike(histories, PHRASE_FRAME):
            return order
    return None


def are_alike(texts: Sequence[str], frame: int) -> bool:
    """Return whether options of ``frame`` letters and one of ``texts`` each are alike in length."""
    lengths = [len(text) + frame for text in texts]
    return max(lengths) <= MAX_LENGTH_RATIO * min(lengths)
