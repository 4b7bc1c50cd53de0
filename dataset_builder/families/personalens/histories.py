"""Histories: what a user did with the assistant in one domain, as a summary in plain prose.

A history says every preference of its domain, in sentences of many forms, among things that have
nothing to do with preferences, and often one that no longer holds. It does not say who the user is:
demographics are told apart from it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random

from personamem.dataset_builder.core.content_yaml import template
from personamem.dataset_builder.core.rng import ShuffleBag
from personamem.dataset_builder.families.personalens.content_schema import (
    DomainContent,
    read_domains,
    read_prose,
)
from personamem.dataset_builder.families.personalens.preferences import DrawnPreference
from personamem.loaders.personalens.schema import History

_PRONOUNS = {
    "Male": {"they": "he", "their": "his", "them": "him"},
    "Female": {"they": "she", "their": "her", "them": "her"},
}
_OTHERS = {"they": "they", "their": "their", "them": "them"}


def write_histories(
    preferences: Sequence[DrawnPreference],
    gender: str,
    tags: frozenset[str],
    make_random: Callable[[str], Random],
) -> Iterator[History]:
    """Yield the histories of a user; ``make_random`` returns the random stream of a name."""
    prose = read_prose()
    general = make_random("general")
    manners = next(lines for tag, lines in prose.manners.items() if tag in tags)
    # What is not about a domain is said once, as long as there is more to say.
    bags = ShuffleBag(prose.trends, general), ShuffleBag(manners, general)
    for domain in read_domains():
        own = [each for each in preferences if each.preference.domain == domain.domain]
        random = make_random(domain.domain)
        closing = [bag.deal() for bag in bags]
        random.shuffle(closing)
        yield History(domain.domain, _write(domain, own, closing, gender, random))


def _write(
    domain: DomainContent,
    preferences: Sequence[DrawnPreference],
    closing: Sequence[str],
    gender: str,
    random: Random,
) -> str:
    """Return the history of one domain: three paragraphs, about 150 words."""
    slots = _PRONOUNS.get(gender, _OTHERS)
    said = random.sample(preferences, len(preferences))
    sentences = [_say(each, slots, random) for each in said]
    changed = [each for each in said if each.former]
    if changed:
        # Right after the sentence on the same type, which "it" refers to.
        place = said.index(random.choice(changed))
        sentences[place] += " " + _tell_change(said[place], slots, random)
    cut = (len(sentences) + 1) // 2
    opening = random.choice(domain.opening)
    incidents = [_fill(line, slots, random) for line in random.sample(domain.incidents, 3)]
    paragraphs = (
        [_fill(opening, slots, random), *sentences[:cut], incidents[0]],
        [incidents[1], *sentences[cut:], incidents[2]],
        [_fill(line, slots, random) for line in closing],
    )
    return "\n\n".join(map(" ".join, paragraphs))


def join_values(values: Sequence[str], word: str = "and") -> str:
    """Return values as a list in prose: "a, b and c"."""
    if len(values) < 2:
        return "".join(values)
    return f"{', '.join(values[:-1])} {word} {values[-1]}"


def _say(drawn: DrawnPreference, slots: Mapping[str, str], random: Random) -> str:
    values = drawn.preference.values
    said = {"values": join_values(values), "choices": join_values(values, "or")}
    return _fill(random.choice(drawn.content.says), {**slots, **said}, random)


def _tell_change(drawn: DrawnPreference, slots: Mapping[str, str], random: Random) -> str:
    prose = read_prose()
    change = random.choice(prose.changes if drawn.content.nominal else prose.other_changes)
    return _fill(change, {**slots, "former": drawn.former}, random)


def _fill(line: str, slots: Mapping[str, str], random: Random) -> str:
    return template(line).render(slots, random.random)
