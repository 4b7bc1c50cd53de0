"""Users: consistent, even, interested by age, and in situations of many kinds."""

from collections import Counter

from personamem.dataset_builder.families.personalens.checks import (
    ENOUGH_USERS,
    LEAST_EVENNESS,
    MOST_COMMON,
)
from personamem.dataset_builder.families.personalens.rules import check_profiles
from personamem.dataset_builder.families.personalens.tasks import list_tasks
from personamem.dataset_builder.families.personalens.users import User, draw_users
from personamem.dataset_builder.families.personalens.values import list_types
from personamem.loaders.personalens.schema import DOMAINS, Situation
from personamem.loaders.personalens.statistics import count_fields, measure_types


def test_no_profile_breaks_a_rule(users: list[User]) -> None:
    assert check_profiles(user.profile for user in users) == []


def test_values_are_at_least_as_even_as_in_the_official_release(users: list[User]) -> None:
    rows = measure_types([user.profile for user in users], list_types())
    categorical = [row.evenness for row in rows if row.kind == "categorical"]
    assert sum(categorical) / len(categorical) >= LEAST_EVENNESS
    assert all(row.users == len(users) and row.empty == 0 for row in rows)
    assert all(row.distinct == row.distinct_listed for row in rows if row.kind == "categorical")


def test_no_value_of_a_situation_is_most_of_them(users: list[User]) -> None:
    situations = [scenario.situation for user in users for scenario in user.scenarios]
    for field, counts in count_fields(situations, Situation).items():
        assert max(counts.values()) / len(situations) < MOST_COMMON, field


def test_users_have_every_task_of_their_interests_and_no_other(users: list[User]) -> None:
    for user in users[:40]:
        interests = set(user.profile.interests)
        due = [task.task_id for task, _ in list_tasks() if set(task.domains) <= interests]
        assert [scenario.task_id for scenario in user.scenarios] == due
        domains = [preference.domain for preference in user.profile.preferences]
        assert tuple(dict.fromkeys(domains)) == DOMAINS
        assert tuple(history.domain for history in user.profile.histories) == DOMAINS


def test_interests_follow_age_and_work(users: list[User]) -> None:
    profiles = [user.profile for user in users]
    young = [p for p in profiles if p.demographics.age == "18-24 years old"]
    old = [p for p in profiles if p.demographics.age == "65+ years old"]
    assert all("Games" in profile.interests for profile in young)
    assert not any("Games" in profile.interests for profile in old)
    students = [p for p in profiles if p.demographics.employment_status == "Student"]
    assert students
    assert not any("Finance" in profile.interests for profile in students)


def test_places_of_work_and_study_are_for_those_who_have_them(users: list[User]) -> None:
    found: Counter[str] = Counter()
    for user in users:
        status = user.profile.demographics.employment_status
        for scenario in user.scenarios:
            place = scenario.situation.location.partition(",")[0]
            found[place] += 1
            assert place != "On campus" or status == "Student"
            assert place != "At work" or status.startswith("Working")
            assert scenario.situation.location.endswith(user.profile.demographics.reside_country)
    assert len(found) == 11


def test_users_are_the_same_whatever_others_are_drawn_beside(users: list[User]) -> None:
    assert list(draw_users(5, len(users), 7, 9)) == users[7:9]
    assert len(users) < ENOUGH_USERS
