"""The supply of stories: deals the needs of the bank to the stories of one group, none twice."""

from collections import Counter
from collections.abc import Sequence

from personamem.dataset_builder.core.people import Contact
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.dials import Level
from personamem.dataset_builder.families.personamem.lives.bank import (
    NeedId,
)
from personamem.dataset_builder.families.personamem.lives.consequences import (
    draw_events,
    has_event,
)
from personamem.dataset_builder.families.personamem.lives.deck import Deck
from personamem.dataset_builder.families.personamem.lives.events import (
    ChoiceId,
    Happenings,
)
from personamem.dataset_builder.families.personamem.lives.others import draw_circle
from personamem.dataset_builder.families.personamem.lives.stories import (
    NO_EVENTS,
    Role,
    Story,
    draw_boundaries,
    draw_shifts,
)
from personamem.dataset_builder.families.personamem.lives.traits import (
    Leaning,
    find_trait_set,
)
from personamem.loaders.formats.schema import COHORT_SIZE

CHAINS = {
    1: ((0, 1),),
    2: ((0, 1, 2), (0, 1, 0)),
    3: ((0, 1, 2, 0), (0, 1, 2, 3)),
    **{n: (tuple(stage % COHORT_SIZE for stage in range(n + 1)),) for n in range(4, 9)},
}
"""Which roles are the user's own, stage by stage, for each number of updates."""

_UNTIL = (0.4, 1.0)
"""The share of the calendar at which a story ends is drawn from this range."""

_ANY_LEVEL = 0.5
"""How often a story is of any level, whatever was asked before."""

_SEVERAL = (1, 2)
"""Updates where the settings name no number."""


