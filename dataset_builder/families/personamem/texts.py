"""What a model writes for PersonaMem, laid out before the build and collected after the writing.

What comes out goes to the workers of a build as text, so these need neither a store nor a server.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from personamem.dataset_builder.core.config import BuildConfig, ModelSettings
from personamem.dataset_builder.families.base import WritingPlan
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig, configure
from personamem.dataset_builder.families.personamem.contexts import brief_sessions
from personamem.dataset_builder.families.personamem.planning import plan_split
from personamem.dataset_builder.families.personamem.questions.briefs import brief_options
from personamem.dataset_builder.families.personamem.questions.quads import name_wording
from personamem.dataset_builder.families.personamem.sessions import WrittenSession
from personamem.dataset_builder.families.personamem.world.cohort import build_cohort
from personamem.dataset_builder.families.personamem.writers.model.forbidden_terms import (
    list_candidates,
)
from personamem.dataset_builder.families.personamem.writers.model.items import (
    OptionsItem,
    SessionItem,
)
from personamem.dataset_builder.families.personamem.writers.model.session_checks import fold_message
from personamem.dataset_builder.llm.writing.prose import ValidationIssue
from personamem.dataset_builder.llm.writing.rounds import Conclusion, GenerationItem
from personamem.loaders.formats.schema import COHORT_SIZE

Place = tuple[str, int, int]
"""Of a session: size, group, persona of the group."""


@dataclass(frozen=True, slots=True)
class PersonaMemTexts:
    """Written sessions by place, None for those that fell back.

    ``options`` are written options by (size, group) and quad, in the order of the quad, without
    those that fell back.
    """

    sessions: Mapping[Place, tuple[WrittenSession | None, ...]] = field(default_factory=dict)
    options: Mapping[tuple[str, int], Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    def sessions_of(
        self, size: str, group: int, persona_index: int
    ) -> tuple[WrittenSession | None, ...]:
        """Return the sessions of one context; empty if all are the embedded writer's."""
        return self.sessions.get((size, group, persona_index), ())

    def options_of(self, size: str, group: int) -> Mapping[str, tuple[str, ...]]:
        """Return the options of a group by quad; the others are the embedded writer's."""
        return self.options.get((size, group), {})


@dataclass(frozen=True, slots=True)
class Quads:
    """The quads of a group that share a wording: one, or the two of a pair."""

    size: str
    group: int
    quad_ids: tuple[str, ...]


def plan_writing(config: BuildConfig) -> WritingPlan:
    """Return the sessions and options that a model is to write."""
    if config.model is None:
        return WritingPlan()
    section = configure(config)
    sessions = list(lay_out_sessions(section, config.model))
    options = list(lay_out_options(section, config.model))
    items: list[GenerationItem] = [item for _, item in sessions]
    items += [item for _, item in options]

    def collect(found: Sequence[Conclusion]) -> tuple[PersonaMemTexts, Sequence[Conclusion]]:
        return _collect(sessions, options, found)

    return WritingPlan(items, collect)


def lay_out_sessions(
    config: PersonaMemConfig, settings: ModelSettings
) -> Iterator[tuple[Place, SessionItem]]:
    """Yield the sessions to write, each with its place."""
    for size in config.sizes:
        for plan in plan_split(config, size):
            cohort = build_cohort(config.seed, plan.cohort)
            candidates = list_candidates(plan, cohort)
            for persona_index in range(COHORT_SIZE):
                for brief in brief_sessions(config, plan, cohort, persona_index, candidates):
                    yield (size, plan.group, persona_index), SessionItem(brief, settings)


def lay_out_options(
    config: PersonaMemConfig, settings: ModelSettings
) -> Iterator[tuple[Quads, OptionsItem]]:
    """Yield the options to write, each once for all who share it: four personas, and a pair."""
    for size in config.sizes:
        for plan in plan_split(config, size):
            briefs = brief_options(config, plan, build_cohort(config.seed, plan.cohort))
            quad_ids: dict[str, list[str]] = {}
            for quad in plan.quads:
                quad_ids.setdefault(name_wording(quad), []).append(quad.quad_id)
            for ids in quad_ids.values():
                yield Quads(size, plan.group, tuple(ids)), OptionsItem(briefs[ids[0]], settings)


def _collect(
    sessions: Sequence[tuple[Place, SessionItem]],
    options: Sequence[tuple[Quads, OptionsItem]],
    found: Sequence[Conclusion],
) -> tuple[PersonaMemTexts, Sequence[Conclusion]]:
    done = _drop_repeats(sessions, found)
    texts = iter([conclusion.written for conclusion in done])
    by_place: dict[Place, list[WrittenSession | None]] = {}
    for place, _ in sessions:
        by_place.setdefault(place, []).append(next(texts))
    by_group: dict[tuple[str, int], dict[str, tuple[str, ...]]] = {}
    for quads, _ in options:
        if (four := next(texts)) is not None:
            of_group = by_group.setdefault((quads.size, quads.group), {})
            of_group.update(dict.fromkeys(quads.quad_ids, four))
    return PersonaMemTexts(
        {place: tuple(written) for place, written in by_place.items()}, by_group
    ), done


def _drop_repeats(
    sessions: Sequence[tuple[Place, SessionItem]], found: Sequence[Conclusion]
) -> list[Conclusion]:
    """Leave sessions to the embedded writer that repeat a message of an earlier one of a context.

    Sessions are written without a look at each other, and stock phrases are what they share.
    """
    done = list(found)
    said: dict[Place, set[str]] = {}
    for number, (place, _) in enumerate(sessions):
        written = done[number].written
        if written is None:
            continue
        # The first message is the embedded writer's.
        messages = {fold_message(message) for message in written.messages[1:]}
        before = said.setdefault(place, set())
        if messages & before:
            done[number] = Conclusion(None, (*done[number].refusals, ValidationIssue.REPEATED))
        before |= messages
    return done
