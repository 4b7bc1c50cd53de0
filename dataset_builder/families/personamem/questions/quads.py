"""Quads: one question text with one ordered list of four options, asked of four personas.

The wording is drawn once for all four, so question and options are byte-identical across the quad
and only the context tells which option is right.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from random import Random
from typing import Any

from personamem.dataset_builder.core.content_yaml import read_yaml, template
from personamem.dataset_builder.core.grammar import capitalise
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.packs import CONTENT, load_topic
from personamem.dataset_builder.families.personamem.planning import QuadPlan
from personamem.dataset_builder.families.personamem.world.threads import Thread
from personamem.dataset_builder.families.personamem.writers.surface_forms import SECOND_PERSON
from personamem.loaders.formats import schema
from personamem.loaders.formats.errors import PersonamemError


@dataclass(frozen=True, slots=True)
class Quad:
    """A worded quad. ``keys[i]`` is the candidate behind ``options[i]``."""

    plan: QuadPlan
    question: str
    options: tuple[str, ...]
    keys: tuple[str, ...]

    def roles_of(self, thread: Thread, persona_index: int) -> tuple[str, ...]:
        """Return the role of each option in the persona's world, in option order."""
        if self.plan.question_type == schema.REASONS:
            roles = dict(zip(thread.reasons, thread.reason_roles_of(persona_index), strict=True))
        else:
            roles = dict(zip(thread.candidates, thread.roles_of(persona_index), strict=True))
        return tuple(roles[key] for key in self.keys)


class QuadError(PersonamemError):
    """A quad that cannot be worded within the rules: a defect of a pack."""


@cache
def wordings() -> Mapping[str, Any]:
    """Return content/questions.yaml."""
    loaded: Mapping[str, Any] = read_yaml(CONTENT / "questions.yaml")
    return loaded


def word_quad(config: PersonaMemConfig, plan: QuadPlan, thread: Thread) -> Quad:
    """Return the wording of ``plan``. A pair before and after an update shares its wording.

    Raises QuadError when no wording keeps the options alike in length.
    """
    size = plan.quad_id.split("-", 1)[0]
    random = make_rng(config.seed, "quad", size, name_wording(plan))
    question = _word_question(plan, thread, random)
    keys = thread.reasons if plan.question_type == schema.REASONS else thread.candidates
    for texts in islice(_word_options(plan, thread, random), 200):
        lengths = [len(text) for text in texts]
        if max(lengths) <= schema.MAX_LENGTH_RATIO * min(lengths):
            order = random.sample(range(4), 4)
            return Quad(
                plan=plan,
                question=question,
                options=tuple(texts[i] for i in order),
                keys=tuple(keys[i] for i in order),
            )
    raise QuadError(
        f"{plan.quad_id} ({plan.question_type}, {thread.topic}): options differ too much."
    )


def name_wording(plan: QuadPlan) -> str:
    """Return a name that ``plan`` shares, within its split, with the other quad of its pair only.

    A pair is the same question twice, so both are worded from one stream.
    """
    return f"{plan.thread_id} {plan.question_type}" if plan.paired else plan.quad_id


def _word_question(plan: QuadPlan, thread: Thread, random: Random) -> str:
    pack = load_topic(plan.topic)
    slots = {
        "when": thread.occasion.when if thread.occasion else "",
        "title": pack.title,
        "item": thread.item.name if thread.item else "",
    }
    if plan.question_type == schema.ACKNOWLEDGE:
        assert thread.occasion is not None
        choices: Sequence[str] = thread.occasion.ask
    elif plan.question_type == schema.RECOMMEND:
        assert thread.occasion is not None
        choices = thread.occasion.plan
    elif plan.question_type == schema.RECALL:
        assert thread.event_kind is not None
        choices = thread.event_kind.ask
    elif plan.question_type == schema.GENERALIZE:
        lead = random.choice(wordings()[plan.question_type]["lead"])
        ask = random.choice(pack.scenarios[plan.scenario].ask)
        return capitalise(f"{lead}{template(ask).render(slots, random.random)}")
    else:
        choices = wordings()[plan.question_type]["question"]
    return capitalise(template(random.choice(choices)).render(slots, random.random))


def _word_options(plan: QuadPlan, thread: Thread, random: Random) -> Iterator[tuple[str, ...]]:
    """Yield wordings of the four options in candidate order, in a random order of preference."""
    if plan.question_type == schema.GENERALIZE:
        advice = load_topic(plan.topic).scenarios[plan.scenario].advice
        yield tuple(advice[trait] for trait in thread.candidates)
        return
    if plan.question_type == schema.EVOLUTION:
        yield from _word_histories(thread, random)
        return
    frames = wordings()[plan.question_type]["options"]
    for frame in random.sample(frames, len(frames)):
        for inserts in _inserts(plan, thread, random):
            yield tuple(
                capitalise(template(frame).render(insert, random.random)) for insert in inserts
            )


def _inserts(
    plan: QuadPlan, thread: Thread, random: Random
) -> Iterator[tuple[Mapping[str, str], ...]]:
    if plan.question_type in (schema.RECALL, schema.REASONS):
        slot = "past" if plan.question_type == schema.RECALL else "reason"
        sources = thread.candidates if plan.question_type == schema.RECALL else thread.reasons
        for _ in range(8):
            yield tuple(
                {slot: template(source).render(SECOND_PERSON, random.random)} for source in sources
            )
    elif plan.question_type == schema.ACKNOWLEDGE:
        yield tuple({"item": name} for name in thread.candidates)
    else:
        picks = [random.sample(item.picks, len(item.picks)) for item in thread.items]
        for four in product(*picks):
            yield tuple({"pick": pick} for pick in four)


def _word_histories(thread: Thread, random: Random) -> Iterator[tuple[str, ...]]:
    assert thread.item is not None
    table = wordings()[schema.EVOLUTION]
    variants = len(table["first"]["+"])
    for variant in random.sample(range(variants), variants):
        yield tuple(
            ", ".join(
                (
                    table["first"][history[0]][variant].format(item=thread.item.name),
                    table["second"][history[:2]][variant],
                    table["third"][history[1:]][variant],
                )
            )
            for history in thread.candidates
        )
