"""Telling: what each session of a story brings up, in the life of one persona.

A mention is one exchange of the bank in one stance. Mentions are the facts of a life: all that a
conversation reveals is a mention, and all that a question asks is answered from mentions alone.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import StrEnum

from personamem.dataset_builder.core.people import Contact
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.dials import Level
from personamem.dataset_builder.families.personamem.lives.bank import NeedId, get_need
from personamem.dataset_builder.families.personamem.lives.calendar import Calendar
from personamem.dataset_builder.families.personamem.lives.events import list_events
from personamem.dataset_builder.families.personamem.lives.preferring import order_texts
from personamem.dataset_builder.families.personamem.lives.stories import Role, Story
from personamem.loaders.formats.schema import COHORT_SIZE


class Stance(StrEnum):
    """What a mention says of a choice: whose, and whether it is over."""

    OWN = "own"
    ENDED = "ended"
    OTHERS = "others"
    OTHERS_ENDED = "others_ended"
    DECLINED = "declined"
    CONDITIONAL = "conditional"
    POINTED = "pointed"
    FORGET = "forget"


@dataclass(frozen=True, slots=True)
class Source:
    """Where the bank has a text: the need, its choice ("" for the need itself), group, number."""

    need_id: NeedId
    choice: str
    group: str
    number: int


@dataclass(frozen=True, slots=True)
class Mention:
    """One exchange that says something of ``choice``, on ``day``.

    ``contact`` is whom it is about, where that is not the user. POINTED says that the user now does
    as ``contact`` does; FORGET asks to forget what was said on ``refers_to``. ``private`` numbers
    the words in which the user adds that it is private; None where it is not.
    """

    mention_id: str
    stage: int
    stance: Stance
    choice: str
    day: date
    source: Source
    contact: Contact | None = None
    refers_to: date | None = None
    private: int | None = None

    @property
    def need_id(self) -> NeedId:
        """The need that the mention is about."""
        return self.source.need_id


EVENT = "event "
"""Before the key of an event of life: the group of its texts."""

_GROUPS: dict[Stance, str] = {
    Stance.OWN: "artefacts",
    Stance.OTHERS: "artefacts",
    Stance.ENDED: "endings",
    Stance.OTHERS_ENDED: "endings",
    Stance.DECLINED: "refusals",
    Stance.CONDITIONAL: "condition",
    Stance.POINTED: "pointers",
}
_STATED = {
    Stance.OWN: "stated.now",
    Stance.ENDED: "stated.past",
    Stance.OTHERS: "stated.other",
    Stance.DECLINED: "stated.declined",
}


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

    ``brief`` leaves out what is said again at a later stage, for contexts without room for it.
    ``distractors`` is how many more mentions tell of the candidates as somebody else's.
    ``country`` is the persona's, whose language nothing is translated into.
    """
    teller = _Teller(seed, story, persona_index, calendar, brief, country)
    return (*teller.tell(), *teller.distract(distractors))


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
                own = self._mention(role, stage, Stance.OWN)
                is_private = story.private_for == self._persona
                yield replace(own, private=story.remark if is_private else None)
                # A name inside one task does not yet say whose way it is, nor one chat that
                # something was told at all.
                is_thin = story.level is Level.NAMED or story.silent_for is not None
                if is_thin and not self._brief:
                    yield self._mention(role, stage, Stance.OWN, group="artefacts")
        elif state is Role.FORMER:
            if story.chain[stage - 1] == role:
                yield self._mention(role, stage, Stance.ENDED)
        elif stage > 0 and self._brief:
            return
        elif state is Role.SOMEBODY_ELSE:
            # Where words tell, all four are told equally often, so that counting helps nobody.
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
        stage = len(self._story.chain) - 1
        ended = set(self._story.chain[:-1])
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
        choice = self._need.find_choice(key)
        group = group or self._choose_group(key, stance)
        event = story.events[candidate]
        if event and group == "endings":
            group = f"{EVENT}{event}"
            number = self._random.randrange(len(list_events()[event].texts))
        elif stance in (Stance.ENDED, Stance.OTHERS_ENDED) and group == "endings":
            # The last time that a choice ends, it ends in the way that questions ask for.
            later = sum(left == role for left in story.chain[stage:-1]) if story.chain else 0
            number = (story.endings[candidate] + later) % len(choice.endings)
        else:
            number = self._take("" if group == "pointers" else key, group)
        source = Source(story.need_id, "" if group == "pointers" else key, group, number)
        return self._make(stage, stance, key, source, contact)

    def _choose_group(self, key: str, stance: Stance) -> str:
        """Return the group of texts for a stance at the story's level.

        A statement exists once; said again, the way is named. Whatever ends, the way it ended is
        part of a question on reasons, and the statement does not tell it.
        """
        level = self._story.level
        stated = _STATED.get(stance, "")
        if stance is Stance.ENDED and self._story.tells_reasons:
            stated = ""
        if level is Level.STATED and stated and not self._used[key, stated]:
            return stated
        if (
            level in (Level.STATED, Level.NAMED)
            and stance in (Stance.OWN, Stance.OTHERS)
            and self._used[key, "named"] < len(self._need.find_choice(key).named)
        ):
            return "named"
        return _GROUPS[stance]

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
        by_length = sorted(order, key=lambda number: sum(map(len, texts[number].list_texts())))
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
            day=self._calendar.draw_day(
                self._story.boundaries, stage, self._random, self._story.until
            ),
            source=source,
            contact=contact,
        )

    def _request_to_forget(self, said: Mention) -> Mention:
        request = self._make(
            said.stage, Stance.FORGET, said.choice, Source(said.need_id, "", "forget", 0)
        )
        later = said.day + timedelta(days=1 + self._random.randrange(10))
        return replace(request, day=later, refers_to=said.day)
