import pytest

from personamem.dataset_builder.families.personamem.packs import load_topic
from personamem.dataset_builder.families.personamem.world.cohort import PERIOD_OFFSETS, build_cohort
from personamem.dataset_builder.families.personamem.world.threads import (
    BALANCED_HISTORIES,
    REASON_ROLES,
    ROLES,
    Kind,
    draw_topic_threads,
    draw_trait_threads,
)
from personamem.loaders.formats.schema import TOPICS


@pytest.mark.parametrize("number", range(4))
def test_every_candidate_has_every_role_once_over_a_cohort(number: int) -> None:
    for thread in build_cohort(5, number).threads.values():
        by_persona = [thread.roles_of(k) for k in range(4)]
        for roles in by_persona:
            assert sorted(roles) == sorted(ROLES[thread.kind])
        for candidate in range(4):
            assert len({roles[candidate] for roles in by_persona}) == 4
        if thread.kind is Kind.PREFERENCE:
            reasons = [thread.reason_roles_of(k) for k in range(4)]
            assert all(sorted(roles) == sorted(REASON_ROLES) for roles in reasons)
            assert all(len({roles[j] for roles in reasons}) == 4 for j in range(4))


def test_items_and_occasions_of_a_topic_are_never_shared_by_threads() -> None:
    for topic in TOPICS:
        for cohort in range(5):
            threads = draw_topic_threads(2, cohort, load_topic(topic))
            items = [item.name for thread in threads for item in thread.items]
            items += [thread.item.name for thread in threads if thread.item]
            assert len(items) == len(set(items))
            occasions = [o.when for t in threads for o in (t.occasion, t.side_occasion) if o]
            assert len(occasions) == len(set(occasions))


def test_the_four_items_of_a_thread_come_from_four_groups() -> None:
    for topic in TOPICS:
        pack = load_topic(topic)
        group_of = {item.name: group.name for group in pack.groups for item in group.items}
        for cohort in range(10):
            for thread in draw_topic_threads(2, cohort, pack):
                if thread.items:
                    assert len({group_of[item.name] for item in thread.items}) == 4


def test_nobody_has_two_traits_of_their_own_at_odds() -> None:
    at_odds = [("quiet", "company"), ("planner", "spontaneous")]
    at_odds += [("spontaneous", "numbers"), ("spontaneous", "thrifty")]
    pairs = set()
    for cohort in range(60):
        threads = draw_trait_threads(3, cohort, TOPICS)
        for k in range(4):
            own = {thread.candidates[thread.roles_of(k).index("own")] for thread in threads}
            assert not any(own == set(pair) for pair in at_odds)
            pairs.add(frozenset(own))
    assert len(pairs) == 28 - len(at_odds)


def test_no_single_stage_of_a_history_tells_the_history() -> None:
    assert len(BALANCED_HISTORIES) >= 3
    for four in BALANCED_HISTORIES:
        assert len(set(four)) == 4
        for stage in range(3):
            assert sum(history[stage] == "+" for history in four) == 2


def test_periods_are_start_next_week_next_month_next_year() -> None:
    cohort = build_cohort(0, 0)
    assert PERIOD_OFFSETS == (0, 7, 30, 365)
    for dates in cohort.dates.values():
        gaps = [(later - dates[0]).days for later in dates]
        assert gaps[0] == 0
        assert 7 <= gaps[1] < 14
        assert 30 <= gaps[2] < 40
        assert 365 <= gaps[3] < 375
