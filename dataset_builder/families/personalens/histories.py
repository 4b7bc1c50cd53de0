"""Histories: what a user did with the assistant in one domain, as a summary in plain prose.

A history says every preference of its domain, in sentences of many forms, among things that have
nothing to do with preferences, and often one that no longer holds. It does not say who the user is:
demographics are told apart from it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random

from personamem.dataset_builder.core.calendar_words import MONTHS
from personamem.dataset_builder.core.content_yaml import template
from personamem.dataset_builder.core.rng import ShuffleBag
from personamem.dataset_builder.families.personalens.content_schema import (
    DomainContent,
    LineContent,
    SayingContent,
    read_domains,
    read_prose,
)
from personamem.dataset_builder.families.personalens.lines import Facts, choose, list_fitting
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
    facts = Facts(tags, {each.content.key: each.preference.values for each in preferences})
    manners = next(lines for tag, lines in prose.manners.items() if tag in tags)
    # There are as many lines as domains, so that none is said twice.
    bags = [ShuffleBag(list_fitting(lines, facts), general) for lines in (prose.trends, manners)]
    for domain in read_domains():
        own = [each for each in preferences if each.preference.domain == domain.domain]
        random = make_random(domain.domain)
        closing = [bag.deal() for bag in bags]
        random.shuffle(closing)
        yield History(domain.domain, _write(domain, own, closing, gender, facts, random))


def _write(
    domain: DomainContent,
    preferences: Sequence[DrawnPreference],
    closing: Sequence[LineContent],
    gender: str,
    facts: Facts,
    random: Random,
) -> str:
    """Return the history of one domain: three paragraphs, about 150 words."""
    slots = _PRONOUNS.get(gender, _OTHERS)
    said = random.sample(preferences, len(preferences))
    changed = [place for place, each in enumerate(said) if each.former]
    place = random.choice(changed) if changed else None
    sentences = [
        _say(each, slots, facts, random, changes=number == place)
        for number, each in enumerate(said)
    ]
    if place is not None:
        # Right after the sentence on the same type, which "it" refers to.
        sentences[place] += " " + _tell_change(said[place], slots, facts, random)
    cut = (len(sentences) + 1) // 2
    opening = choose(domain.opening, facts, random)
    incidents = random.sample(list_fitting(domain.incidents, facts), 3)
    first, second, third = (_fill(line, slots, random) for line in incidents)
    paragraphs = (
        [_fill(opening, slots, random), *sentences[:cut], first],
        [second, *sentences[cut:], third],
        [_fill(line, slots, random) for line in closing],
    )
    return "\n\n".join(map(" ".join, paragraphs))


def join_values(values: Sequence[str], word: str = "and") -> str:
    """Return values as a list in prose: "a, b and c"."""
    if len(values) < 2:
        return "".join(values)
    return f"{', '.join(values[:-1])} {word} {values[-1]}"


def list_sayings(
    drawn: DrawnPreference, facts: Facts, changes: bool = False
) -> list[SayingContent]:
    """Return the sentences that may say a preference, also beside a change."""
    values = frozenset(drawn.preference.values)
    return [
        line
        for line in list_fitting(drawn.content.says, facts)
        if (not line.of or values.issubset(line.of))
        and values.isdisjoint(line.not_of)
        and not (changes and line.lasting)
    ]


def _say(
    drawn: DrawnPreference,
    slots: Mapping[str, str],
    facts: Facts,
    random: Random,
    changes: bool,
) -> str:
    values = drawn.preference.values
    said = {"values": join_values(values), "choices": join_values(values, "or")}
    return _fill(random.choice(list_sayings(drawn, facts, changes)), {**slots, **said}, random)


def _tell_change(
    drawn: DrawnPreference, slots: Mapping[str, str], facts: Facts, random: Random
) -> str:
    changes = read_prose().changes
    frames = ["any", *drawn.content.frames, *(["things"] if drawn.content.nominal else [])]
    lines = [line for name, group in changes.items() if name in frames for line in group]
    return _fill(choose(lines, facts, random), {**slots, "former": drawn.former}, random)


def _fill(line: LineContent, slots: Mapping[str, str], random: Random) -> str:
    return template(line.say).render({**slots, "month": random.choice(MONTHS)}, random.random)
