"""Contexts: the sessions of one life, packed into a token budget.

First what questions need, one errand a session; then other errands of the same life; then everyday
chats; then pasted material, more of it where the rest runs out; then small computed tasks, which
have a fixed share of the tokens. Sessions stand in order of their dates.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.contexts import FILL, Context
from personamem.dataset_builder.families.personamem.lives.errands import list_errands
from personamem.dataset_builder.families.personamem.lives.lexicon import find_named
from personamem.dataset_builder.families.personamem.lives.life import Life
from personamem.dataset_builder.families.personamem.lives.rendering import (
    render_chat,
    render_mention,
)
from personamem.dataset_builder.families.personamem.lives.system import SystemWriter
from personamem.dataset_builder.families.personamem.lives.telling import Mention
from personamem.dataset_builder.fillers import (
    PastedWriter,
    UnrelatedWriter,
    list_everyday_chats,
    read_filler,
)
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import SIZES, Message
from personamem.loaders.formats.tokens import count_tokens

COMPUTED_SHARE = {"4k": 0.25, "8k": 0.25, "32k": 0.0, "64k": 0.0, "128k": 0.05, "1M": 0.4}
"""The share of a context's tokens that small computed tasks take."""

PASTED_SHARE = {"4k": 0.0, "8k": 0.0, "32k": 0.0, "64k": 0.0, "128k": 0.05, "1M": 0.1}
"""The share of a context's tokens that pasted material takes; more, where errands run out."""

EVERYDAY_SHARE = {"4k": 0.0, "8k": 0.0, "32k": 0.5, "64k": 0.4, "128k": 0.3, "1M": 0.2}
"""The share of a context's tokens that everyday chats take, as far as there are so many."""

_PATIENCE = 5
"""How often something pasted may be too long for the room that is left."""

_TYPICAL_SESSION = 900
"""Tokens of a session of computed tasks; in small contexts a twelfth of the budget."""


@dataclass(slots=True)
class _Draft:
    """A session under construction: its messages with their token counts."""

    topic: str
    said_on: date
    messages: list[Message]
    tokens: list[int]
    mention: Mention | None = None

    @property
    def total(self) -> int:
        return sum(self.tokens)


