"""Wording: one question text with one ordered list of four options, asked of four personas.

The wording is drawn once for all four, so question and options are byte-identical across the quad
and only the context tells which option is right.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from personamem.dataset_builder.core.content_yaml import read_yaml
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.lives.bank import get_need
from personamem.dataset_builder.families.personamem.lives.events import list_reasons
from personamem.dataset_builder.families.personamem.lives.need import CONTENT
from personamem.dataset_builder.families.personamem.lives.plan import GroupPlan, QuadPlan
from personamem.dataset_builder.families.personamem.lives.slots import SlotFiller
from personamem.dataset_builder.families.personamem.lives.stories import Role, Story
from personamem.loaders.formats import schema
from personamem.loaders.formats.errors import PersonamemError
from personamem.loaders.formats.schema import COHORT_SIZE

_SECOND_PERSON = {
    "I": "you",
    "I'm": "you're",
    "I've": "you've",
    "I'd": "you'd",
    "I'll": "you'll",
    "am": "are",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
}
_FIRST_PERSON = re.compile(
    r"(?<![\w'])(?:" + "|".join(sorted(_SECOND_PERSON, key=len, reverse=True)) + r")(?![\w'])"
)

_NUMBERS = ("first", "second", "third", "fourth", "fifth")


@dataclass(frozen=True, slots=True)
class Quad:
    """A worded quad.

    ``keys[i]`` is what a solver knows ``options[i]`` by (see ``solver.solve``), ``candidates[i]``
    the number of the candidate behind it: by it, the roles are found.
    """

    plan: QuadPlan
    question: str
    options: tuple[str, ...]
    keys: tuple[str, ...]
    candidates: tuple[int, ...]


class QuadError(PersonamemError):
    """A quad that cannot be worded within the rules: a defect of the content."""


@cache
def wordings() -> Mapping[str, Any]:
    """Return content/questions.yaml."""
    loaded: Mapping[str, Any] = read_yaml(CONTENT / "questions.yaml")
    return loaded


def word_quad(config: PersonaMemConfig, group: GroupPlan, plan: QuadPlan) -> Quad:
    """Return the wording of ``plan``. A pair before and after an update shares its wording.

    Raises QuadError when no wording keeps the options alike in length.
    """
    name = f"{plan.stories[0]} {plan.question_type}" if plan.paired else plan.quad_id
    random = make_rng(config.seed, "wording", name)
    stories = [group.stories[story_id] for story_id in plan.stories]
    filler = SlotFiller("", group.calendar.start, random)
    question = _word_question(plan, stories, filler, random)
    keys = _list_keys(plan, stories)
    for texts in _word_options(plan, stories, filler, random):
        lengths = [len(text) for text in texts]
        if max(lengths) <= schema.MAX_LENGTH_RATIO * min(lengths):
            order = random.sample(range(COHORT_SIZE), COHORT_SIZE)
            return Quad(
                plan,
                question,
                tuple(texts[i] for i in order),
                tuple(keys[i] for i in order),
                tuple(order),
            )
    raise QuadError(f"{plan.quad_id} ({plan.question_type}, {plan.need_id}): lengths differ.")


def address(mine: str) -> str:
    """Return what a user says of themselves as an assistant says it: "how I sleep" to "you"."""
    return _FIRST_PERSON.sub(lambda match: _SECOND_PERSON[match[0]], mine)


def find_contact(plan: QuadPlan, story: Story) -> str:
    """Return the name of the person that a question is about; empty for the user."""
    if plan.question_type != schema.OTHERS:
        return ""
    role = story.find_somebody_else()
    assert role is not None
    return story.contacts[role].name


def chain_of(story: Story, candidate: int, stage: int) -> tuple[int, ...]:
    """Return the history, as candidates, of the persona whose first own one is ``candidate``."""
    return tuple(
        (candidate + role - story.chain[0]) % COHORT_SIZE for role in story.chain[: stage + 1]
    )


def _list_keys(plan: QuadPlan, stories: Sequence[Story]) -> tuple[str, ...]:
    story = stories[-1] if plan.question_type == schema.GENERALIZE else stories[0]
    if plan.question_type == schema.EVOLUTION:
        return tuple(
            ">".join(story.candidates[c] for c in chain_of(story, j, plan.stage))
            for j in range(COHORT_SIZE)
        )
    if plan.question_type in (schema.NEVER_TOLD, schema.SENSITIVE):
        return tuple("/".join(story.need_id) for story in stories)
    if plan.question_type == schema.GENERALIZE:
        return tuple(
            "|".join(
                "/".join((*shown.need_id, shown.candidates[j]))
                for shown in stories[:-1]
                if shown.candidates[j]
            )
            for j in range(COHORT_SIZE)
        )
    return story.candidates


def _word_question(
    plan: QuadPlan, stories: Sequence[Story], filler: SlotFiller, random: Random
) -> str:
    need = get_need(plan.need_id)
    ask = filler.fill(need.occasions[plan.occasion].ask)
    if plan.question_type in (schema.ACKNOWLEDGE, schema.RECOMMEND, schema.FORGET):
        return ask
    words = {"ask": ask, "mine": need.mine}
    if plan.question_type == schema.OTHERS:
        role = stories[0].find_somebody_else()
        assert role is not None
        contact = stories[0].contacts[role]
        about = SlotFiller("", filler.day, random, contact)
        words |= {
            name: about.fill(f"{{{name}}}") for name in ("who", "Who", "they", "them", "their")
        }
        words["does"] = "does"
    text = str(random.choice(wordings()[plan.question_type]["questions"])).format(**words)
    return text[0].upper() + text[1:]


def _word_options(
    plan: QuadPlan, stories: Sequence[Story], filler: SlotFiller, random: Random
) -> Iterator[tuple[str, ...]]:
    """Yield wordings of the four options in the order of candidates."""
    kind = plan.question_type
    if kind in (schema.NEVER_TOLD, schema.SENSITIVE):
        yours = [address(get_need(story.need_id).mine) for story in stories]
        frames = wordings()[kind]["options"]
        for frame in random.sample(frames, len(frames)):
            if kind == schema.NEVER_TOLD:
                yield tuple(frame.format(yours=name) for name in yours)
            else:
                yield tuple(
                    frame.format(**dict(zip(_NUMBERS, [*yours[:i], *yours[i + 1 :]], strict=False)))
                    for i in range(COHORT_SIZE)
                )
        return
    story = stories[-1] if kind == schema.GENERALIZE else stories[0]
    need = get_need(story.need_id)
    choices = [need.find_choice(key) for key in story.candidates]
    if kind == schema.RECALL:
        frames = wordings()[kind]["options"]
        for frame in random.sample(frames, len(frames)):
            yield tuple(frame.format(phrase=choice.phrase) for choice in choices)
    elif kind == schema.REASONS:
        reasons = [
            filler.fill(reason)
            for reason in list_reasons(story.need_id, story.candidates, story.endings, story.events)
        ]
        frames = wordings()[kind]["options"]
        for frame in random.sample(frames, len(frames)):
            yield tuple(frame.format(reason=reason) for reason in reasons)
    elif kind == schema.EVOLUTION:
        chains = [chain_of(story, j, plan.stage) for j in range(COHORT_SIZE)]
        frames = wordings()[kind]["options"].get(len(chains[0])) or wordings()[kind]["long"]
        for frame in random.sample(frames, len(frames)):
            yield tuple(
                _tell_history(frame, [choices[c].phrase for c in chain]) for chain in chains
            )
    else:
        replies = need.occasions[plan.occasion].replies
        yield tuple(filler.fill(replies[key]) for key in story.candidates)


def _tell_history(frame: str, phrases: Sequence[str]) -> str:
    """Return one history, of phrases in order; a long one lists what lies between the ends."""
    words = dict(zip(_NUMBERS, phrases, strict=False))
    return frame.format(**words, between=", then ".join(phrases[1:-1]), last=phrases[-1])


def list_roles(
    plan: QuadPlan, stories: Sequence[Story], quad: Quad, persona: int
) -> tuple[str, ...]:
    """Return the role of each option in the life of a persona, in the order of options."""
    if plan.question_type == schema.SENSITIVE:
        return tuple(
            "leaves_out" if stories[c].private_for == persona else "tells" for c in quad.candidates
        )
    if plan.question_type == schema.NEVER_TOLD:
        return tuple(
            "never_told" if stories[c].silent_for == persona else "told" for c in quad.candidates
        )
    story = stories[0]
    roles = [story.role_of(persona, candidate) for candidate in quad.candidates]
    if plan.question_type == schema.EVOLUTION:
        return tuple("history" if role == story.chain[0] else "other_history" for role in roles)
    states = [story.state_of(role, plan.stage) for role in roles]
    if plan.question_type == schema.REASONS:
        latest = story.chain[plan.stage - 1]
        return tuple(
            "this_change"
            if role == latest
            else "other_change"
            if role in story.chain[: plan.stage]
            else "somebody_else"
            for role in roles
        )
    if plan.question_type == schema.OTHERS:
        asked = story.find_somebody_else()
        return tuple(
            "asked_about" if role == asked else str(state)
            for role, state in zip(roles, states, strict=True)
        )
    return tuple(map(str, states))


GOLD_ROLES = {
    schema.NEVER_TOLD: "never_told",
    schema.SENSITIVE: "leaves_out",
    schema.EVOLUTION: "history",
    schema.REASONS: "this_change",
    schema.OTHERS: "asked_about",
    schema.NEW_IDEAS: str(Role.NEW),
}
"""The role of the right option, where it is not the user's current choice."""
