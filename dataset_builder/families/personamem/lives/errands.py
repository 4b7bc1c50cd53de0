"""Errands: what the same life brings up beside all that questions are about.

A need that no question of a context is about is lived through all the same, in ways of the person's
own, one after the other. Where a question is about a trait, the ways are those of a person who has
it. How a way ended and what was turned down is only told where a question is about it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.lives.bank import (
    NeedId,
    get_need,
    list_need_ids,
)
from personamem.dataset_builder.families.personamem.lives.life import Life
from personamem.dataset_builder.families.personamem.lives.mentions import Mention, Source, Stance
from personamem.dataset_builder.families.personamem.lives.need import Exchange
from personamem.dataset_builder.families.personamem.lives.preferring import SPREAD, rate_texts
from personamem.dataset_builder.families.personamem.lives.seasons import draw_in_season
from personamem.dataset_builder.families.personamem.lives.stories import draw_boundaries
from personamem.dataset_builder.families.personamem.lives.tongues import names_tongue

_OWN_WAYS = {"128k": 3, "1M": 5}
"""Ways that a person has one after the other in a need, where the calendar is long; else one."""


def list_errands(life: Life) -> Iterator[Mention]:
    """Yield all errands of a life that no question is about.

    The order is random, with a leaning to texts that readers found real: a small context has few,
    so that days are drawn for those alone that it takes.
    """
    persona_id = life.speaker.persona.persona_id
    random = make_rng(life.config.seed, "errands", life.plan.size, persona_id)
    errands = [
        errand
        for need_id in list_need_ids(life.config.part)
        if need_id not in life.plan.reserved
        for errand in _live_through(need_id, life, random)
    ]
    for errand in sorted(errands, key=lambda errand: -errand.rate() - SPREAD * random.random()):
        yield errand.mention(life, random)


@dataclass(frozen=True, slots=True)
class _Errand:
    """An exchange of a stage of a life, of all that are bounded by ``boundaries``."""

    mention_id: str
    source: Source
    exchange: Exchange
    boundaries: Sequence[float]
    stage: int

    def rate(self) -> float:
        source = self.source
        return rate_texts(source.need_id)[f"{source.choice}.{source.group}.{source.number}"]

    def mention(self, life: Life, random: Random) -> Mention:
        draw = partial(life.plan.calendar.draw_day, self.boundaries, self.stage, random)
        country = life.speaker.persona.country
        return Mention(
            self.mention_id,
            0,
            Stance.OWN,
            self.source.choice,
            draw_in_season(draw, self.exchange.say(), country),
            self.source,
            brief=life.plan.is_dense,
        )


def _live_through(need_id: NeedId, life: Life, random: Random) -> Iterator[_Errand]:
    ways = _OWN_WAYS.get(life.plan.size, 1)
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
    country, name, number = life.speaker.persona.country, "-".join(need_id), 0
    for stage, choice in enumerate(choices[:ways]):
        for group in ("artefacts", "named"):
            for text, exchange in enumerate(choice.list_texts_of(group)):
                if not names_tongue(exchange.ask, country):
                    number += 1
                    source = Source(need_id, choice.key, group, text)
                    mention_id = f"errand-{name}-{number:02d}"
                    yield _Errand(mention_id, source, exchange, boundaries, stage)
