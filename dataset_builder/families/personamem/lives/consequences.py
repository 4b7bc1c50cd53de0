"""Consequences: which candidates of a story come to an end by an event of life."""

from collections.abc import Iterable, Sequence
from random import Random

from personamem.dataset_builder.families.personamem.lives.bank import NeedId
from personamem.dataset_builder.families.personamem.lives.events import (
    ChoiceId,
    Happenings,
    list_reasons,
)
from personamem.dataset_builder.families.personamem.lives.stories import (
    NO_EVENTS,
    REASON_FRAME,
    Story,
    are_alike,
)
from personamem.loaders.formats.schema import COHORT_SIZE


def has_event(
    happenings: Happenings, stories: Iterable[Story], need_id: NeedId, candidates: Sequence[str]
) -> bool:
    """Return whether some event ends one of four candidates, and nothing else that is told."""
    told = _list_told(stories, need_id, candidates)
    return any(happenings.draw((need_id, key), told) for key in candidates)


def draw_events(
    happenings: Happenings,
    random: Random,
    stories: Iterable[Story],
    need_id: NeedId,
    candidates: tuple[str, ...],
    endings: tuple[int, ...],
) -> tuple[str, ...]:
    """Let an event happen that ends each candidate, "" where none fits all else that is told."""
    told = _list_told(stories, need_id, candidates)
    chosen = list(NO_EVENTS)
    for j in random.sample(range(COHORT_SIZE), COHORT_SIZE):
        chosen[j] = happenings.draw((need_id, candidates[j]), told)
        if not are_alike(list_reasons(need_id, candidates, endings, chosen), REASON_FRAME):
            chosen[j] = ""
        happenings.keep(chosen[j])
    return tuple(chosen)


def _list_told(
    stories: Iterable[Story], need_id: NeedId, candidates: Sequence[str]
) -> set[ChoiceId]:
    told = {(story.need_id, key) for story in stories for key in story.candidates}
    return told | {(need_id, key) for key in candidates}
