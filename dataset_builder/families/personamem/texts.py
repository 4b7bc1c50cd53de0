"""What a model writes for PersonaMem, laid out before the build and collected after the writing.

What comes out goes to the workers of a build as text, so these need neither a store nor a server.
"""

from collections.abc import Iterator, Mapping, Sequence

from personamem.dataset_builder.core.config import BuildConfig, ModelSettings
from personamem.dataset_builder.families.base import WritingPlan
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig, configure
from personamem.dataset_builder.families.personamem.lives.life import make_life
from personamem.dataset_builder.families.personamem.lives.plan import plan_split
from personamem.dataset_builder.families.personamem.writers.briefs import brief_chats
from personamem.dataset_builder.families.personamem.writers.chat_checks import fold_message
from personamem.dataset_builder.families.personamem.writers.items import ChatItem
from personamem.dataset_builder.fillers import Chat
from personamem.dataset_builder.llm.writing.prose import ValidationIssue
from personamem.dataset_builder.llm.writing.rounds import Conclusion
from personamem.loaders.formats.schema import COHORT_SIZE

Place = tuple[str, int, int]
"""Of a context: size, group, persona of the group."""

Chats = Mapping[Place, tuple[Chat | None, ...]]
"""Written chats by context, None for those that fell back."""


def plan_writing(config: BuildConfig) -> WritingPlan:
    """Return the chats that a model is to write."""
    if config.model is None:
        return WritingPlan()
    chats = list(lay_out_chats(configure(config), config.model))

    def collect(found: Sequence[Conclusion]) -> tuple[Chats, Sequence[Conclusion]]:
        places = [place for place, _ in chats]
        done = _drop_repeats(places, found)
        by_place: dict[Place, list[Chat | None]] = {}
        for place, conclusion in zip(places, done, strict=True):
            by_place.setdefault(place, []).append(conclusion.written)
        return {place: tuple(written) for place, written in by_place.items()}, done

    return WritingPlan([item for _, item in chats], collect)


def lay_out_chats(
    config: PersonaMemConfig, settings: ModelSettings
) -> Iterator[tuple[Place, ChatItem]]:
    """Yield the chats to write, each with its context."""
    for size in config.sizes:
        for plan in plan_split(config, size):
            for persona_index in range(COHORT_SIZE):
                life = make_life(config, size, plan.group, persona_index)
                for brief in brief_chats(life):
                    yield (size, plan.group, persona_index), ChatItem(brief, settings)


def _drop_repeats(places: Sequence[Place], found: Sequence[Conclusion]) -> list[Conclusion]:
    """Let chats fall back that repeat a message of an earlier one of a context.

    Chats are written without a look at each other, and stock phrases are what they share.
    """
    done = list(found)
    said: dict[Place, set[str]] = {}
    for number, place in enumerate(places):
        chat = done[number].written
        if chat is None:
            continue
        messages = set(map(fold_message, chat.messages))
        before = said.setdefault(place, set())
        if messages & before:
            done[number] = Conclusion(None, (*done[number].refusals, ValidationIssue.REPEATED))
        before |= messages
    return done
