"""Which session reveals what, and when: the plan of one test user's documents.

Every fact that is asked for goes into a session of the user: their own into conversations, chats
and purchases, a neighbour's into conversations with that neighbour, a relation into talk with
anybody else. A value that is dropped later comes up earlier, beside another asked fact. Sessions
that reveal nothing are of the same kinds and make up the rest.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from random import Random

from personamem.dataset_builder.families.personabench.asking import QuestionSpec
from personamem.dataset_builder.families.personabench.attributes import AttributePack
from personamem.dataset_builder.families.personabench.people import FIRST_DAY
from personamem.dataset_builder.families.personabench.profiles import Entry
from personamem.loaders.personabench.schema import NOISE_SPLITS, DocumentKind

LAST_DAY = date(2025, 4, 30)


KINDS: tuple[DocumentKind, ...] = ("conversation", "user_ai_interaction", "purchase_history")
_KIND_WEIGHTS = (72, 20, 8)
"""Shares of the kinds of sessions in the release."""

_TOLD_TWICE = 0.08
"""Share of facts that come up in two sessions, either of which is enough: 7 % in the release."""

_RELATION_TWICE = 0.5
_GROUPS: Mapping[DocumentKind, tuple[Sequence[int], Sequence[int]]] = {
    "conversation": ((1,), (1,)),
    "user_ai_interaction": ((1,), (1,)),
    "purchase_history": ((1, 2, 3), (62, 30, 8)),
}
"""How many facts one session reveals, and weights."""

_MOST_IN_TALK = 2
_RETRIEVED = 5
"""Documents that retrievers of PersonaBench hand over at most."""


@dataclass(frozen=True, slots=True)
class Reveal:
    """One fact to reveal: an entry of ``subject``'s attribute, or what ``subject`` is to the user.

    ``former`` is the entry that is dropped for this one; ``outdated`` marks an entry that is
    dropped later.
    """

    subject: int
    attribute: str
    entry: Entry
    former: Entry | None = None
    outdated: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A session to be written. ``partner`` is a member number, None but in conversations."""

    kind: DocumentKind
    partner: int | None
    reveals: tuple[Reveal, ...]
    time: datetime = datetime.min
    with_event: bool = False

    @property
    def is_signal(self) -> bool:
        """Whether the session reveals anything asked for."""
        return bool(self.reveals)


@dataclass(slots=True)
class _Plan:
    user: int
    partners: Sequence[int]
    packs: Mapping[str, AttributePack]
    random: Random
    drafts: list[Draft] = field(default_factory=list)


def count_noise(signal: int, ratio: float) -> int:
    """Return how many sessions without an asked fact make ``ratio`` the share of all."""
    return round(signal / (1 - ratio)) - signal


def plan_sessions(
    user: int,
    partners: Sequence[int],
    asks: Iterable[QuestionSpec],
    packs: Mapping[str, AttributePack],
    random: Random,
) -> list[Draft]:
    """Return the dated drafts of all sessions: those of the highest noise ratio.

    The signal comes first; of the rest a lower ratio takes the first so many.
    """
    plan = _Plan(user, partners, packs, random)
    asks = list(asks)
    _plan_own([ask for ask in asks if ask.form == "own"], plan)
    for partner in partners:
        theirs = [a for a in asks if a.form == "two_hop" and a.subject == partner]
        _plan_partner(partner, theirs, plan)
    _plan_relations([ask for ask in asks if ask.form == "relation"], plan)
    noise = count_noise(len(plan.drafts), max(NOISE_SPLITS.values()))
    for _ in range(noise):
        kind = random.choices(KINDS, _KIND_WEIGHTS)[0]
        talks_to = random.choice(partners) if kind == "conversation" else None
        plan.drafts.append(Draft(kind, talks_to, ()))
    return _add_events(_date(plan.drafts, random), random)


def _plan_own(asks: Sequence[QuestionSpec], plan: _Plan) -> None:
    random = plan.random
    by_kind: dict[DocumentKind, list[Reveal]] = {kind: [] for kind in KINDS}
    former: list[Reveal] = []
    for ask in asks:
        for position, entry in enumerate(ask.entries):
            if position < len(ask.former):
                old = ask.former[position]
                reveal = Reveal(ask.subject, ask.attribute, entry, former=old)
                former.append(Reveal(ask.subject, ask.attribute, old, outdated=True))
                by_kind["conversation"].append(reveal)
                continue
            reveal = Reveal(ask.subject, ask.attribute, entry)
            for _ in range(1 + (random.random() < _TOLD_TWICE)):
                by_kind[_draw_kind(plan.packs[ask.attribute], random)].append(reveal)
    for kind, reveals in by_kind.items():
        random.shuffle(reveals)
        for group in _group(reveals, kind, random):
            partner = random.choice(plan.partners) if kind == "conversation" else None
            plan.drafts.append(Draft(kind, partner, group))
    for reveal in former:
        _add_former(reveal, plan)


