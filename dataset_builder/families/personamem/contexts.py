"""Contexts: one persona's dated sessions, packed into a token budget.

First the sessions that questions need are written, as chatty as the budget allows. Then side chat
of the same topics and unrelated sessions fill the context up to a drawn share of the budget.
Sessions stand in order of their dates, so a topic's sessions are in causal order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from personamem.dataset_builder.core.people import Persona
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.planning import GroupPlan
from personamem.dataset_builder.families.personamem.sessions import (
    Brief,
    SessionPlan,
    SessionWriter,
    WrittenSession,
    check_session,
)
from personamem.dataset_builder.families.personamem.world.cohort import Cohort
from personamem.dataset_builder.families.personamem.world.facts import Fact
from personamem.dataset_builder.families.personamem.world.threads import Kind
from personamem.dataset_builder.families.personamem.writers.surface_forms import (
    REASON_RELATIONS,
    list_surface_forms,
)
from personamem.dataset_builder.families.personamem.writers.template import TemplateWriter
from personamem.dataset_builder.fillers import UnrelatedWriter
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import SIZES, Message
from personamem.loaders.formats.tokens import count_tokens

FILL = (0.95, 0.995)
"""The share of the budget that a context aims at is drawn from this range."""

CORE_SHARE = {2: 0.75, 1: 0.8, 0: 0.97}
"""The largest share of the budget that needed sessions may take at each level of detail."""

TYPICAL_SESSION = 2_000
"""Tokens of an unrelated session in large contexts; in small ones a twelfth of the budget."""

MOST_STRETCH = 1.3
"""How many times as long as the embedded writer's a model's session may be, where there is room."""

MARGIN_DAYS = 9
"""Days before the first and after the last needed session in which unrelated ones may lie."""

CHAT_SHARE = 0.3
"""The largest share of the filling that is side chat of the context's own topics."""


@dataclass(frozen=True, slots=True)
class Context:
    """A packed context. ``tokens[i]`` are the o200k_base tokens of message i.

    ``session_starts`` are message indices; ``fact_messages`` maps fact ids to message indices;
    ``session_of`` maps fact ids to session numbers.
    """

    persona: Persona
    messages: tuple[Message, ...]
    tokens: tuple[int, ...]
    session_starts: tuple[int, ...]
    session_topics: tuple[str, ...]
    session_dates: tuple[date, ...]
    fact_messages: dict[str, tuple[int, ...]]
    session_of: dict[str, int]


@dataclass(slots=True)
class _Draft:
    """A session under construction: its messages with their token counts."""

    topic: str
    said_on: date
    messages: list[Message]
    tokens: list[int]
    fact_messages: dict[str, tuple[int, ...]]

    @property
    def total(self) -> int:
        return sum(self.tokens)

    def extend(self, messages: list[Message]) -> int:
        counts = [count_tokens(message["content"]) for message in messages]
        self.messages.extend(messages)
        self.tokens.extend(counts)
        return sum(counts)


def build_context(
    config: PersonaMemConfig,
    plan: GroupPlan,
    cohort: Cohort,
    persona_index: int,
    written: Sequence[WrittenSession | None] = (),
) -> Context:
    """Return the context of the persona of ``cohort`` under ``plan``.

    ``written`` are a model's sessions in the order of ``brief_sessions``, None where the embedded
    writer's stand; empty if they all do. Raises InvalidInputError when the questions of the plan
    do not fit into the budget.
    """
    budget = SIZES[plan.size]
    random = make_rng(config.seed, "context", plan.size, plan.group, persona_index)
    writer = _open_writer(config, plan, persona_index)
    plans = plan_sessions(config, plan, cohort, persona_index)
    drafts, _ = _write_core(plans, plan, writer, budget)
    if written:
        drafts = [
            draft if model is None else _draft(session, model)
            for session, draft, model in zip(plans, drafts, written, strict=True)
        ]
    target = int(budget * (FILL[0] + (FILL[1] - FILL[0]) * random.random()))
    total = sum(draft.total for draft in drafts)
    total = _add_chat(drafts, plan, writer, random, total, target)
    fillers = _write_fillers(
        drafts, plan, cohort.personas[persona_index], writer, random, total, target
    )
    return _assemble(cohort.personas[persona_index], _interleave(drafts, fillers))


