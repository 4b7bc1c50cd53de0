"""Everybody types in one manner, and what somebody has keeps its capitals."""

from random import Random

import pytest

from personamem.dataset_builder.families.personabench.documents import build_archives
from personamem.dataset_builder.families.personabench.outline import EVERYDAY, Segment, Turn
from personamem.dataset_builder.families.personabench.typing_manner import (
    join_threads,
    type_like,
    types_in_lower_case,
)


@pytest.mark.parametrize(
    ("text", "in_lower_case", "kept", "typed"),
    [
        ("no i'm out. ask them", False, (), "No I'm out. Ask them"),
        ("No, I'm out. Ask them.", True, (), "no, i'm out. ask them"),
        ("Leila has it. Is it late?", True, (), "Leila has it. is it late?"),
        ("A House of Cards? Never", True, ("A House of Cards",), "A House of Cards? never"),
        ("Wait...", True, (), "wait..."),
    ],
)
def test_a_message_is_typed_in_a_manner(
    text: str, in_lower_case: bool, kept: tuple[str, ...], typed: str
) -> None:
    assert type_like(text, in_lower_case, kept) == typed


def test_somebody_who_types_with_capitals_always_does() -> None:
    seen = set()
    for archive in build_archives(5, 0):
        for session in archive.sessions:
            if session.kind != "conversation":
                continue
            for message in session.messages:
                if not types_in_lower_case(message.role):
                    assert not message.content[0].islower(), message
                    seen.add(message.role)
    assert len(seen) > 3


def test_who_turns_to_something_else_says_so() -> None:
    threads = [
        [Turn(is_users, (Segment("lead", EVERYDAY, text),)) for is_users, text in thread]
        for thread in ([(True, "Is it cold?"), (False, "No")], [(False, "Have you got the key")])
    ]
    first, answer, other = join_threads(threads, Random(1))
    assert [first, answer] == threads[0]
    assert other.text.endswith(" have you got the key")
    assert not other.is_users