def _draw_kind(pack: AttributePack, random: Random) -> DocumentKind:
    weights = (_KIND_WEIGHTS[0], _KIND_WEIGHTS[1], 12 if pack.purchase else 0)
    return random.choices(KINDS, weights)[0]


def _group(
    reveals: Sequence[Reveal], kind: DocumentKind, random: Random
) -> Iterable[tuple[Reveal, ...]]:
    """Yield the facts in groups; nobody says the same twice in one session."""
    waiting = list(reveals)
    while waiting:
        size = random.choices(*_GROUPS[kind])[0]
        group = [waiting.pop()]
        for reveal in reversed(waiting.copy()):
            if len(group) < size and reveal.attribute not in {r.attribute for r in group}:
                waiting.remove(reveal)
                group.append(reveal)
        yield tuple(group)


def _add_former(reveal: Reveal, plan: _Plan) -> None:
    """Add a value that will be dropped to a conversation that reveals something else as well.

    Where a small plan has none, it gets a conversation of its own.
    """
    open_to_it = [
        number
        for number, draft in enumerate(plan.drafts)
        if draft.kind == "conversation"
        and len(draft.reveals) < _MOST_IN_TALK
        and all(r.attribute != reveal.attribute and not r.former for r in draft.reveals)
        and any(not r.outdated for r in draft.reveals)
    ]
    if not open_to_it:
        plan.drafts.append(Draft("conversation", plan.random.choice(plan.partners), (reveal,)))
        return
    number = plan.random.choice(open_to_it)
    draft = plan.drafts[number]
    plan.drafts[number] = replace(draft, reveals=(*draft.reveals, reveal))


def _plan_partner(partner: int, asks: Sequence[QuestionSpec], plan: _Plan) -> None:
    for ask in asks:
        reveals = [Reveal(partner, ask.attribute, entry) for entry in ask.entries]
        # A retriever of five must be able to find a whole list, and who is meant.
        joined = max(0, len(reveals) + 1 - _RETRIEVED)
        groups = [tuple(reveals[: joined + 1]), *((reveal,) for reveal in reveals[joined + 1 :])]
        plan.drafts += [Draft("conversation", partner, group) for group in groups if group]


def _plan_relations(asks: Sequence[QuestionSpec], plan: _Plan) -> None:
    random = plan.random
    for ask in asks:
        reveal = Reveal(ask.subject, "", Entry(ask.relation))
        for _ in range(1 + (random.random() < _RELATION_TWICE)):
            others = [partner for partner in plan.partners if partner != ask.subject]
            if others and random.random() < 0.6:
                draft = Draft("conversation", random.choice(others), (reveal,))
            else:
                draft = Draft("user_ai_interaction", None, (reveal,))
            plan.drafts.append(draft)


def _date(drafts: Sequence[Draft], random: Random) -> list[Draft]:
    """Return the drafts with distinct times: what is dropped comes up in the first part of them."""
    times = _draw_times(len(drafts), random)
    dropped = sum(any(reveal.outdated for reveal in draft.reveals) for draft in drafts)
    held = sum(any(reveal.former for reveal in draft.reveals) for draft in drafts)
    middle = min(max(len(times) // 2, dropped), len(times) - held)
    early, late = random.sample(times[:middle], middle), times[middle:]
    random.shuffle(late)
    fixed: dict[int, datetime] = {}
    for number, draft in enumerate(drafts):
        if any(reveal.outdated for reveal in draft.reveals):
            fixed[number] = early.pop()
        elif any(reveal.former for reveal in draft.reveals):
            fixed[number] = late.pop()
    rest = [*early, *late]
    random.shuffle(rest)
    return [
        replace(draft, time=fixed[number] if number in fixed else rest.pop())
        for number, draft in enumerate(drafts)
    ]


def _draw_times(count: int, random: Random) -> list[datetime]:
    days = (LAST_DAY - FIRST_DAY).days + 1
    first_minute, minutes = 7 * 60, 16 * 60
    drawn = sorted(random.sample(range(days * minutes), count))
    start = datetime.combine(FIRST_DAY, datetime.min.time())
    return [
        start + timedelta(days=slot // minutes, minutes=first_minute + slot % minutes)
        for slot in drawn
    ]


def _add_events(drafts: Sequence[Draft], random: Random) -> list[Draft]:
    """Let a tenth of the conversations be about a public event, of those that reveal nothing."""
    talks = [n for n, draft in enumerate(drafts) if draft.kind == "conversation"]
    idle = [n for n in talks if not drafts[n].reveals]
    chosen = set(random.sample(idle, min(len(idle), round(len(talks) / 10))))
    return [
        replace(draft, with_event=True) if number in chosen else draft
        for number, draft in enumerate(drafts)
    ]
