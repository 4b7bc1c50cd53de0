"""Packing: the sessions of one life as they are collected, and the context that they become."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, partial

from personamem.dataset_builder.core.people import Persona
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.core.text.repeats import count_repeated_words
from personamem.dataset_builder.families.personamem.lives.fitting import draw_fitting, order_chats
from personamem.dataset_builder.families.personamem.lives.lexicon import find_named
from personamem.dataset_builder.families.personamem.lives.life import Life
from personamem.dataset_builder.families.personamem.lives.mentions import Mention
from personamem.dataset_builder.families.personamem.lives.rendering import (
    render_chat,
    render_mention,
)
from personamem.dataset_builder.families.personamem.lives.seasons import draw_in_season
from personamem.dataset_builder.families.personamem.lives.system import SystemWriter
from personamem.dataset_builder.fillers import Chat, PastedWriter, UnrelatedWriter
from personamem.loaders.formats.schema import SIZES, Message
from personamem.loaders.formats.tokens import count_tokens

FILL = (0.95, 0.995)
"""The share of the budget that a context aims at is drawn from this range."""

_PATIENCE = 5
"""How often something pasted may be too long for the room that is left."""

_REWRITTEN = 0.015
"""Words that everyday chats may say again, as a share of a context's tokens.

A draft that is written anew repeats most of itself; few people have a toast and a review and a
script written anew in one week.
"""

LEAST_ROOM = 100
"""Tokens below which no everyday chat is tried any more: hardly one is that short."""

_TYPICAL_SESSION = 900
"""Tokens of a session of computed tasks; in small contexts a twelfth of the budget."""

_DATES_DIFFER = 10
"""Tokens by which the system messages of a context may differ from each other."""


@dataclass(frozen=True, slots=True)
class Context:
    """A packed context. ``tokens[i]`` are the o200k_base tokens of message i.

    ``session_starts`` are message indices; ``fact_messages`` maps the ids of mentions to message
    indices; ``session_of`` maps them to session numbers.
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
    mention: Mention | None = None

    @property
    def total(self) -> int:
        return sum(self.tokens)


class Packer:
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
        self._openings: dict[date, tuple[Message, int]] = {}
        self.drafts: list[_Draft] = []
        self.total = 0

    def open_session(self, topic: str, day: date) -> _Draft:
        """Return a session with its system message."""
        if day not in self._openings:  # A long context has several sessions a day.
            written = self._system.write(day)
            self._openings[day] = written, count_tokens(written["content"])
        message, tokens = self._openings[day]
        return _Draft(topic, day, [message], [tokens])

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

    def measure_system(self) -> int:
        """Return the most tokens that the system message of a session has."""
        opening = self._system.write(self._plan.calendar.start)
        return count_tokens(opening["content"]) + _DATES_DIFFER

    def add_everyday(self, target: int, chats: Sequence[Chat]) -> None:
        """Add chats of the life, none twice, while there is room below ``target``."""
        allowed = _REWRITTEN * self.budget
        for chat in self._draw_fitting(chats):
            room = target - self.total
            if room < LEAST_ROOM:
                break
            repeated = count_repeated_words(chat.messages)
            if repeated <= allowed and _count_least(chat) <= room and self._add_chat(chat, target):
                allowed -= repeated

    def add_written(
        self, target: int, written: Sequence[Chat | None], bank: Sequence[Chat]
    ) -> None:
        """Add what a model wrote; then, below ``target``, a chat of the bank for each None."""
        for chat in written:
            if chat:
                self._add_chat(chat, target)
        others, refused = self._draw_fitting(bank), 0
        for _ in range(sum(chat is None for chat in written)):
            chat = next(others, None)
            if chat is None or refused == _PATIENCE:
                break
            refused += not self._add_chat(chat, target)

    def _draw_fitting(self, chats: Sequence[Chat]) -> Iterator[Chat]:
        """Yield chats of the person's life that name nothing which evidence only implies."""
        persona = self._life.speaker.persona
        order = order_chats(chats, self._life.config.seed, persona.persona_id)
        for chat in draw_fitting(order, persona.field, persona.country, self._random):
            if self._plan.unnamed.isdisjoint(find_named(chat)):
                yield chat

    def _add_chat(self, chat: Chat, target: int) -> bool:
        draw = partial(self._plan.calendar.draw_any_day, self._random)
        country = self._life.speaker.persona.country
        draft = self.open_session("", draw_in_season(draw, chat.messages[0], country))
        messages = render_chat(chat, draft.said_on, self._life.speaker, self._random)
        return self._take_if_room(draft, messages, target)

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


def assemble(life: Life, packer: Packer) -> Context:
    """Return the context of what was collected, in order of dates."""
    order = make_rng(life.config.seed, "day", life.plan.size, life.speaker.persona.persona_id)
    placed = sorted(packer.drafts, key=lambda draft: (draft.said_on, order.random()))
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


@cache
def _count_least(chat: Chat) -> int:
    """Return about the fewest tokens that a chat takes, filled in and without its last exchange.

    A small context tries every chat for the room that is left at its end; rendering each would be
    most of a build.
    """
    texts = chat.messages[:-2] if chat.is_form and len(chat.messages) > 2 else chat.messages
    return int(0.9 * sum(map(count_tokens, texts)))


def _list_user(start: int, messages: list[Message]) -> Iterator[int]:
    return (start + index for index, message in enumerate(messages) if message["role"] == "user")