class StorySupply:
    """Draws the stories of one group.

    ``load`` counts the stories of each topic over the split, ``asked`` the questions of each level.
    """

    def __init__(
        self,
        config: PersonaMemConfig,
        size: str,
        group: int,
        load: Counter[str],
        asked: Counter[Level],
        attempt: int = 0,
    ) -> None:
        self.stories: dict[str, Story] = {}
        self.reserved: set[NeedId] = set()
        self.leanings = (Leaning(),) * COHORT_SIZE
        self._config, self.load, self.asked = config, load, asked
        self._prefix = f"{size}-g{group:03d}"
        self._random = make_rng(config.seed, "stories", size, group, attempt)
        self._happenings = Happenings(self._random)
        self._deck = Deck(config, size, load, self._random)
        circle = draw_circle(config.seed, group)
        self._contacts, self._bystanders = circle.contacts, circle.bystanders

    @property
    def ended(self) -> frozenset[ChoiceId]:
        """The choices that events of the lives rule out."""
        return self._happenings.ended

    def draw_changing(self, tells_reasons: bool, dense: bool) -> Story:
        """Return a story in which the user's own choice changes."""
        updates = self._config.updates or (1 if dense else self._random.choice(_SEVERAL))
        chain = self._random.choice(CHAINS[updates])
        fixed = [Role.SOMEBODY_ELSE] * COHORT_SIZE
        beyond = sorted(set(range(COHORT_SIZE)) - set(chain))
        if len(beyond) > 1 or (beyond and self._random.random() < 0.5):
            fixed[beyond[-1]] = Role.DECLINED
        # A need has few pointers, and a context says nothing twice.
        level = self._next_level(without=Level.COMBINED if updates > 2 else None)
        is_lasting = len(set(chain)) == len(chain)
        # What an event ends has to be concluded.
        may_happen = level is Level.COMBINED and is_lasting and not dense
        need_id, candidates, endings = self._deck.take_need(
            chain, self._has_event if may_happen else lambda need_id, keys: True
        )
        contacts = self._draw_people(2 * COHORT_SIZE)
        events = NO_EVENTS
        if may_happen:
            told = self.stories.values()
            events = draw_events(self._happenings, self._random, told, need_id, candidates, endings)
            self._deck.ended = self._happenings.ended
        return self._keep(
            need_id,
            candidates,
            chain=chain,
            fixed=tuple(fixed),
            contacts=contacts[:COHORT_SIZE],
            leavers=contacts[COHORT_SIZE:],
            endings=endings,
            events=events,
            boundaries=draw_boundaries(self._random, updates),
            tells_reasons=tells_reasons,
            level=level,
        )

    def _has_event(self, need_id: NeedId, candidates: Sequence[str]) -> bool:
        return has_event(self._happenings, self.stories.values(), need_id, candidates)

    def draw_still(self) -> Story:
        """Return a story without a change: the user's own, two others', and one that is not."""
        need_id, candidates, endings = self._deck.take_need()
        last = self._random.choice((Role.DECLINED, Role.CONDITIONAL))
        return self._keep(
            need_id,
            candidates,
            chain=(0,),
            fixed=(Role.CURRENT, Role.SOMEBODY_ELSE, Role.SOMEBODY_ELSE, last),
            endings=endings,
        )

    def draw_forgotten(self) -> Story:
        """Return a story in which one of two ways of the user's is to be forgotten."""
        need_id, candidates, endings = self._deck.take_need()
        return self._keep(
            need_id,
            candidates,
            chain=(0,),
            fixed=(Role.CURRENT, Role.FORGOTTEN, Role.SOMEBODY_ELSE, Role.DECLINED),
            endings=endings,
            level=self._next_level(without=Level.COMBINED),
        )

    def draw_never_told(self) -> tuple[Story, ...]:
        """Return four stories of the user's own, each of which another persona never brings up."""
        return self._draw_four(is_private=False)

    def draw_private(self) -> tuple[Story, ...]:
        """Return four stories of the user's own, each of which is private for another persona."""
        return self._draw_four(is_private=True)

    def _draw_four(self, is_private: bool) -> tuple[Story, ...]:
        four = self._deck.take_needs_alike(COHORT_SIZE)
        chosen = draw_shifts(self._random)
        fixed = (Role.CURRENT, Role.NEW, Role.NEW, Role.NEW)
        stories = []
        level = self._next_level(without=Level.COMBINED)
        for need_id, persona_index in zip(four, chosen, strict=True):
            stories.append(
                self._keep(
                    need_id,
                    self._deck.draw_choices(need_id),
                    chain=(0,),
                    fixed=fixed,
                    silent_for=None if is_private else persona_index,
                    private_for=persona_index if is_private else None,
                    level=level,
                )
            )
        return tuple(stories)

    def draw_ideas(self, hosts: list[Story]) -> Story:
        """Return a story in which one choice is new, on a need of ``hosts`` or on one more."""
        fixed = (Role.NEW, Role.SOMEBODY_ELSE, Role.SOMEBODY_ELSE, Role.DECLINED)
        while hosts:
            host = hosts.pop()
            drawn = self._deck.draw_candidates(host.need_id, taken=frozenset(host.candidates))
            if drawn is None:
                continue
            taken = {contact.name for contact in (*host.contacts, *host.leavers)}
            free = [contact for contact in self._contacts if contact.name not in taken]
            return self._keep(
                host.need_id,
                tuple(choice.key for choice in drawn[0]),
                fixed=fixed,
                contacts=tuple(self._random.sample(free, COHORT_SIZE)),
                level=self._next_level(without=Level.COMBINED),
            )
        need_id, candidates, _ = self._deck.take_need()
        return self._keep(
            need_id, candidates, fixed=fixed, level=self._next_level(without=Level.COMBINED)
        )

    def draw_traits(self, times: int, targets: int) -> tuple[tuple[Story, ...], tuple[Story, ...]]:
        """Return stories that show each persona's trait ``times`` times, and some to ask about.

        Candidate j has the same trait in each of them, and is missing where a need has none with
        it; nothing is told of the needs of the latter. Stories drawn later avoid the four traits.
        Raises InvalidInputError if the needs that are left have no such traits.
        """
        found = find_trait_set(self._deck.list_left(), self._random, times, targets)
        if found is None:
            raise self._deck.complain("needs with four traits in common")
        shifts, people = draw_shifts(self._random), self._draw_people(COHORT_SIZE)
        self.leanings = tuple(
            Leaning(found.traits[own], frozenset(found.traits) - {found.traits[own]})
            for own in shifts
        )
        self._deck.avoided = frozenset(found.traits)
        level = self._next_level()
        for need_id in (*found.shown, *found.targets):
            self._deck.use(need_id)
        told = tuple(
            self._keep(
                need_id,
                candidates,
                chain=(0,),
                fixed=(Role.CURRENT, Role.SOMEBODY_ELSE, Role.SOMEBODY_ELSE, Role.DECLINED),
                shifts=shifts,
                contacts=people,
                level=level,
            )
            for need_id, candidates in found.shown.items()
        )
        silent = (Role.NEW,) * COHORT_SIZE
        asked = (
            self._keep(need_id, candidates, fixed=silent, shifts=shifts)
            for need_id, candidates in found.targets.items()
        )
        return told, tuple(asked)

    def _keep(
        self,
        need_id: NeedId,
        candidates: tuple[str, ...],
        fixed: tuple[Role, ...],
        *,
        chain: tuple[int, ...] = (),
        shifts: tuple[int, ...] = (),
        contacts: tuple[Contact, ...] = (),
        leavers: tuple[Contact, ...] = (),
        endings: tuple[int, ...] = (0,) * COHORT_SIZE,
        events: tuple[str, ...] = NO_EVENTS,
        boundaries: tuple[float, ...] = (),
        tells_reasons: bool = False,
        silent_for: int | None = None,
        private_for: int | None = None,
        level: Level | None = None,
    ) -> Story:
        story = Story(
            story_id=f"{self._prefix}-s{len(self.stories):03d}",
            need_id=need_id,
            level=level or self._next_level(),
            candidates=candidates,
            shifts=shifts or draw_shifts(self._random),
            chain=chain,
            fixed=fixed,
            contacts=contacts or self._draw_people(COHORT_SIZE),
            leavers=leavers,
            bystanders=self._bystanders,
            endings=endings,
            events=events,
            boundaries=boundaries,
            until=self._random.uniform(*_UNTIL),
            tells_reasons=tells_reasons,
            silent_for=silent_for,
            private_for=private_for,
            remark=sum(story.private_for is not None for story in self.stories.values()),
        )
        self.stories[story.story_id] = story
        self.reserved.add(need_id)
        return story

    def _next_level(self, without: Level | None = None) -> Level:
        """Return the level of which fewest questions were asked; now and then any other.

        Else the level that few types allow would go to the same ones, such as all pairs.
        """
        levels = [level for level in self._config.levels if level is not without]
        if not levels:
            return Level.IMPLIED
        self._random.shuffle(levels)
        if self._random.random() < _ANY_LEVEL:
            return levels[0]
        return min(levels, key=self.asked.__getitem__)

    def _draw_people(self, number: int) -> tuple[Contact, ...]:
        return tuple(self._random.sample(self._contacts, number))
