"""Telling: what each session of a story brings up in the life of one persona, and in which text."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from itertools import pairwise

from personamem.dataset_builder.core.people import Contact
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.dials import Level
from personamem.dataset_builder.families.personamem.lives.bank import get_need
from personamem.dataset_builder.families.personamem.lives.calendar import Calendar
from personamem.dataset_builder.families.personamem.lives.events import list_events
from personamem.dataset_builder.families.personamem.lives.likeness import gives_away_as_much
from personamem.dataset_builder.families.personamem.lives.mentions import (
    EVENT,
    Mention,
    Source,
    Stance,
)
from personamem.dataset_builder.families.personamem.lives.preferring import order_texts
from personamem.dataset_builder.families.personamem.lives.rendering import find_exchange
from personamem.dataset_builder.families.personamem.lives.seasons import draw_in_season
from personamem.dataset_builder.families.personamem.lives.stories import Role, Story
from personamem.loaders.formats.schema import COHORT_SIZE

_GROUPS: dict[Stance, str] = {
    Stance.OWN: "artefacts",
    Stance.OTHERS: "others",
    Stance.ENDED: "endings",
    Stance.OTHERS_ENDED: "others_ended",
    Stance.DECLINED: "refusals",
    Stance.CONDITIONAL: "condition",
    Stance.POINTED: "pointers",
}
_ENDINGS = ("endings", "others_ended")
_NAMED = {Stance.OWN: "named", Stance.OTHERS: "others_named"}
_STATED = {
    Stance.OWN: "stated.now",
    Stance.ENDED: "stated.past",
    Stance.OTHERS: "stated.other",
    Stance.DECLINED: "stated.declined",
}

_TRIES_APART = 60
"""Days drawn anew at most until those of a story lie apart."""


def tell_story(
    seed: int,
    story: Story,
    persona_index: int,
    calendar: Calendar,
    brief: bool,
    distractors: int = 0,
    country: str = "",
) -> tuple[Mention, ...]:
    """Return the mentions of ``story`` in the life of a persona, stage by stage.

    ``brief`` leaves out what is said again later, for contexts without room for it.
    ``distractors`` is how many more mentions tell of the candidates as somebody else's.
    Nothing is translated into the language of ``country``, the persona's.
    """
    teller = _Teller(seed, story, persona_index, calendar, brief, country)
    return teller.space_out([*teller.tell(), *teller.distract(distractors)])


class _Teller:
    """Deals the texts of one story to one persona, none twice."""

    def __init__(
        self,
        seed: int,
        story: Story,
        persona_index: int,
        calendar: Calendar,
        brief: bool,
        country: str,
    ) -> None:
        self._story, self._persona, self._brief = story, persona_index, brief
        self._country = country
        self._calendar = calendar
        self._need = get_need(story.need_id)
        self._random = make_rng(seed, "telling", story.story_id, persona_index)
        self._used: Counter[tuple[str, str]] = Counter()
        self._orders: dict[tuple[str, str], list[int]] = {}
        self._told = 0

    def tell(self) -> Iterator[Mention]:
        """Yield the mentions."""
        story = self._story
        if story.silent_for == self._persona:
            return
        for stage in range(max(1, len(story.chain))):
            for role in range(COHORT_SIZE):
                yield from self._tell_role(role, stage)
        if story.tells_reasons:
            yield from self._tell_leavers()

    def distract(self, number: int) -> Iterator[Mention]:
        """Yield more mentions of each candidate in turn, as those of people without a part."""
        story = self._story
        if story.silent_for is not None or Role.NEW in story.fixed:
            return
        for index in range(number):
            stage = index % max(1, len(story.chain))
            role = index % COHORT_SIZE
            if not story.candidates[story.candidate_in(self._persona, role)]:
                continue
            # Each of them has one way of doing things.
            yield self._mention(role, stage, Stance.OTHERS, story.bystanders[role])

    def space_out(self, mentions: Sequence[Mention]) -> tuple[Mention, ...]:
        """Return mentions with days some way apart: nobody asks about one thing all week.

        Of two that are near each other, either may get another day, whatever it tells: an order of
        days by what is told would be one that counting finds out. What is to be forgotten keeps the
        day by which it is called.
        """
        found = list(mentions)
        forgotten = {(mention.choice, mention.refers_to) for mention in found}
        asking = [n for n, mention in enumerate(found) if mention.stance is not Stance.FORGET]
        for _ in range(_TRIES_APART):
            in_time = sorted(asking, key=lambda number: found[number].day)
            near = [
                [n for n in pair if (found[n].choice, found[n].day) not in forgotten]
                for pair in pairwise(in_time)
                if (found[pair[1]].day - found[pair[0]].day).days < self._calendar.days_apart
            ]
            if not any(near):
                break
            number = self._random.choice(self._random.choice([pair for pair in near if pair]))
            mention = found[number]
            found[number] = replace(mention, day=self._draw_day(mention.stage, mention.source))
        return tuple(found)

    def _tell_role(self, role: int, stage: int) -> Iterator[Mention]:
        story = self._story
        if not story.candidates[story.candidate_in(self._persona, role)]:
            return
        state = story.state_of(role, stage)
        combined = story.level is Level.COMBINED
        contact = story.contacts[role]
        if state is Role.CURRENT:
            if combined:
                if stage == 0:
                    yield self._mention(role, stage, Stance.OTHERS, contact)
                yield self._mention(role, stage, Stance.POINTED, contact)
            else:
                told = [self._mention(role, stage, Stance.OWN)]
                # Neither a name inside one task nor one chat says enough.
                is_thin = told[0].source.group == "named" or story.silent_for is not None
                if is_thin and not self._brief:
                    told.append(self._mention(role, stage, Stance.OWN, group="artefacts"))
                if story.private_for == self._persona:
                    # Where it shows what is meant: a name may stand inside another matter.
                    told[-1] = replace(told[-1], private=story.remark)
                yield from told
        elif state is Role.FORMER:
            if story.chain[stage - 1] == role:
                yield self._mention(role, stage, Stance.ENDED)
        elif stage > 0 and self._brief:
            return
        elif state is Role.SOMEBODY_ELSE:
            # Where words tell, all four are told equally often: counting helps nobody.
            if stage == 0 or story.level in (Level.STATED, Level.NAMED):
                yield self._mention(role, stage, Stance.OTHERS, contact)
        elif state is Role.DECLINED and stage < 2:
            yield self._mention(role, stage, Stance.DECLINED)
        elif state is Role.CONDITIONAL and stage == 0:
            yield self._mention(role, stage, Stance.CONDITIONAL)
        elif state is Role.FORGOTTEN and stage == 0:
            said = self._mention(role, stage, Stance.OWN)
            yield said
            yield self._request_to_forget(said)

    def _tell_leavers(self) -> Iterator[Mention]:
        """Yield how others gave up what the user has not, so that no reason stands alone."""
        *ended, _ = self._story.chain
        stage = len(ended)
        for role in range(COHORT_SIZE):
            if role not in ended:
                leaver = self._story.leavers[role]
                yield self._mention(role, stage, Stance.OTHERS_ENDED, leaver)

    def _mention(
        self,
        role: int,
        stage: int,
        stance: Stance,
        contact: Contact | None = None,
        group: str = "",
    ) -> Mention:
        story = self._story
        candidate = story.candidate_in(self._persona, role)
        key = story.candidates[candidate]
        group = group or self._choose_group(key, stance)
        event = story.events[candidate]
        is_ending = group in _ENDINGS
        if event and is_ending:
            group = f"{EVENT}{event}"
            number = self._random.randrange(len(list_events()[event].texts))
        elif is_ending:
            # The last time that a choice ends, it ends in the way that questions ask for.
            later = sum(left == role for left in story.chain[stage:-1]) if story.chain else 0
            texts = self._need.find_choice(key).list_texts_of(group)
            number = (story.endings[candidate] + later) % len(texts)
            if group == "others_ended" and not gives_away_as_much(story.need_id, key, number):
                group = "endings"  # In their own words.
        else:
            number = self._take("" if group == "pointers" else key, group)
        source = Source(story.need_id, "" if group == "pointers" else key, group, number)
        return self._make(stage, stance, key, source, contact)

    def _choose_group(self, key: str, stance: Stance) -> str:
        """Return the group of texts for a stance at the story's level.

        A statement exists once; said again, the way is named. A statement of what ended does not
        tell the way it ended, which is part of a question on reasons.
        """
        level = self._story.level
        stated = _STATED.get(stance, "")
        if stance is Stance.ENDED and self._story.tells_reasons:
            stated = ""
        if level is Level.STATED and stated and not self._used[key, stated]:
            return stated
        named = _NAMED.get(stance, "") if level in (Level.STATED, Level.NAMED) else ""
        if named and self._has_left(key, named):
            return named
        if stance is Stance.OTHERS and not self._has_left(key, "others"):
            return "artefacts"  # In their own words, where the user's are used up.
        return _GROUPS[stance]

    def _has_left(self, key: str, group: str) -> bool:
        return self._used[key, group] < len(self._need.find_choice(key).list_texts_of(group))

    def _take(self, key: str, group: str) -> int:
        """Return the number of a text of the group that was not used yet."""
        if (key, group) not in self._orders:
            self._orders[key, group] = self.order_texts(key, group)
        order = self._orders[key, group]
        number = order[self._used[key, group] % len(order)]
        self._used[key, group] += 1
        return number

    def order_texts(self, key: str, group: str) -> list[int]:
        """Return the numbers of the texts of a group, in the order in which they are dealt.

        Where room is short, the shorter half comes first; else what readers found most real.
        """
        texts = self._need.find_choice(key).list_texts_of(group) if key else self._need.pointers
        if not self._brief:
            story = self._story
            return order_texts(story.need_id, key, group, texts, self._country, self._random)
        order = self._random.sample(range(len(texts)), len(texts))
        by_length = sorted(order, key=lambda number: sum(map(len, texts[number].list_opening())))
        half = len(texts) // 2
        return self._random.sample(by_length[:half], half) + by_length[half:]

    def _make(
        self,
        stage: int,
        stance: Stance,
        choice: str,
        source: Source,
        contact: Contact | None = None,
    ) -> Mention:
        self._told += 1
        return Mention(
            mention_id=f"{self._story.story_id}-m{self._told:02d}",
            stage=stage,
            stance=stance,
            choice=choice,
            day=self._draw_day(stage, source),
            source=source,
            contact=contact,
            brief=self._brief,
        )

    def _draw_day(self, stage: int, source: Source) -> date:
        story = self._story
        draw = partial(self._calendar.draw_day, story.boundaries, stage, self._random, story.until)
        if source.group == "forget":
            return draw()
        return draw_in_season(draw, find_exchange(source).say(), self._country)

    def _request_to_forget(self, said: Mention) -> Mention:
        request = self._make(
            said.stage, Stance.FORGET, said.choice, Source(said.need_id, "", "forget", 0)
        )
        later = said.day + timedelta(days=1 + self._random.randrange(10))
        return replace(request, day=later, refers_to=said.day)
