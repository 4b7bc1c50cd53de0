"""Errands: what the same life brings up beside all that questions are about.

A need that no question of a context is about is lived through all the same: ways of the person's
own one after the other, each with its texts, how one ended, and what was turned down.
Where a question is about a trait, the ways are those of a person who has it.
"""

from collections.abc import Iterator
from datetime import date
from random import Random

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.lives.bank import (
    NeedId,
    get_need,
    list_need_ids,
)
from personamem.dataset_builder.families.personamem.lives.life import Life
from personamem.dataset_builder.families.personamem.lives.need import Choice
from personamem.dataset_builder.families.personamem.lives.stories import draw_boundaries
from personamem.dataset_builder.families.personamem.lives.telling import Mention, Source, Stance

_OWN_WAYS = {"128k": 4, "1M": 6}
"""Ways that a person has one after the other in a need, where the calendar is long; else three."""

_FEW_WAYS = 3


def list_errands(life: Life) -> list[Mention]:
    """Return all errands of a life that no question is about, in random order."""
    persona_id = life.speaker.persona.persona_id
    random = make_rng(life.config.seed, "errands", life.plan.size, persona_id)
    errands = [
        mention
        for need_id in list_need_ids(life.config.part)
        if need_id not in life.plan.reserved
        for mention in _live_through(need_id, life, random)
    ]
    random.shuffle(errands)
    return errands


def _live_through(need_id: NeedId, life: Life, random: Random) -> Iterator[Mention]:
    calendar, ways = life.plan.calendar, _OWN_WAYS.get(life.plan.size, _FEW_WAYS)
    choices = list(get_need(need_id).choices)
    random.shuffle(choices)
    leaning, ended = life.plan.leanings[life.persona_index], life.plan.ended
    choices.sort(
        key=lambda choice: ((need_id, choice.key) in ended, leaning.rate(need_id, choice.key))
    )
    possible = sum((need_id, choice.key) not in ended for choice in choices)
    if not possible:
        return
    ways = min(ways, possible)
    boundaries = draw_boundaries(random, ways - 1)
    number = 0

    def make(stance: Stance, choice: Choice, group: str, text: int, day: date) -> Mention:
        nonlocal number
        number += 1
        source = Source(need_id, choice.key, group, text)
        mention_id = f"errand-{'-'.join(need_id)}-{number:02d}"
        return Mention(mention_id, 0, stance, choice.key, day, source)

    for stage, choice in enumerate(choices[:ways]):
        for group in ("artefacts", "named"):
            for text in range(len(choice.list_texts_of(group))):
                day = calendar.draw_day(boundaries, stage, random)
                yield make(Stance.OWN, choice, group, text, day)
        if stage + 1 < ways:
            text = random.randrange(len(choice.endings))
            day = calendar.draw_day(boundaries, stage + 1, random)
            yield make(Stance.ENDED, choice, "endings", text, day)
    declined, conditional = choices[ways : ways + 2]
    for text in range(len(declined.refusals)):
        yield make(Stance.DECLINED, declined, "refusals", text, calendar.draw_any_day(random))
    if (need_id, conditional.key) not in ended:
        yield make(Stance.CONDITIONAL, conditional, "condition", 0, calendar.draw_any_day(random))
