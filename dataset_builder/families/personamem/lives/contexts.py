"""Contexts: the sessions of one life, packed into a token budget.

First what questions need, one errand a session; then other errands of the same life; then everyday
chats; then pasted material, more of it where the rest runs out; then small computed tasks, which
have a fixed share of the tokens. Sessions stand in order of their dates.

Chats that a model wrote come before the other errands: all of them have room, and errands take what
they leave.
"""

from collections.abc import Sequence

from personamem.dataset_builder.families.personamem.lives.errands import list_errands
from personamem.dataset_builder.families.personamem.lives.life import Life
from personamem.dataset_builder.families.personamem.lives.packing import (
    FILL,
    LEAST_ROOM,
    Context,
    Packer,
    assemble,
)
from personamem.dataset_builder.fillers import Chat, list_everyday_chats, read_filler
from personamem.loaders.formats.errors import InvalidInputError

COMPUTED_SHARE = {"4k": 0.25, "8k": 0.25, "32k": 0.0, "64k": 0.0, "128k": 0.05, "1M": 0.4}
"""The share of a context's tokens that small computed tasks take."""

PASTED_SHARE = {"4k": 0.0, "8k": 0.0, "32k": 0.0, "64k": 0.0, "128k": 0.05, "1M": 0.1}
"""The share of a context's tokens that pasted material takes; more, where errands run out."""

EVERYDAY_SHARE = {"4k": 0.0, "8k": 0.0, "32k": 0.8, "64k": 0.5, "128k": 0.4, "1M": 0.2}
"""The share of a context's tokens that everyday chats take, as far as there are so many.

Without such a share, chats that a model writes take the place of computed tasks.
"""


def build_context(life: Life, written: Sequence[Chat | None] | None = None) -> Context:
    """Return the context of a life.

    ``written`` are a model's chats, as many as ``measure_room`` has room for, with None where a
    chat of the bank stands instead; None if no model writes. Raises InvalidInputError when what
    the questions of the plan need does not fit into the budget.
    """
    packer, plan, config = _start(life), life.plan, life.config
    target = packer.draw_target()
    pasted_end, everyday_end = _divide(plan.size, target)
    if written is None:
        errands_end = everyday_end - int(target * EVERYDAY_SHARE[plan.size])
    else:
        room = _find_room(plan.size, target, packer.total)
        packer.add_written(packer.total + room, written, list_everyday_chats())
        errands_end = everyday_end
    for mention in list_errands(life):
        if packer.total >= errands_end:
            break
        packer.add_mention(mention, "")
    if written is None and config.filler:
        packer.add_everyday(target, read_filler(config.filler, config.filler_column).chats)
    elif written is None and EVERYDAY_SHARE[plan.size]:
        packer.add_everyday(everyday_end, list_everyday_chats())
    if PASTED_SHARE[plan.size]:
        packer.add_pasted(pasted_end)
    # Without a share of their own, computed tasks only fill what nothing else could.
    if COMPUTED_SHARE[plan.size] or packer.total < FILL[0] * packer.budget - LEAST_ROOM:
        packer.add_computed(target)
    return assemble(life, packer)


def measure_room(life: Life) -> tuple[int, int]:
    """Return the tokens that a model's chats may take, and those of a session's system message.

    Raises InvalidInputError as ``build_context`` does.
    """
    packer = _start(life)
    room = _find_room(life.plan.size, packer.draw_target(), packer.total)
    return room, packer.measure_system()


def _start(life: Life) -> Packer:
    """Return a packer that holds what the questions of the plan need."""
    packer, plan = Packer(life), life.plan
    for story_id, mentions in life.mentions.items():
        for mention in mentions:
            packer.add_mention(mention, plan.stories[story_id].topic)
    if packer.total > packer.budget:
        raise InvalidInputError(
            f"size {plan.size}: the {len(plan.quads)} questions of a context need {packer.total:,} "
            f"tokens and the budget is {packer.budget:,}; accepted: fewer questions, more personas "
            "or a larger size."
        )
    return packer


def _divide(size: str, target: int) -> tuple[int, int]:
    """Return where pasted material and everyday chats end."""
    pasted_end = int(target * (1 - COMPUTED_SHARE[size]))
    return pasted_end, pasted_end - int(target * PASTED_SHARE[size])


def _find_room(size: str, target: int, taken: int) -> int:
    """Return the tokens that a model's chats may take beside those that questions need."""
    share = EVERYDAY_SHARE[size]
    end = _divide(size, target)[1] if share else target
    return max(0, min(int(target * (share or COMPUTED_SHARE[size])), end - taken))
