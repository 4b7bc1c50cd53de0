"""Writing the sessions of one archive: conversations, chats with an assistant, purchases.

A conversation is an opening, some stretches of talk, and a close. Each stretch reveals a fact, or
is about the same themes and reveals none; which of them come first is drawn.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from personamem.dataset_builder.families.personabench.attribute_schema import (
    Goods,
    PurchaseHint,
    pick_fitting,
)
from personamem.dataset_builder.families.personabench.attributes import AttributePack
from personamem.dataset_builder.families.personabench.drafts import Draft, Reveal
from personamem.dataset_builder.families.personabench.graph import Community
from personamem.dataset_builder.families.personabench.others import values_of_nobody
from personamem.dataset_builder.families.personabench.outline import (
    EVERYDAY,
    FRAME,
    UNRELATED,
    Segment,
    Topic,
    Turn,
    keys_in,
    make_exchange,
    make_matter,
    merge_turns,
    take_turns,
)
from personamem.dataset_builder.families.personabench.profiles import Entry, Profile
from personamem.dataset_builder.families.personabench.scenes import Renderer, TermMatcher, write_day
from personamem.dataset_builder.families.personabench.shared_content import Frame, load_content
from personamem.dataset_builder.fillers.writer import UnrelatedWriter
from personamem.loaders.personabench.schema import Purchase

MOST_UTTERANCES = 14
_STRETCHES = (3, 4)
_EXCHANGES = (3, 4, 5)
_ITEMS = (3, 4, 5)

_ON_ASKED_THEMES = 0.75
"""Share of other talk on themes somebody is asked about: what a retriever must tell apart."""

_NEAR_MISSES, _NEAR_MISSES_OF_SIGNAL = 0.35, 0.15
"""Shares of other talk that is about a value of somebody whom nobody asks about."""

_THEMES = 0.88
"""Share of other talk that is on the theme of an attribute; the rest is on everyday things."""

NO_SLOTS: Mapping[str, str] = {}


class ArchiveWriter:
    """Writes the sessions of one user."""

    def __init__(
        self,
        community: Community,
        user: int,
        profiles: Sequence[Profile],
        packs: Mapping[str, AttributePack],
        asked: Sequence[str],
        renderer: Renderer,
    ) -> None:
        """Take the world and a renderer; ``asked`` are the attributes that are asked about."""
        self._community = community
        self._user = user
        self._packs = packs
        self._names = list(packs)
        self._asked = list(asked)
        self._renderer = renderer
        self._random = renderer.random
        known = (user, *community.relations_of(user))
        self._taken = TermMatcher(text for n in known for text in sorted(profiles[n].all_texts()))
        self._free: dict[str, list[Entry]] = {}
        self._unrelated = UnrelatedWriter(renderer.random)

    def write_conversation(self, draft: Draft) -> tuple[Turn, ...]:
        """Return the utterances of user and partner, by turns, the user's first."""
        stretches = [self._reveal(reveal, draft.time) for reveal in draft.reveals]
        if draft.with_event:
            stretches.append(self._talk_of_event(draft.time))
        wanted = max(self._random.choice(_STRETCHES), len(draft.reveals) + 1)
        while len(stretches) < wanted:
            stretches.append(self._talk(draft))
        self._random.shuffle(stretches)
        content = load_content()
        opening = self._frame("openers", content.openers, draft.time)
        turns = [*opening, *(turn for s in stretches for turn in s)]
        closing = self._frame("closings", content.closings, draft.time)
        merged = merge_turns([*turns, *closing])
        if len(merged) > MOST_UTTERANCES:
            merged = merge_turns(turns)[:MOST_UTTERANCES]
        return tuple(merged)

    def write_chat(self, draft: Draft) -> tuple[Turn, ...]:
        """Return the messages of user and assistant, by turns."""
        exchanges = [self._reveal_in_chat(reveal, draft.time) for reveal in draft.reveals]
        wanted = max(self._random.choice(_EXCHANGES), len(exchanges) + 1)
        while len(exchanges) < wanted:
            exchanges.append(self._chat(draft.time))
        self._random.shuffle(exchanges)
        turns: list[Turn] = []
        for exchange in exchanges:
            first, *rest = exchange
            if turns and self._random.random() < 0.4:
                thanks = self._line("thanks", load_content().chat_thanks, draft.time)
                first = Turn(True, (Segment("lead", FRAME, thanks), *first.parts))
            turns += [first, *rest]
        return tuple(turns)

    def write_purchase(self, draft: Draft) -> tuple[Purchase, ...]:
        """Return the items bought at once."""
        items = [self._reveal_in_purchase(reveal) for reveal in draft.reveals]
        wanted = max(self._random.choice(_ITEMS), len(items) + 1)
        while len(items) < wanted:
            item = self._goods()
            if item not in items:
                items.append(item)
        self._random.shuffle(items)
        return tuple(items)

    def _reveal(self, reveal: Reveal, time: datetime) -> list[Turn]:
        speaks = reveal.subject == self._user or not reveal.attribute
        sources: Sequence[tuple[str, str, str]]
        if not reveal.attribute:
            hints = load_content().relations.conversation
            sources = [(h.lead, h.say, h.reply) for h in hints]
        elif reveal.former:
            updates = self._packs[reveal.attribute].updates
            sources = [(u.lead, u.say, u.reply) for u in updates]
        else:
            fitting = pick_fitting(self._packs[reveal.attribute].conversation, reveal.entry.key)
            sources = [(h.lead, h.say, h.reply) for h in fitting]
        name = ("conversation", reveal.attribute, reveal.former is None, reveal.entry.key)
        slots = self._slots_of(reveal)
        texts, _ = self._make_stretch(name, sources, time, slots)
        return take_turns(speaks, self._matter_of(reveal, texts[1]), texts)

    def _reveal_in_chat(self, reveal: Reveal, time: datetime) -> list[Turn]:
        if reveal.attribute:
            fitting = pick_fitting(self._packs[reveal.attribute].chat, reveal.entry.key)
            sources = [(hint.say, hint.reply) for hint in fitting]
        else:
            sources = [(hint.say, hint.reply) for hint in load_content().relations.chat]
        more = self._slots_of(reveal)

        def attempt() -> list[str]:
            slots = self._renderer.scene(time) | more
            name = ("chat", reveal.attribute, reveal.entry.key)
            return [self._renderer.render(s, slots) for s in self._renderer.deal(name, sources)]

        texts = self._renderer.make(attempt, list, more.values())
        return make_exchange(self._matter_of(reveal, texts[0]), texts)

    def _reveal_in_purchase(self, reveal: Reveal) -> Purchase:
        fitting = pick_fitting(self._packs[reveal.attribute].purchase, reveal.entry.key)
        more = self._slots_of(reveal)
        name = ("purchase", reveal.attribute, reveal.entry.key)
        return self._renderer.make(
            lambda: self._item(self._renderer.deal(name, fitting), more), _texts, more.values()
        )

    def _slots_of(self, reveal: Reveal) -> dict[str, str]:
        if not reveal.attribute:
            name = self._community.members[reveal.subject].name
            return {"relation": reveal.entry.text, "name": name}
        slots = {"value": reveal.entry.text}
        if reveal.entry.key:
            slots["key"] = reveal.entry.key
        if reveal.former:
            slots["old"] = reveal.former.text
        return slots

    def _matter_of(self, reveal: Reveal, said: str) -> Topic:
        return make_matter(reveal, self._community.members[reveal.subject].name, said)

    def _make_stretch(
        self,
        name: object,
        sources: Sequence[tuple[str, str, str]],
        time: datetime,
        slots: Mapping[str, str] = NO_SLOTS,
    ) -> tuple[list[str], str]:
        """Return lead, say and reply, and the ``{other}`` they may be about."""

        def attempt() -> tuple[list[str], str]:
            scene = {**self._renderer.scene(time), **slots}
            texts = [self._renderer.render(s, scene) for s in self._renderer.deal(name, sources)]
            return texts, scene["other"]

        return self._renderer.make(attempt, lambda made: made[0], slots.values())

    def _talk(self, draft: Draft) -> list[Turn]:
        """Return talk that reveals nothing asked for; more of it is near misses in noise."""
        speaks = self._random.random() < 0.5
        draw = self._random.random()
        if draw < (_NEAR_MISSES_OF_SIGNAL if draft.is_signal else _NEAR_MISSES):
            pack = self._packs[self._theme()]
            free = self._values_of_nobody(pack)
            if free:
                value = self._random.choice(free)
                hints = pick_fitting(pack.noise.others, value.key)
                sources = [(h.lead, h.say, h.reply) for h in hints]
                name = ("others", pack.attribute, value.key)
                more = {"value": value.text} | ({"key": value.key} if value.key else {})
                texts, other = self._make_stretch(name, sources, draft.time, more)
                values = (value.plain, *keys_in(texts[1], value))
                return take_turns(speaks, Topic("others", pack.attribute, values, (other,)), texts)
        if draw < _THEMES:
            pack = self._packs[self._theme()]
            sources = [(t.lead, t.say, t.reply) for t in pack.noise.talk]
            texts, _ = self._make_stretch(("talk", pack.attribute), sources, draft.time)
            return take_turns(speaks, Topic("theme", pack.attribute), texts)
        sources = [(t.lead, t.say, t.reply) for t in load_content().talk]
        return take_turns(speaks, EVERYDAY, self._make_stretch("talk", sources, draft.time)[0])

    def _values_of_nobody(self, pack: AttributePack) -> list[Entry]:
        if pack.attribute not in self._free:
            self._free[pack.attribute] = values_of_nobody(pack, self._taken)
        return self._free[pack.attribute]

    def _theme(self) -> str:
        if self._asked and self._random.random() < _ON_ASKED_THEMES:
            return self._random.choice(self._asked)
        return self._random.choice(self._names)

    def _talk_of_event(self, time: datetime) -> list[Turn]:
        """Return talk of one of the three public events that are nearest in time."""
        content = load_content()
        day = time.date()
        near = sorted(content.events, key=lambda event: abs((event.date - day).days))[:3]
        event = self._random.choice(near)
        before = event.date > day
        parts = content.event_talk.before if before else content.event_talk.after
        sources = [(p.lead, p.say, p.reply) for p in parts]
        when = write_day(datetime.combine(event.date, datetime.min.time()))
        more = {"event": event.name, "event_date": when}
        speaks = self._random.random() < 0.5
        texts, _ = self._make_stretch(("event", before), sources, time, more)
        return take_turns(speaks, Topic("event", "", (event.name.removeprefix("the "),)), texts)

    def _chat(self, time: datetime) -> list[Turn]:
        if self._random.random() < 0.4:
            texts = self._renderer.make(
                lambda: [message["content"] for message in self._unrelated.exchange()], list
            )
            return make_exchange(UNRELATED, texts)
        pack = self._packs[self._theme()]
        sources = [(talk.say, talk.reply) for talk in pack.noise.chat]

        def attempt() -> list[str]:
            slots = self._renderer.scene(time)
            name = ("chat", "noise", pack.attribute)
            return [self._renderer.render(s, slots) for s in self._renderer.deal(name, sources)]

        return make_exchange(Topic("theme", pack.attribute), self._renderer.make(attempt, list))

    def _goods(self) -> Purchase:
        pack = self._packs[self._theme()]
        goods = pack.noise.purchase
        if goods and self._random.random() < 0.6:
            return self._renderer.make(
                lambda: self._item(self._renderer.deal(("goods", pack.attribute), goods), {}),
                _texts,
            )
        everyday = load_content().goods
        return self._renderer.make(
            lambda: self._item(self._renderer.deal("goods", everyday), {}), _texts
        )

    def _item(self, goods: Goods | PurchaseHint, slots: Mapping[str, str]) -> Purchase:
        return Purchase(
            title=self._renderer.render(goods.title, slots),
            description=self._renderer.render(goods.description, slots),
            brand=goods.brand,
            categories=goods.categories,
        )

    def _frame(self, part: str, frames: Sequence[Frame], time: datetime) -> list[Turn]:
        frame = self._renderer.deal(part, frames)
        texts = [
            self._line((part, frame.user), [frame.user], time),
            self._line((part, frame.partner), [frame.partner], time),
        ]
        return make_exchange(FRAME, texts)

    def _line(self, name: object, lines: Sequence[str], time: datetime) -> str:
        return self._renderer.make(
            lambda: self._renderer.render(
                self._renderer.deal(name, lines), self._renderer.scene(time)
            ),
            lambda text: [text],
        )


def _texts(item: Purchase) -> Iterable[str]:
    return (item.title, item.description)
