"""Lives: the cohort of a group, and all mentions of one persona by story."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.lives.mentions import Mention
from personamem.dataset_builder.families.personamem.lives.others import draw_cohort
from personamem.dataset_builder.families.personamem.lives.plan import GroupPlan, plan_split
from personamem.dataset_builder.families.personamem.lives.telling import tell_story
from personamem.dataset_builder.families.personamem.lives.voices import Speaker, make_speaker

_BY_NAME = 0.75
"""How often somebody is called by the name alone who was introduced before."""


@dataclass(frozen=True, slots=True)
class Life:
    """One persona under a plan: who speaks, and ``mentions`` by the ids of stories."""

    config: PersonaMemConfig
    plan: GroupPlan
    persona_index: int
    speaker: Speaker
    mentions: dict[str, tuple[Mention, ...]]


@lru_cache(maxsize=8)
def make_life(config: PersonaMemConfig, size: str, group: int, persona_index: int) -> Life:
    """Return the life of a persona of a group."""
    plan = plan_split(config, size)[group]
    persona = draw_cohort(config.seed, group)[persona_index]
    speaker = make_speaker(persona, make_rng(config.seed, "voice", persona.persona_id))
    more = config.distractors_of(size)
    mentions = {
        story_id: tell_story(
            config.seed, story, persona_index, plan.calendar, plan.is_dense, more, persona.country
        )
        for story_id, story in plan.stories.items()
    }
    return Life(config, plan, persona_index, speaker, _introduce_once(config.seed, mentions))


def _introduce_once(
    seed: int, mentions: Mapping[str, tuple[Mention, ...]]
) -> dict[str, tuple[Mention, ...]]:
    """Return the mentions, with the name alone for most people who were introduced before."""
    first: dict[str, date] = {}
    for mention in (mention for told in mentions.values() for mention in told):
        if mention.contact:
            name = mention.contact.name
            first[name] = min(first.get(name, mention.day), mention.day)

    def call(mention: Mention) -> Mention:
        contact = mention.contact
        if not contact or mention.day == first[contact.name]:
            return mention
        if make_rng(seed, "introduced", mention.mention_id, contact.name).random() >= _BY_NAME:
            return mention
        return replace(mention, contact=replace(contact, phrase=contact.name))

    return {story_id: tuple(map(call, told)) for story_id, told in mentions.items()}
