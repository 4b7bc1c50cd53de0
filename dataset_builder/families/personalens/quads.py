"""Quads: four users, one task, one situation, and four replies of which each is right for one.

The reply of a task names a value of two preference types. At depth 1, the four replies differ in
one type, and all four users share the value of the other. At depth 2, they combine two values of
each type, so that two users share each value and nobody's reply is found by one type alone:

    user 0  a and x        reply 0  a and x
    user 1  a and y        reply 1  a and y
    user 2  b and x        reply 2  b and x
    user 3  b and y        reply 3  b and y

Every user has all values of their own reply, and lacks a value of each other reply.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random

from personamem.dataset_builder.core.content_yaml import template
from personamem.dataset_builder.core.grammar import capitalise
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personalens.content_schema import (
    TaskContent,
    is_in_quads,
    type_by_key,
)
from personamem.dataset_builder.families.personalens.situations import draw_situation
from personamem.dataset_builder.families.personalens.tasks import list_tasks
from personamem.dataset_builder.families.personalens.values import read_values
from personamem.loaders.formats.schema import COHORT_SIZE
from personamem.loaders.personalens.schema import LensQuestion, Profile, Task

DEPTHS = (1, 2)
_TRIES = 80

Combination = tuple[str, str]
Members = tuple[tuple[str, Combination], ...]
"""Ids of users, and the values that the right reply of each combines."""

Holders = Mapping[tuple[str, str], set[str]]


def draw_quads(seed: int, profiles: Sequence[Profile], rounds: int) -> list[LensQuestion]:
    """Return ``rounds`` quads for each task and depth, in random order.

    A quad for which there are no four users is left out, as happens in small sets.
    """
    holders = _index_holders(profiles)
    used = dict.fromkeys((profile.user_id for profile in profiles), 0)
    questions: list[LensQuestion] = []
    for number, (task, content) in product(range(rounds), list_tasks()):
        if not is_in_quads(content):
            continue
        eligible = {each.user_id for each in profiles if {*task.domains} <= {*each.interests}}
        for depth in DEPTHS:
            random = make_rng(seed, "personalens", "quads", number, task.task_id, depth)
            found = _find_members(content, depth, eligible, holders, used, random)
            if found is not None:
                types, members = found
                quad = f"{seed}/{number}/{task.task_id}/{depth}"
                questions += _make_questions(quad, task, content, types, members, random)
                for user_id, _ in members:
                    used[user_id] += 1
    make_rng(seed, "personalens", "quads", "order").shuffle(questions)
    return questions


def solve(question: LensQuestion, content: TaskContent, profile: Profile) -> list[int]:
    """Return the options whose every value is among the preferences of the user.

    Reads values off the options, by the texts that the reply of the task gives for them.
    """
    first, second = content.slots
    index = _index(profile)
    fitting = {render_reply(content, pair) for pair in product(index[first], index[second])}
    return [number for number, option in enumerate(question.options) if option in fitting]


def render_reply(content: TaskContent, combination: Combination) -> str:
    """Return the reply of a task with a value for each of its two types."""
    slots = dict(zip(content.slots, combination, strict=True))
    return capitalise(template(content.reply).render(slots, lambda: 0.0))


def _index(profile: Profile) -> dict[str, tuple[str, ...]]:
    """Return the values of a user by the key of their type."""
    given = {(each.domain, each.type): each.values for each in profile.preferences}
    return {key: given[domain, content.name] for key, (domain, content) in type_by_key().items()}


def _index_holders(profiles: Sequence[Profile]) -> Holders:
    """Return who has a value, by the key of its type and the value."""
    holders: dict[tuple[str, str], set[str]] = {}
    for profile in profiles:
        for key, values in _index(profile).items():
            for value in values:
                holders.setdefault((key, value), set()).add(profile.user_id)
    return holders


def _find_members(
    content: TaskContent,
    depth: int,
    eligible: set[str],
    holders: Holders,
    used: Mapping[str, int],
    random: Random,
) -> tuple[tuple[str, ...], Members] | None:
    """Return the types that tell the members apart, and the members with their values."""
    none: set[str] = set()
    for _ in range(_TRIES):
        types, combinations = _draw_combinations(content, depth, random)
        fitting = [
            eligible.intersection(
                *(holders.get(pair, none) for pair in zip(content.slots, own, strict=True))
            )
            for own in combinations
        ]
        members = []
        for number, own in enumerate(combinations):
            # Whom no other reply fits; sorted, since the order of sets is not the same each time.
            others = (each for place, each in enumerate(fitting) if place != number)
            alone = sorted(fitting[number].difference(*others))
            if not alone:
                break
            least = min(used[user_id] for user_id in alone)
            members.append((random.choice([each for each in alone if used[each] == least]), own))
        else:
            return types, tuple(members)
    return None


def _draw_combinations(
    content: TaskContent, depth: int, random: Random
) -> tuple[tuple[str, ...], list[Combination]]:
    values = [[value.text for value in read_values(key)] for key in content.slots]
    if depth == 2:
        ones, others = (random.sample(each, 2) for each in values)
        return content.slots, list(product(ones, others))
    wide = [place for place, each in enumerate(values) if len(each) >= COHORT_SIZE]
    place = random.choice(wide)
    shared = random.choice(values[1 - place])
    own = random.sample(values[place], COHORT_SIZE)
    pairs = [(each, shared) if place == 0 else (shared, each) for each in own]
    return (content.slots[place],), pairs


def _make_questions(
    name: str,
    task: Task,
    content: TaskContent,
    types: Sequence[str],
    members: Members,
    random: Random,
) -> Iterator[LensQuestion]:
    # Members and replies are ordered apart, so that no number predicts a letter.
    quad_id = hashlib.sha256(name.encode()).hexdigest()[:12]
    order = random.sample(members, len(members))
    options = tuple(render_reply(content, own) for _, own in order)
    situation = draw_situation(frozenset(), random)
    for number, (user_id, own) in enumerate(random.sample(members, len(members))):
        yield LensQuestion(
            question_id=f"{quad_id}-{number}",
            quad_id=quad_id,
            user_id=user_id,
            task_id=task.task_id,
            kind=task.kind,
            domains=task.domains,
            depth=len(types),
            types=tuple(f"{type_by_key()[key][0]}: {type_by_key()[key][1].name}" for key in types),
            situation=situation,
            request=content.request,
            options=options,
            answer_index=options.index(render_reply(content, own)),
        )
