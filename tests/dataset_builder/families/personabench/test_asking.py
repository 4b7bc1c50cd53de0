"""Questions: counts, forms and wordings."""

from collections import Counter, defaultdict

import pytest

from personamem.dataset_builder.families.personabench.asking import (
    OFFICIAL_COUNTS,
    QuestionSpec,
    plan_asks,
)
from personamem.dataset_builder.families.personabench.attributes import attribute_packs
from personamem.dataset_builder.families.personabench.graph import NAMED_KIN, build_community
from personamem.dataset_builder.families.personabench.profiles import draw_profiles
from personamem.dataset_builder.families.personabench.wording import contains_words


@pytest.fixture(scope="module")
def asks() -> list[QuestionSpec]:
    packs = attribute_packs()
    found = []
    for number in range(5):
        community = build_community(0, number)
        profiles = draw_profiles(community, packs, 0)
        found += [a for asked in plan_asks(community, profiles, packs, 0) for a in asked]
    return found


@pytest.mark.parametrize("seed", range(4))
def test_counts_are_at_the_proportions_of_the_release(seed: int) -> None:
    packs = attribute_packs()
    counts: Counter[str] = Counter()
    for number in range(5):
        community = build_community(seed, number)
        profiles = draw_profiles(community, packs, seed)
        for asked in plan_asks(community, profiles, packs, seed):
            counts.update(ask.category for ask in asked)
    assert set(counts) == set(OFFICIAL_COUNTS)
    for category, official in OFFICIAL_COUNTS.items():
        share = counts[category] / counts.total()
        assert share == pytest.approx(official / 230, rel=0.1), category


def test_answers_have_the_form_of_their_kind(asks: list[QuestionSpec]) -> None:
    packs = attribute_packs()
    for ask in asks:
        if not ask.attribute:
            assert ask.answer in (ask.relation, ask.entries[0].text)
            continue
        kind = packs[ask.attribute].kind
        forms = {"number": int, "text": str, "list": list, "named": list}
        assert type(ask.answer) is forms[kind]
        if kind == "named":
            assert all(isinstance(item, dict) and len(item) == 1 for item in ask.answer)  # type: ignore[union-attr]


def test_difficulty_is_the_releases(asks: list[QuestionSpec]) -> None:
    for ask in asks:
        if ask.question_type == "Preference":
            short = isinstance(ask.answer, list) and len(ask.answer) < 5
            assert ask.difficulty == ("easy" if short else "hard")
        assert not ask.former or (len(ask.entries) == 5 and ask.form == "own")
    assert sum(bool(ask.former) for ask in asks) > 30


def test_an_attribute_is_asked_in_several_wordings(asks: list[QuestionSpec]) -> None:
    wordings = defaultdict(set)
    times: Counter[str] = Counter()
    for ask in asks:
        if ask.form == "own":
            wordings[ask.attribute].add(ask.text)
            times[ask.attribute] += 1
    for name, count in times.items():
        assert len(wordings[name]) >= min(3, count) or len(wordings[name]) >= 2
    assert all(len(pack.questions.first) >= 3 for pack in attribute_packs().values())


def test_social_questions(asks: list[QuestionSpec]) -> None:
    for ask in asks:
        if ask.form == "two_hop":
            assert f"my {ask.relation}" in ask.text
            assert "{" not in ask.text
            assert ask.attribute != "gender"
        if ask.form == "name":
            assert ask.relation in NAMED_KIN
            assert ask.relation in ask.text
        if ask.form == "relation":
            assert ask.answer == ask.relation
            assert not contains_words(ask.text, ask.relation)
    forms = Counter(ask.form for ask in asks)
    assert forms["relation"] == 45
    assert forms["two_hop"] == 80


def test_two_hops_never_ask_what_both_share() -> None:
    packs = attribute_packs()
    for seed in range(6):
        community = build_community(seed, 0)
        profiles = draw_profiles(community, packs, seed)
        for asked in plan_asks(community, profiles, packs, seed):
            for ask in asked:
                if ask.form == "two_hop":
                    own = profiles[ask.user].entries.get(ask.attribute, ())
                    assert not set(own) & set(ask.entries)
