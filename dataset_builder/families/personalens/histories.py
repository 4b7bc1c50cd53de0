"""Histories: what a user did with the assistant in one domain, as a summary in plain prose.

A history says every preference of its domain, in sentences of many forms, among things that have
nothing to do with preferences, and often one that no longer holds. It does not say who the user is:
demographics are told apart from it.
"""

from collections.abc import Iterable, Mapping, Sequence
from random import Random

from personamem.dataset_builder.core.content_yaml import template
from personamem.dataset_builder.families.personalens.content_schema import (
    DomainContent,
    read_prose,
)
from personamem.dataset_builder.families.personalens.preferences import DrawnPreference

_PRONOUNS = {
    "Male": {"they": "he", "their": "his", "them": "him"},
    "Female": {"they": "she", "their": "her", "them": "her"},
}
_OTHERS = {"they": "they", "their": "their", "them": "them"}


def write_history(
    domain: DomainContent,
    preferences: Sequence[DrawnPreference],
    gender: str,
    tags: frozenset[str],
    random: Random,
) -> str:
    """Return the history of one domain: three paragraphs, about 150 words."""
    slots = _PRONOUNS.get(gender, _OTHERS)
    prose = read_prose()
    said = list(preferences)
    random.shuffle(said)
    sentences = [_say(each, slots, random) for each in said]
    changed = [each for each in said if each.former]
    change = []
    if changed:
        # After the sentence on the same type, which "it" refers to.
        former = random.choice(changed)
        text = template(random.choice(prose.changes)).render(
            {**slots, "former": former.former}, random.random
        )
        place = said.index(former)
        sentences[place] = f"{sentences[place]} {text}"
    cut = (len(sentences) + 1) // 2
    incidents = _choose(domain.incidents, 2, slots, random)
    manner = next(lines for tag, lines in prose.manners.items() if tag in tags)
    trends = _choose(prose.trends, 2, slots, random)
    return "\n\n".join(
        " ".join(paragraph)
        for paragraph in (
            [*_choose(domain.opening, 1, slots, random), *sentences[:cut], *change],
            [incidents[0], *sentences[cut:], incidents[1]],
            [trends[0], *_choose(manner, 1, slots, random), trends[1]],
        )
    )


def join_values(values: Sequence[str]) -> str:
    """Return values as a list in prose: "a, b and c"."""
    if len(values) < 2:
        return "".join(values)
    return f"{', '.join(values[:-1])} and {values[-1]}"


def _say(drawn: DrawnPreference, slots: Mapping[str, str], random: Random) -> str:
    values = join_values(drawn.preference.values)
    saying = template(random.choice(drawn.content.says))
    return saying.render({**slots, "values": values}, random.random)


def _choose(
    lines: Iterable[str], count: int, slots: Mapping[str, str], random: Random
) -> list[str]:
    chosen = random.sample(list(lines), count)
    return [template(line).render(slots, random.random) for line in chosen]