def brief_sessions(
    config: PersonaMemConfig,
    plan: GroupPlan,
    cohort: Cohort,
    persona_index: int,
    candidates: frozenset[str],
) -> tuple[Brief, ...]:
    """Return what a model is to write for the persona, session by session.

    The level of detail and the room that is left are those of the embedded writer, so a context
    fits whichever of its sessions are replaced. ``candidates`` are all texts, in lower case, that
    may stand in the sessions that plan them only.
    """
    budget = SIZES[plan.size]
    plans = plan_sessions(config, plan, cohort, persona_index)
    drafts, room = _write_core(plans, plan, _open_writer(config, plan, persona_index), budget)
    stretch = min(MOST_STRETCH, room / sum(draft.total for draft in drafts))
    briefs = []
    for session, draft in zip(plans, drafts, strict=True):
        talk = sum(draft.tokens[1:])
        embedded = WrittenSession(
            draft.topic, draft.said_on, tuple(draft.messages), draft.fact_messages
        )
        briefs.append(Brief(session, embedded, talk, int(talk * stretch), candidates))
    return tuple(briefs)


def plan_sessions(
    config: PersonaMemConfig, plan: GroupPlan, cohort: Cohort, persona_index: int
) -> tuple[SessionPlan, ...]:
    """Return the sessions in which the persona says all that the plan's questions ask for."""
    grouped: dict[tuple[date, str], list[Fact]] = {}
    for thread_id in plan.thread_ids():
        thread = cohort.threads[thread_id]
        for fact in cohort.facts[persona_index][thread_id]:
            aside = fact.relation in REASON_RELATIONS and not plan.asks_reason_of(thread_id)
            elsewhere = thread.kind is Kind.TRAIT and fact.topic not in plan.trait_topics[thread_id]
            if not aside and not elsewhere:
                grouped.setdefault((fact.said_on, fact.topic), []).append(fact)
    plans = []
    for (said_on, topic), facts in sorted(grouped.items(), key=lambda entry: entry[0]):
        # Drawn apart from roles, so neither place nor order of a mention tells what it is.
        order = make_rng(config.seed, "order", plan.size, plan.group, persona_index, topic, said_on)
        order.shuffle(facts)
        plans.append(SessionPlan(cohort.personas[persona_index], topic, said_on, tuple(facts)))
    return tuple(plans)


def _open_writer(config: PersonaMemConfig, plan: GroupPlan, persona_index: int) -> TemplateWriter:
    random = make_rng(config.seed, "writer", plan.size, plan.group, persona_index)
    return TemplateWriter(random, SIZES[plan.size])


def _write_core(
    plans: tuple[SessionPlan, ...], plan: GroupPlan, writer: SessionWriter, budget: int
) -> tuple[list[_Draft], float]:
    """Return the needed sessions, and how many tokens they may have at their level of detail."""
    for detail, share in CORE_SHARE.items():
        writer.start_again()
        drafts = [_draft(session, writer.write(session, detail)) for session in plans]
        total = sum(draft.total for draft in drafts)
        if total <= budget * share:
            return drafts, budget * share
    raise InvalidInputError(
        f"size {plan.size}: the {len(plan.quads)} questions of a context need {total:,} tokens and "
        f"the budget is {budget:,}; accepted: fewer questions, more personas or a larger size."
    )


def _draft(plan: SessionPlan, written: WrittenSession) -> _Draft:
    check_session(plan, written, list_surface_forms)
    draft = _Draft(written.topic, written.said_on, [], [], dict(written.fact_messages))
    draft.extend(list(written.messages))
    return draft


