"""Histories: they say all preferences, in many forms, and nothing of demographics."""

import re
from collections import Counter

import pytest

from personamem.dataset_builder.families.personalens.content_schema import (
    read_domains,
    type_by_key,
)
from personamem.dataset_builder.families.personalens.histories import join_values, list_sayings
from personamem.dataset_builder.families.personalens.lines import Facts, list_fitting
from personamem.dataset_builder.families.personalens.preferences import DrawnPreference
from personamem.dataset_builder.families.personalens.users import User
from personamem.dataset_builder.families.personalens.values import read_values
from personamem.loaders.personalens.schema import Preference


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
        closing = [history.text.rpartition("\n\n")[2] for history in user.profile.histories]
        sentences = [sentence for text in closing for sentence in text.split(". ")]
        assert len({sentence.rstrip(".") for sentence in sentences}) == len(sentences)


def test_anecdotes_fit_what_a_user_prefers(users: list[User]) -> None:
    told = 0
    for user in users:
        texts = {history.domain: history.text for history in user.profile.histories}
        sports = next(each for each in user.profile.preferences if each.type == "Sports Followed")
        if " goal was missed because of the doorbell" in texts["Sports"]:
            told += 1
            assert {"football", "handball", "ice hockey"} & set(sports.values)
    assert told


def test_nothing_is_called_lasting_beside_a_change() -> None:
    _, content = type_by_key()["fin_risk"]
    line = content.says[0].model_copy(update={"lasting": True})
    changed = content.model_copy(update={"says": (line, *content.says[1:])})
    preference = Preference("Finance", content.name, content.form, ("a balanced mix",))
    drawn, facts = DrawnPreference(changed, preference, "mostly shares"), Facts(frozenset(), {})
    assert line in list_sayings(drawn, facts)
    assert line not in list_sayings(drawn, facts, changes=True)


@pytest.mark.parametrize("value", ["no snooze at all", "one five-minute snooze"])
def test_a_value_that_is_nothing_has_sentences_of_its_own(value: str) -> None:
    _, content = type_by_key()["alarm_snooze"]
    drawn = DrawnPreference(content, Preference("Alarm", content.name, content.form, (value,)), "")
    says = [line.say for line in list_sayings(drawn, Facts(frozenset(), {}))]
    assert any(say.startswith("Past the first ring") for say in says) == (value[:2] != "no")
    assert any("rings once" in say for say in says) == (value[:2] == "no")


def test_every_value_can_be_said_beside_a_change() -> None:
    # Someone who has none of what sentences require.
    facts = Facts(frozenset(), {key: () for key in type_by_key()})
    for key, (domain, content) in type_by_key().items():
        for value in read_values(key):
            preference = Preference(domain, content.name, content.form, (value.text,))
            drawn = DrawnPreference(content, preference, "")
            assert list_sayings(drawn, facts, changes=True), (key, value)
    for domain_content in read_domains():
        assert len(list_fitting(domain_content.incidents, facts)) >= 3, domain_content.domain
        assert list_fitting(domain_content.opening, facts)


def test_sentences_agree_with_one_value_and_with_several() -> None:
    wrong = re.compile(
        r"(^|\belse |\band )\{(values|choices)\} (has|have|is|are|was|were)\b"
        r"|\b(has|is|was) \{values\} that\b|\b(an?|one) [a-z ]*\bof \{values\}"
    )
    for key, (_, content) in type_by_key().items():
        for line in content.says if content.most > 1 else ():
            assert not wrong.search(line.say), (key, line.say)


def test_sentences_do_not_repeat_the_noun_of_a_value() -> None:
    for key, (_, content) in type_by_key().items():
        values = " ".join(value.text for value in read_values(key))
        for noun in ("seat", "room", "ticket", "film", "message"):
            for line in content.says if re.search(rf"\b{noun}s?\b", values) else ():
                assert not re.search(rf"\b{noun}s? (is|was|has|itself|go|that)\b", line.say), line
                assert not re.search(rf"\ba {noun}, ", line.say), line


def test_made_up_values_have_the_right_article() -> None:
    for key, (_, content) in type_by_key().items():
        for value in read_values(key) if content.pool else ():
            assert not re.match(r"A [AEIO]|An [^AEIO]", value.text), (key, value.text)


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