class _Packer:
    """Collects the sessions of one context."""

    def __init__(self, life: Life) -> None:
        self._life = life
        self._plan = life.plan
        self.budget = SIZES[self._plan.size]
        persona_id = life.speaker.persona.persona_id
        self._random = make_rng(life.config.seed, "packing", self._plan.size, persona_id)
        self._system = SystemWriter(
            life.speaker.persona,
            self._plan.is_dense,
            make_rng(life.config.seed, "system", self._plan.size, persona_id),
        )
        self.drafts: list[_Draft] = []
        self.total = 0

    def open_session(self, topic: str, day: date) -> _Draft:
        """Return a session with its system message."""
        message = self._system.write(day)
        return _Draft(topic, day, [message], [count_tokens(message["content"])])

    def add_mention(self, mention: Mention, topic: str) -> None:
        """Add the session of a mention."""
        draft = self.open_session(topic, mention.day)
        messages = render_mention(self._life.config.seed, mention, self._life.speaker)
        draft.messages += messages
        draft.tokens += [count_tokens(message["content"]) for message in messages]
        draft.mention = mention if topic else None
        if topic or self.total + draft.total <= self.budget:
            self.drafts.append(draft)
            self.total += draft.total

    def add_everyday(self, target: int) -> None:
        """Add everyday chats, none twice, while there is room below ``target``."""
        config = self._life.config
        chats = (
            read_filler(config.filler, config.filler_column).chats
            if config.filler
            else list_everyday_chats()
        )
        for chat in self._random.sample(chats, len(chats)):
            if self.total >= target:
                break
            if not self._plan.unnamed.isdisjoint(find_named(chat)):
                continue
            draft = self.open_session("", self._plan.calendar.draw_any_day(self._random))
            messages = render_chat(chat, draft.said_on, self._life.speaker, self._random)
            self._take_if_room(draft, messages, target)

    def _take_if_room(self, draft: _Draft, messages: list[Message], target: int) -> bool:
        draft.messages += messages
        draft.tokens += [count_tokens(message["content"]) for message in messages]
        if self.total + draft.total > target:
            return False
        self.drafts.append(draft)
        self.total += draft.total
        return True

    def add_pasted(self, target: int) -> None:
        """Add sessions on pasted material while there is room below ``target``."""
        writer = PastedWriter(self._random)
        refused = 0
        while self.total < target and refused < _PATIENCE:
            draft = self.open_session("", self._plan.calendar.draw_any_day(self._random))
            refused += not self._take_if_room(draft, writer.exchange(draft.said_on), target)

    def add_computed(self, target: int) -> None:
        """Add sessions of computed tasks until ``target`` is reached, never beyond the budget."""
        unrelated = UnrelatedWriter(self._random)
        typical = min(_TYPICAL_SESSION, self.budget // 12)
        while self.total < target:
            draft = self.open_session("", self._plan.calendar.draw_any_day(self._random))
            wanted = min(int(typical * (0.5 + self._random.random())), target - self.total)
            for message, tokens in unrelated.session(max(wanted - draft.total, 1), count_tokens):
                draft.messages.append(message)
                draft.tokens.append(tokens)
            while self.total + draft.total > self.budget:
                del draft.messages[-2:], draft.tokens[-2:]
            if len(draft.messages) < 3:
                break
            self.drafts.append(draft)
            self.total += draft.total

    def draw_target(self) -> int:
        """Return the tokens to aim at."""
        return int(self.budget * (FILL[0] + (FILL[1] - FILL[0]) * self._random.random()))


def build_context(life: Life) -> Context:
    """Return the context of a life.

    Raises InvalidInputError when what the questions of the plan need does not fit into the budget.
    """
    packer, plan = _Packer(life), life.plan
    for story_id, mentions in life.mentions.items():
        for mention in mentions:
            packer.add_mention(mention, plan.stories[story_id].topic)
    if packer.total > packer.budget:
        raise InvalidInputError(
            f"size {plan.size}: the {len(plan.quads)} questions of a context need {packer.total:,} "
            f"tokens and the budget is {packer.budget:,}; accepted: fewer questions, more personas "
            "or a larger size."
        )
    target = packer.draw_target()
    pasted_end = int(target * (1 - COMPUTED_SHARE[plan.size]))
    everyday_end = pasted_end - int(target * PASTED_SHARE[plan.size])
    errands_end = everyday_end - int(target * EVERYDAY_SHARE[plan.size])
    for mention in list_errands(life):
        if packer.total >= errands_end:
            break
        packer.add_mention(mention, "")
    if life.config.filler:
        packer.add_everyday(target)
    elif EVERYDAY_SHARE[plan.size]:
        packer.add_everyday(everyday_end)
    if PASTED_SHARE[plan.size]:
        packer.add_pasted(pasted_end)
    # Without a share of their own, computed tasks only fill what nothing else could.
    if COMPUTED_SHARE[plan.size] or packer.total < FILL[0] * packer.budget:
        packer.add_computed(target)
    return _assemble(life, packer.drafts)


def _assemble(life: Life, drafts: list[_Draft]) -> Context:
    order = make_rng(life.config.seed, "day", life.plan.size, life.speaker.persona.persona_id)
    placed = sorted(drafts, key=lambda draft: (draft.said_on, order.random()))
    messages: list[Message] = []
    tokens: list[int] = []
    starts: list[int] = []
    told: dict[str, tuple[int, ...]] = {}
    session_of: dict[str, int] = {}
    for number, draft in enumerate(placed):
        starts.append(len(messages))
        if draft.mention:
            told[draft.mention.mention_id] = tuple(_list_user(len(messages), draft.messages))
            session_of[draft.mention.mention_id] = number
        messages += draft.messages
        tokens += draft.tokens
    return Context(
        persona=life.speaker.persona,
        messages=tuple(messages),
        tokens=tuple(tokens),
        session_starts=tuple(starts),
        session_topics=tuple(draft.topic for draft in placed),
        session_dates=tuple(draft.said_on for draft in placed),
        fact_messages=told,
        session_of=session_of,
    )


def _list_user(start: int, messages: list[Message]) -> Iterator[int]:
    return (start + index for index, message in enumerate(messages) if message["role"] == "user")