def _add_chat(
    drafts: list[_Draft],
    plan: GroupPlan,
    writer: TemplateWriter,
    random: Random,
    total: int,
    target: int,
) -> int:
    """Append side chat to sessions while fresh material and room last; return the new total."""
    limit = total + int((target - total) * CHAT_SHARE)
    open_drafts = list(drafts)
    while open_drafts and total < limit:
        draft = open_drafts[int(random.random() * len(open_drafts))]
        if writer.has_fresh_chat(draft.topic):
            total += draft.extend(writer.write_chat(draft.topic, draft.said_on))
        else:
            open_drafts = [other for other in open_drafts if other.topic != draft.topic]
    return total


def _write_fillers(
    drafts: list[_Draft],
    plan: GroupPlan,
    persona: Persona,
    writer: TemplateWriter,
    random: Random,
    total: int,
    target: int,
) -> list[tuple[int, _Draft]]:
    """Return (gap, unrelated session) until ``target`` is reached, never beyond the budget.

    Gap g lies before session g of ``drafts``. Gaps are drawn evenly, not dates: most of the year
    lies in one gap, and the sessions of a topic should not all end up next to each other.
    """
    unrelated = UnrelatedWriter(random)
    budget = SIZES[plan.size]
    typical = min(TYPICAL_SESSION, budget // 12)
    fillers = []
    while total < target:
        gap = int(random.random() * (len(drafts) + 1))
        said_on = _date_in_gap(drafts, gap, random)
        draft = _Draft("", said_on, [], [], {})
        draft.extend([writer.write_system(persona, said_on, 0 if budget < 16_384 else 1)])
        wanted = min(int(typical * (0.5 + random.random())), target - total)
        for message, tokens in unrelated.session(max(wanted - draft.total, 1), count_tokens):
            draft.messages.append(message)
            draft.tokens.append(tokens)
        while total + draft.total > budget:
            del draft.messages[-2:], draft.tokens[-2:]
        if len(draft.messages) < 3:
            break
        total += draft.total
        fillers.append((gap, draft))
    return fillers


def _date_in_gap(drafts: list[_Draft], gap: int, random: Random) -> date:
    first = drafts[gap - 1].said_on if gap else drafts[0].said_on - timedelta(days=MARGIN_DAYS)
    last = drafts[gap].said_on if gap < len(drafts) else first + timedelta(days=MARGIN_DAYS)
    return first + timedelta(days=int(random.random() * ((last - first).days + 1)))


def _interleave(drafts: list[_Draft], fillers: list[tuple[int, _Draft]]) -> list[_Draft]:
    placed: list[list[_Draft]] = [[] for _ in range(len(drafts) + 1)]
    for gap, filler in fillers:
        placed[gap].append(filler)
    sessions = []
    for gap, between in enumerate(placed):
        sessions.extend(sorted(between, key=lambda draft: draft.said_on))
        sessions.extend(drafts[gap : gap + 1])
    return sessions


def _assemble(persona: Persona, sessions: list[_Draft]) -> Context:
    messages: list[Message] = []
    tokens: list[int] = []
    starts: list[int] = []
    fact_messages: dict[str, tuple[int, ...]] = {}
    session_of: dict[str, int] = {}
    for number, draft in enumerate(sessions):
        start = len(messages)
        starts.append(start)
        for fact_id, indices in draft.fact_messages.items():
            fact_messages[fact_id] = tuple(start + index for index in indices)
            session_of[fact_id] = number
        messages.extend(draft.messages)
        tokens.extend(draft.tokens)
    return Context(
        persona=persona,
        messages=tuple(messages),
        tokens=tuple(tokens),
        session_starts=tuple(starts),
        session_topics=tuple(draft.topic for draft in sessions),
        session_dates=tuple(draft.said_on for draft in sessions),
        fact_messages=fact_messages,
        session_of=session_of,
    )
