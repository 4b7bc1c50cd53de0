"""The plan of a split: the stories of each cohort, and the quads that are asked about them.

A group of four contexts, one a persona, shares a plan. Types are dealt round-robin over the split,
levels story by story, and topics so that each has about as many stories.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.lives.bank import NeedId, list_need_ids
from personamem.dataset_builder.families.personamem.lives.calendar import Calendar, draw_calendar
from personamem.dataset_builder.families.personamem.lives.stories import Level, Story
from personamem.dataset_builder.families.personamem.lives.supply import StorySupply
from personamem.loaders.formats import schema
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import COHORT_SIZE

BEFORE, AFTER = "before", "after"
DENSE_SIZES = frozenset({"4k", "8k"})
"""Here few stories serve all types, and only the official ones: there is no room for more."""

_NEEDS_PER_NEVER_TOLD = 20
"""A question on what was never told takes four needs, about which nothing else can be asked."""

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


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """The shared plan of four contexts. ``reserved`` are needs that nothing else may bring up."""

    size: str
    group: int
    calendar: Calendar
    stories: dict[str, Story]
    quads: tuple[QuadPlan, ...]
    reserved: frozenset[NeedId]

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
    groups = config.contexts_of(size) // COHORT_SIZE
    quads = config.questions_of(size) // COHORT_SIZE
    if quads < groups:
        raise InvalidInputError(
            f"questions: {quads * COHORT_SIZE} of size {size} are fewer than its "
            f"{groups * COHORT_SIZE} personas, each of whom is asked at least one. Accepted: "
            f"{groups * COHORT_SIZE} or more questions, or fewer personas."
        )
    types: tuple[str, ...] = schema.QUESTION_TYPES
    if size not in DENSE_SIZES:
        types += schema.MORE_QUESTION_TYPES
    most_never_told = max(1, len(list_need_ids(config.part)) // _NEEDS_PER_NEVER_TOLD)
    load: Counter[str] = Counter()
    asked: Counter[Level] = Counter()
    offset = 0
    plans = []
    for group in range(groups):
        n_quads = quads // groups + (group < quads % groups)
        dealt, offset = _deal_types(types, n_quads, offset, most_never_told)
        supply = StorySupply(config, size, group, load, asked)
        plans.append(_GroupPlanner(config, size, group, supply).plan(dealt))
    return tuple(plans)


def _deal_types(
    types: tuple[str, ...], n_quads: int, offset: int, most_never_told: int
) -> tuple[Counter[str], int]:
    """Return how many quads of each type a group asks, and the offset for the next group.

    What is left after equal shares goes round over the groups. A group too small for two of each
    has two of ACKNOWLEDGE all the same, so that it holds a pair before and after an update.
    """
    share, rest = divmod(n_quads, len(types))
    dealt = Counter(dict.fromkeys(types, share) if share else {})
    if share > most_never_told and schema.NEVER_TOLD in types:
        types = tuple(name for name in types if name != schema.NEVER_TOLD)
        share, rest = divmod(n_quads - most_never_told, len(types))
        dealt = Counter(dict.fromkeys(types, share)) + Counter({schema.NEVER_TOLD: most_never_told})
    if share == 1 and rest:
        dealt[schema.ACKNOWLEDGE] += 1
        rest -= 1
    for _ in range(rest):
        dealt[types[offset % len(types)]] += 1
        offset += 1
    return dealt, offset


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
        changing: list[Story] = []
        while any(wanted[name] > 0 for name in _ON_CHANGES):
            changing.append(self._plan_changes(wanted))
        self._plan_ideas(wanted, changing)
        self._plan_traits(wanted)
        while wanted[schema.OTHERS] > 0:
            story = self._supply.draw_still()
            self._add(wanted, schema.OTHERS, story, occasion=2)
            if wanted[schema.RECALL] > 0:
                self._plan_recall(wanted, story)
        while wanted[schema.RECALL] > 0:
            self._plan_recall(wanted, self._supply.draw_still())
        while wanted[schema.FORGET] > 0:
            story = self._supply.draw_forgotten()
            for occasion in range(min(wanted[schema.FORGET], 2)):
                self._add(wanted, schema.FORGET, story, occasion=occasion)
        while wanted[schema.NEVER_TOLD] > 0:
            four = self._supply.draw_never_told()
            self._add(wanted, schema.NEVER_TOLD, *four)
        return GroupPlan(
            self._size,
            self._group,
            draw_calendar(self._config.seed, self._size, self._group),
            dict(self._supply.stories),
            tuple(self._quads),
            frozenset(self._supply.reserved),
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
        for question_type in (schema.EVOLUTION, schema.REASONS):
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
        """Add stories that show one trait in several needs, and questions on a need beyond."""
        while wanted[schema.GENERALIZE] > 0:
            shown, target = self._supply.draw_traits(1 if self._dense else 2)
            for story in shown:
                if wanted[schema.RECALL] > 0:
                    self._plan_recall(wanted, story)
            for occasion in range(min(wanted[schema.GENERALIZE], 3)):
                self._add(
                    wanted,
                    schema.GENERALIZE,
                    *shown,
                    target,
                    need_id=target.need_id,
                    occasion=occasion,
                )

    def _plan_recall(self, wanted: Counter[str], story: Story) -> None:
        self._add(wanted, schema.RECALL, story)

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
