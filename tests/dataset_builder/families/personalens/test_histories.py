"""Histories: they say all preferences, in many forms, and nothing of demographics."""

from collections import Counter

from personamem.dataset_builder.families.personalens.content_schema import read_prose
from personamem.dataset_builder.families.personalens.histories import join_values
from personamem.dataset_builder.families.personalens.users import User


def test_a_history_says_every_preference_of_its_domain(users: list[User]) -> None:
    for user in users:
        texts = {history.domain: history.text for history in user.profile.histories}
        for preference in user.profile.preferences:
            text = texts[preference.domain].lower()
            said = [join_values(preference.values, word).lower() for word in ("and", "or")]
            assert any(each in text for each in said), (user.profile.user_id, preference)


def test_histories_differ_in_form(users: list[User]) -> None:
    texts = [history.text for user in users for history in user.profile.histories]
    assert len(set(texts)) == len(texts)
    openings = Counter(text.partition(". ")[0] for text in texts)
    assert max(openings.values()) / len(texts) < 0.02
    assert len({len(text.split()) for text in texts}) > 60
    assert all(text.count("\n\n") == 2 for text in texts)


def test_a_user_hears_no_general_line_twice(users: list[User]) -> None:
    for user in users[:40]:
        text = "\n".join(history.text for history in user.profile.histories)
        assert max(text.count(line) for line in read_prose().trends) == 1


def test_texts_have_no_slots_left_and_fit_the_gender(users: list[User]) -> None:
    for user in users:
        gender = user.profile.demographics.gender
        for history in user.profile.histories:
            words = set(history.text.replace(",", " ").replace(".", " ").split())
            assert not {"{", "}"} & set(history.text)
            assert gender == "Male" or "he" not in words
            assert gender == "Female" or "she" not in words


def test_histories_do_not_name_demographics(users: list[User]) -> None:
    for user in users[:60]:
        demographics = user.profile.demographics
        for history in user.profile.histories:
            text = f" {history.text.replace(',', ' ').replace('.', ' ')} "
            for value in (demographics.reside_country, demographics.age, demographics.education):
                assert f" {value} " not in text


def test_lists_are_joined_in_prose() -> None:
    assert join_values(["a"]) == "a"
    assert join_values(["a", "b"]) == "a and b"
    assert join_values(["a", "b", "c"]) == "a, b and c"
    assert join_values(["a", "b", "c"], "or") == "a, b or c"
