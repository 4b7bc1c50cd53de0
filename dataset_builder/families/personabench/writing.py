"""Writing the sessions of one archive: conversations, chats with an assistant, purchases.

A conversation is a thread of messages on one occasion, and goes on with another one where it has to
reveal two facts. A thread reveals a fact, or is about the same themes and reveals none. A chat has
one subject.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from personamem.dataset_builder.families.personabench.asking import QuestionSpec
from personamem.dataset_builder.families.personabench.attribute_schema import (
    Goods,
    PurchaseHint,
    Thread,
    pick_fitting,
)
from personamem.dataset_builder.families.personabench.attributes import AttributePack
from personamem.dataset_builder.families.personabench.drafts import Draft, Reveal
from personamem.dataset_builder.families.personabench.graph import Community
from personamem.dataset_builder.families.personabench.others import values_of_nobody
from personamem.dataset_builder.families.personabench.outline import (
    EVERYDAY,
    UNRELATED,
    Segment,
    Topic,
    Turn,
    keys_in,
    make_matter,
    make_thread,
)
from personamem.dataset_builder.families.personabench.profiles import Entry, Profile
from personamem.dataset_builder.families.personabench.scenes import Renderer, TermMatcher, write_day
from personamem.dataset_builder.families.personabench.shared_content import load_content
from personamem.dataset_builder.families.personabench.typing_manner import join_threads, type_all
from personamem.dataset_builder.fillers import list_chats_of_anybody
from personamem.loaders.personabench.schema import Purchase

_ITEMS = (3, 4, 5)

_ON_ASKED_THEMES = 0.75
"""Share of other talk on themes somebody is asked about: what a retriever must tell apart."""

_NEAR_MISSES, _NEAR_MISSES_OF_SIGNAL = 0.35, 0.15
"""Shares of other talk that is about a value of somebody whom nobody asks about."""

_THEMES = 0.88
"""Share of other talk that is on the theme of an attribute; the rest is on everyday things."""

_ANYTHING = 0.4
"""Share of other chats with an assistant that are about anything."""

NO_SLOTS: Mapping[str, str] = {}


class ArchiveWriter:
    """Writes the sessions of one user."""

    def __init__(
        self,
        community: Community,
        user: int,
        profiles: Sequence[Profile],
        packs: Mapping[str, AttributePack],
        asks: Sequence[QuestionSpec],
        renderer: Renderer,
    ) -> None:
        """Take the world, what is asked, and a renderer."""
        self._community = community
        self._user = user
        self._packs = packs
        self._names = list(packs)
        self._asked = list(dict.fromkeys(ask.attribute for ask in asks if ask.attribute))
        self._asked_of = {(ask.subject, ask.attribute) for ask in asks}
        self._renderer = renderer
        self._random = renderer.random
        known = (user, *community.relations_of(user))
        self._taken = TermMatcher(text for n in known for text in sorted(profiles[n].all_texts()))
        self._free: dict[str, list[Entry]] = {}

    def write_conversation(self, draft: Draft) -> tuple[Turn, ...]:
        """Return the messages of user and partner, in order."""
        threads = [self._reveal(reveal, draft) for reveal in draft.reveals]
        if draft.with_event:
            threads.append(self._talk_of_event(draft.time))
        if not threads:
            threads.append(self._talk(draft))
        self._random.shuffle(threads)
        members = self._community.members
        assert draft.partner is not None
        user, partner = members[self._user].name, members[draft.partner].name
        return type_all(join_threads(threads, self._random), user, partner)

    def write_chat(self, draft: Draft) -> tuple[Turn, ...]:
        """Return the messages of user and assistant, by turns."""
        if draft.reveals:
            turns = [turn for r in draft.reveals for turn in self._reveal_in_chat(r, draft.time)]
        else:
            turns = self._chat(draft.time)
        if any(part.matter is UNRELATED for turn in turns for part in turn.parts):
            return tuple(turns)
        return type_all(turns, self._community.members[self._user].name)

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

    def _reveal(self, reveal: Reveal, draft: Draft) -> list[Turn]:
        speaks = reveal.subject == self._user or not reveal.attribute
        threads: Sequence[Thread]
        if not reveal.attribute:
            kind, threads = "relation", load_content().relations.conversation
        elif not reveal.former:
            hints = self._packs[reveal.attribute].conversation
            kind, threads = "fact", pick_fitting(hints, reveal.entry.key)
        else:
            kind, threads = "update", self._packs[reveal.attribute].updates
            if (draft.partner, reveal.attribute) in self._asked_of:
                # What the partner says of it would be taken for theirs.
                kind = "update by one"
                threads = [thread for thread in threads if thread.is_told_by_one]
        name = ("conversation", kind, reveal.attribute, reveal.entry.key)
        return self._write_reveal(name, threads, reveal, speaks, draft.time)

    def _reveal_in_chat(self, reveal: Reveal, time: datetime) -> list[Turn]:
        threads: Sequence[Thread] = load_content().relations.chat
        if reveal.attribute:
            threads = pick_fitting(self._packs[reveal.attribute].chat, reveal.entry.key)
        name = ("chat", reveal.attribute, reveal.entry.key)
        return self._write_reveal(name, threads, reveal, True, time)

    def _write_reveal(
        self,
        name: object,
        threads: Sequence[Thread],
        reveal: Reveal,
        speaks: bool,
        time: datetime,
    ) -> list[Turn]:
        made = self._render(name, threads, time, self._slots_of(reveal))
        matter = self._matter_of(reveal, made.said)
        return make_thread(speaks, matter, made.told, made.texts)

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

    def _render(
        self,
        name: object,
        threads: Sequence[Thread],
        time: datetime,
        slots: Mapping[str, str] = NO_SLOTS,
    ) -> "_Rendered":
        """Return the next of ``threads`` in words that hold no watched value but those meant."""

        def attempt() -> _Rendered:
            thread = self._renderer.deal(name, threads)
            scene = {**self._renderer.scene(time, thread.is_of_other), **slots}
            texts = [self._renderer.render_message(s, scene) for s in thread.messages]
            return _Rendered(texts, thread.list_told(), scene["other"])

        return self._renderer.make(attempt, lambda made: made.texts, slots.values())

    def _talk(self, draft: Draft) -> list[Turn]:
        """Return talk that reveals nothing asked for; more of it is near misses in noise."""
        speaks = self._random.random() < 0.5
        draw = self._random.random()
        if draw < (_NEAR_MISSES_OF_SIGNAL if draft.is_signal else _NEAR_MISSES):
            pack = self._packs[self._theme()]
            free = self._values_of_nobody(pack)
            if free:
                value = self._random.choice(free)
                threads = pick_fitting(pack.noise.others, value.key)
                name = ("others", pack.attribute, value.key)
                more = {"value": value.text} | ({"key": value.key} if value.key else {})
                made = self._render(name, threads, draft.time, more)
                values = (value.plain, *keys_in(made.said, value))
                matter = Topic("others", pack.attribute, values, (made.other,))
                return make_thread(speaks, matter, made.told, made.texts)
        matter, talk = EVERYDAY, load_content().talk
        if draw < _THEMES:
            pack = self._packs[self._theme()]
            matter, talk = Topic("theme", pack.attribute), pack.noise.talk
        made = self._render(("talk", matter.theme), talk, draft.time)
        return make_thread(speaks, matter, made.told, made.texts)

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
        threads = content.event_talk.before if before else content.event_talk.after
        when = write_day(datetime.combine(event.date, datetime.min.time()))
        more = {"event": event.name, "event_date": when}
        speaks = self._random.random() < 0.5
        made = self._render(("event", before), threads, time, more)
        matter = Topic("event", "", (event.name.removeprefix("the "),))
        return make_thread(speaks, matter, made.told, made.texts)

    def _chat(self, time: datetime) -> list[Turn]:
        if self._random.random() < _ANYTHING:
            chats = list_chats_of_anybody()
            texts = self._renderer.make(
                lambda: list(self._renderer.deal("anything", chats).messages), list
            )
            return [
                Turn(n % 2 == 0, (Segment("reply" if n % 2 else "say", UNRELATED, text),))
                for n, text in enumerate(texts)
            ]
        pack = self._packs[self._theme()]
        made = self._render(("chat", "noise", pack.attribute), pack.noise.chat, time)
        return make_thread(True, Topic("theme", pack.attribute), made.told, made.texts)

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


@dataclass(frozen=True, slots=True)
class _Rendered:
    """A rendered thread: its messages, which of them tell, and who ``{other}`` is."""

    texts: list[str]
    told: tuple[int, ...]
    other: str

    @property
    def said(self) -> str:
        """What tells it."""
        return " ".join(self.texts[number] for number in self.told)


def _texts(item: Purchase) -> Iterable[str]:
    return (item.title, item.description)
