"""Outlines: which message says what of a fact that comes up in two."""

from personamem.dataset_builder.families.personabench.attribute_schema import Update
from personamem.dataset_builder.families.personabench.drafts import Reveal
from personamem.dataset_builder.families.personabench.outline import make_matter, make_thread
from personamem.dataset_builder.families.personabench.profiles import Entry

TOLD = ("you: Still tea?", "me: god no", "you: What then", "me: mead", "you: Oh")


def test_each_message_says_its_part_of_a_change() -> None:
    reveal = Reveal(0, "drink", Entry("mead"), former=Entry("tea"))
    turns = make_thread(True, make_matter(reveal, "Ana Paz", "tea mead"), (0, 3), TOLD)
    parts = [turn.parts[0] for turn in turns]
    assert [part.step for part in parts] == ["say", "reply", "reply", "say", "reply"]
    assert [part.matter.values for part in parts if part.step == "say"] == [("tea",), ("mead",)]
    assert [turn.is_users for turn in turns] == [False, True, False, True, False]


def test_a_relation_and_a_name_may_stand_apart() -> None:
    reveal = Reveal(1, "", Entry("cousin"))
    matter = make_matter(reveal, "Ana Paz", "my cousin Ana Paz")
    turns = make_thread(True, matter, (0, 2), ("me: my cousin", "you: who", "me: Ana Paz"))
    said = [(turn.parts[0].matter.values, turn.parts[0].matter.people) for turn in turns]
    assert said[0] == (("cousin",), ())
    assert said[2] == ((), ("Ana Paz",))


def test_an_update_tells_who_says_what_is_dropped() -> None:
    reminded = Update(messages=("you: {old}?", "me: not any more. {value}"))
    assert reminded.list_told() == (0, 1)
    assert not reminded.is_told_by_one
    assert Update(messages=("you: so?", "me: {value}, not {old}")).is_told_by_one
