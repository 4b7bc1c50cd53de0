"""The solver: answers a question from a persona's mentions, never from text, roles or letters.

It replays what is true up to the day of the question, so it is an independent proof that a question
has exactly one right option. It knows nothing of rotations or quads.
"""

from collections.abc import Iterable, Sequence
from datetime import date

from personamem.dataset_builder.families.personamem.lives.mentions import Mention, Stance
from personamem.loaders.formats import schema
from personamem.loaders.formats.errors import PersonamemError


class UnsolvableError(PersonamemError):
    """The world does not single out one option: a defect of the builder."""


_OWN_NOW = {
    schema.RECALL,
    schema.ACKNOWLEDGE,
    schema.RECOMMEND,
    schema.FORGET,
}
_TAKES_UP = {Stance.OWN, Stance.POINTED}


def solve(
    question_type: str,
    options: Sequence[str],
    mentions: Iterable[Mention],
    asked_on: date,
    contact: str = "",
) -> int:
    """Return the index of the only option that is right on the day ``asked_on``.

    ``options`` are choices; for EVOLUTION, choices joined by ">"; for NEVER_TOLD and SENSITIVE, the
    needs that an option names or leaves out, as "topic/need"; for GENERALIZE, lists of the choices
    elsewhere that share the option's trait, joined by "|". ``mentions`` are those of the stories
    that the question is about, ``contact`` the name of the person it is about, if not the user.
    Raises UnsolvableError when no option or more than one is right.
    """
    known = sorted((m for m in mentions if m.day <= asked_on), key=lambda m: (m.stage, m.day))
    right = _find_right(question_type, options, known, contact)
    found = [index for index, option in enumerate(options) if option in right]
    if len(found) != 1:
        raise UnsolvableError(
            f"{question_type} on {asked_on}: {len(found)} of the options {list(options)} are right "
            "in the world, expected exactly one."
        )
    return found[0]


def _find_right(
    question_type: str, options: Sequence[str], known: Sequence[Mention], contact: str
) -> set[str]:
    if question_type in _OWN_NOW:
        return _list_own(known)
    if question_type == schema.EVOLUTION:
        return {">".join(_list_history(known))}
    if question_type == schema.REASONS:
        ended = [mention for mention in known if mention.stance is Stance.ENDED]
        latest = max((mention.stage for mention in ended), default=0)
        return {mention.choice for mention in ended if mention.stage == latest}
    if question_type == schema.OTHERS:
        return {
            mention.choice
            for mention in known
            if mention.stance is Stance.OTHERS
            and mention.contact
            and mention.contact.name == contact
        }
    if question_type == schema.GENERALIZE:
        own = {"/".join((*m.need_id, m.choice)) for m in known if m.stance in _TAKES_UP}
        return {option for option in options if own and own <= set(option.split("|"))}
    if question_type == schema.NEVER_TOLD:
        told = {"/".join(mention.need_id) for mention in known}
        return set(options) - told
    if question_type == schema.SENSITIVE:
        return {"/".join(m.need_id) for m in known if m.private is not None}
    return set(options) - {mention.choice for mention in known}  # NEW_IDEAS


def _list_own(known: Sequence[Mention]) -> set[str]:
    """Return what is the user's own: taken up, not ended since, not to be forgotten."""
    forgotten = {(m.choice, m.refers_to) for m in known if m.stance is Stance.FORGET}
    own: set[str] = set()
    for stage in sorted({mention.stage for mention in known}):
        now = [mention for mention in known if mention.stage == stage]
        own -= {mention.choice for mention in now if mention.stance is Stance.ENDED}
        taken = {
            m.choice for m in now if m.stance in _TAKES_UP and (m.choice, m.day) not in forgotten
        }
        # A pointer says that the user now does as somebody does: what was before is over.
        if any(mention.stance is Stance.POINTED for mention in now):
            own = set()
        own |= taken
    return own


def _list_history(known: Sequence[Mention]) -> list[str]:
    history: list[str] = []
    for mention in known:
        if mention.stance in _TAKES_UP and (not history or history[-1] != mention.choice):
            history.append(mention.choice)
    return history
