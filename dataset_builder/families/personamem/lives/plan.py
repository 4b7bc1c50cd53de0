"""The plan of a split: the stories of each cohort, and the quads that are asked about them.

A group of four contexts, one a persona, shares a plan. Types are dealt round-robin over the split,
levels story by story, and topics so that each has about as many stories.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache

from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.dials import Level
from personamem.dataset_builder.families.personamem.lives.bank import NeedId, list_need_ids
from personamem.dataset_builder.families.personamem.lives.calendar import Calendar, draw_calendar
from personamem.dataset_builder.families.personamem.lives.dealing import deal_types, list_limits
from personamem.dataset_builder.families.personamem.lives.events import ChoiceId
from personamem.dataset_builder.families.personamem.lives.need import NUM_OCCASIONS
from personamem.dataset_builder.families.personamem.lives.rendering import count_letters
from personamem.dataset_builder.families.personamem.lives.stories import Story
from personamem.dataset_builder.families.personamem.lives.supply import StorySupply
from personamem.dataset_builder.families.personamem.lives.telling import tell_story
from personamem.dataset_builder.families.personamem.lives.traits import Leaning
from personamem.loaders.formats import schema
from personamem.loaders.formats.schema import COHORT_SIZE, SIZES

BEFORE, AFTER = "before", "after"
_ATTEMPTS = 50
"""How often a plan is drawn whose texts are too long for a small context."""

_SYSTEM_LETTERS = 170
_TOKENS_PER_LETTER = 0.25
"""Of a system message, and of all texts: more than is ever found."""

DENSE_SIZES = frozenset({"4k", "8k"})
"""Here few stories serve all types, and only the official ones: there is no room for more."""

_ON_CHANGES = (
    schema.ACKNOWLEDGE,
    schema.RECOMMEND,
    schema.EVOLUTION,
    schema.REASONS,
)


@dataclass(frozen=True, slots=True)
class QuadPlan:
    """One question to ask of all four personas, about ``stories``.

    It is asked at ``stage`` of its story. ``position`` is "before" or "after" the story's last
    update, ``paired`` whether both are asked. ``occasion`` numbers the occasions of ``need_id``,
    from which question and options come.
    """

    quad_id: str
    question_type: str
    stories: tuple[str, ...]
    need_id: NeedId
    stage: int = 0
    position: str = AFTER
    paired: bool = False
    occasion: int = 0

    @property
    def topic(self) -> str:
        """The topic of the need."""
        return self.need_id[0]


@dataclass(frozen=True)
class GroupPlan:
    """The shared plan of four contexts.

    ``reserved`` are needs that nothing else may bring up; ``leanings`` is what each persona is like
    where a question is about it; ``ended`` are choices that an event of life rules out.
    """

    size: str
    group: int
    calendar: Calendar
    stories: dict[str, Story]
    quads: tuple[QuadPlan, ...]
    reserved: frozenset[NeedId]
    leanings: tuple[Leaning, ...]
    ended: frozenset[ChoiceId]

    @cached_property
    def unnamed(self) -> frozenset[ChoiceId]:
        """The candidates, each with its need, that nothing in the contexts may name."""
        return frozenset(
            (story.need_id, candidate)
            for story in self.stories.values()
            if story.level in (Level.IMPLIED, Level.COMBINED)
            for candidate in story.candidates
        )

    @property
    def is_dense(self) -> bool:
        """Whether there is room for the shortest texts only."""
        return self.size in DENSE_SIZES


@lru_cache(maxsize=8)
def plan_split(config: PersonaMemConfig, size: str) -> tuple[GroupPlan, ...]:
    """Return the plans of all context groups of a split.

    Raises InvalidInputError when the needs cannot carry that many questions, or when there are
    fewer questions than personas.
    """
    groups, quads = config.count_quads(size)
    types: tuple[str, ...] = schema.QUESTION_TYPES
    if size not in DENSE_SIZES:
        types += schema.MORE_QUESTION_TYPES
    limits = list_limits(len(list_need_ids(config.part)))
    load: Counter[str] = Counter()
    asked: Counter[Level] = Counter()
    offset = 0
    plans = []
    for group in range(groups):
        n_quads = quads // groups + (group < quads % groups)
        dealt, offset = deal_types(types, n_quads, group, offset, limits)
        for attempt in range(_ATTEMPTS):
            supply = StorySupply(config, size, group, load.copy(), asked.copy(), attempt)
            plan = _GroupPlanner(config, size, group, supply).plan(dealt.copy())
            if not plan.is_dense or _fits(config.seed, plan):
                break
        load, asked = supply.load, supply.asked
        plans.append(plan)
    return tuple(plans)


def _fits(seed: int, plan: GroupPlan) -> bool:
    """Return whether all that is told of the stories surely fits into a small context."""
    for persona_index in range(COHORT_SIZE):
        letters = sum(
            count_letters(mention) + _SYSTEM_LETTERS
            for story in plan.stories.values()
            for mention in tell_story(seed, story, persona_index, plan.calendar, brief=True)
        )
        if letters * _TOKENS_PER_LETTER > SIZES[plan.size]:
            return False
    return True


class _GroupPlanner:
    """Lays out the quads of one group, and asks for the stories that they need."""

    def __init__(
        self, config: PersonaMemConfig, size: str, group: int, supply: StorySupply
    ) -> None:
        self._config, self._size, self._group, self._supply = config, size, group, supply
        self._quads: list[QuadPlan] = []
        self._dense = size in DENSE_SIZES

    def plan(self, wanted: Counter[str]) -> GroupPlan:
        """Return a plan with that many quads of each type."""
        # First, so that all other stories can keep off the traits in question.
        self._plan_traits(wanted)
        changing: list[Story] = []
        while any(wanted[name] > 0 for name in _ON_CHANGES):
            changing.append(self._plan_changes(wanted))
        self._plan_ideas(wanted, changing)
        while wanted[schema.OTHERS] > 0:
            story = self._supply.draw_still()
            self._add(wanted, schema.OTHERS, story, occasion=2)
            if wanted[schema.RECALL] > 0:
                self._add(wanted, schema.RECALL, story)
        while wanted[schema.RECALL] > 0:
            self._add(wanted, schema.RECALL, self._supply.draw_still())
        while wanted[schema.FORGET] > 0:
            story = self._supply.draw_forgotten()
            for occasion in range(min(wanted[schema.FORGET], 2)):
                self._add(wanted, schema.FORGET, story, occasion=occasion)
        while wanted[schema.NEVER_TOLD] > 0:
            self._add(wanted, schema.NEVER_TOLD, *self._supply.draw_never_told())
        while wanted[schema.SENSITIVE] > 0:
            self._add(wanted, schema.SENSITIVE, *self._supply.draw_private())
        return GroupPlan(
            self._size,
            self._group,
            draw_calendar(self._config.seed, self._size, self._group),
            dict(self._supply.stories),
            tuple(self._quads),
            frozenset(self._supply.reserved),
            self._supply.leanings,
            self._supply.ended,
        )

    def _plan_changes(self, wanted: Counter[str]) -> Story:
        """Add a story with updates, and the quads that one story carries."""
        story = self._supply.draw_changing(
            tells_reasons=wanted[schema.REASONS] > 0, dense=self._dense
        )
        last = story.updates
        for question_type, occasion in ((schema.ACKNOWLEDGE, 0), (schema.RECOMMEND, 1)):
            paired = wanted[question_type] > 1
            for position in (BEFORE, AFTER) if paired else (AFTER,):
                stage = last if position == AFTER else last - 1
                if wanted[question_type] > 0:
                    self._add(
                        wanted,
                        question_type,
                        story,
                        stage=stage,
                        position=position,
                        paired=paired,
                        occasion=occasion,
                    )
        direct = (schema.RECALL,) if self._dense else ()
        for question_type in (schema.EVOLUTION, schema.REASONS, *direct):
            if wanted[question_type] > 0:
                self._add(wanted, question_type, story, stage=last)
        if wanted[schema.OTHERS] > 0 and story.find_somebody_else() is not None:
            self._add(wanted, schema.OTHERS, story, stage=last, occasion=2)
        return story

    def _plan_ideas(self, wanted: Counter[str], changing: list[Story]) -> None:
        """Add stories on choices that their need has beside those of another story."""
        hosts = list(changing)
        while wanted[schema.NEW_IDEAS] > 0:
            story = self._supply.draw_ideas(hosts)
            for occasion in range(min(wanted[schema.NEW_IDEAS], 1 if self._dense else 2)):
                self._add(wanted, schema.NEW_IDEAS, story, occasion=occasion)

    def _plan_traits(self, wanted: Counter[str]) -> None:
        """Add stories that show one trait in several needs, and questions on needs beyond."""
        number = wanted[schema.GENERALIZE]
        if not number:
            return
        shown, targets = self._supply.draw_traits(
            1 if self._dense else 2, -(-number // NUM_OCCASIONS)
        )
        for index in range(number):
            occasion, target = divmod(index, len(targets))
            self._add(
                wanted,
                schema.GENERALIZE,
                *shown,
                targets[target],
                need_id=targets[target].need_id,
                occasion=occasion,
            )

    def _add(
        self,
        wanted: Counter[str],
        question_type: str,
        *stories: Story,
        need_id: NeedId | None = None,
        stage: int = 0,
        position: str = AFTER,
        paired: bool = False,
        occasion: int = 0,
    ) -> None:
        wanted[question_type] -= 1
        self._supply.asked[stories[0].level] += 1
        self._quads.append(
            QuadPlan(
                quad_id=f"{self._size}-g{self._group:03d}-q{len(self._quads):03d}",
                question_type=question_type,
                stories=tuple(story.story_id for story in stories),
                need_id=need_id or stories[0].need_id,
                stage=stage,
                position=position,
                paired=paired,
                occasion=occasion,
            )
        )
