"""No text of the bank reads like a template with open slots, so that no seed fails its audit."""

from collections.abc import Iterator
from datetime import date
from random import Random

import pytest

from personamem.dataset_builder.core.people import FIRST_DAY, Contact
from personamem.dataset_builder.core.text.faults import (
    ARTICLES,
    CASING,
    DOUBLED,
    SLOTS,
    read_closely,
)
from personamem.dataset_builder.families.personamem.lives.bank import (
    NeedId,
    get_need,
    list_need_ids,
)
from personamem.dataset_builder.families.personamem.lives.need import Exchange
from personamem.dataset_builder.families.personamem.lives.slots import SlotFiller
from personamem.dataset_builder.fillers import list_everyday_chats

CONTACT = Contact("my friend Petra", "Petra", "she")
GROUPS = (
    *("artefacts", "named", "others", "others_named", "others_ended", "endings", "refusals"),
    *("condition", "stated.now", "stated.past", "stated.other", "stated.declined"),
)


IN_MAY = [FIRST_DAY.replace(month=month) for month in (4, 5, 6)]
"""Days on which the next month, this one and the last one are called like a verb."""


def find_faults(texts: list[str], typed: list[bool]) -> list[str]:
    days = IN_MAY if any("month}" in text for text in texts) else [FIRST_DAY]
    return [fault for day in days for fault in find_faults_on(day, texts, typed)]


def find_faults_on(day: date, texts: list[str], typed: list[bool]) -> list[str]:
    filler = SlotFiller("Germany", day, Random(1), CONTACT)
    found = []
    for text, is_typed in zip(texts, typed, strict=True):
        filled = filler.fill(text)
        kinds = [SLOTS] if is_typed else [SLOTS, DOUBLED, ARTICLES, CASING]
        found += [
            f"{kind}: {filled[max(0, start - 30) : start + 30]!r}"
            for kind, start in read_closely(filled, is_typed, kinds)
        ]
    return found


def read_exchange(exchange: Exchange) -> list[str]:
    texts = [exchange.ask, exchange.text or "", exchange.assistant]
    typed = [True, True, False]
    for message in exchange.then:
        texts.append(message.user or message.assistant or "")
        typed.append(message.user is not None)
    return find_faults(texts, typed)


def list_exchanges(need_id: NeedId) -> Iterator[tuple[str, Exchange]]:
    need = get_need(need_id)
    for number, pointer in enumerate(need.pointers):
        yield f"pointers.{number}", pointer
    for choice in need.choices:
        for group in GROUPS:
            for number, exchange in enumerate(choice.list_texts_of(group)):
                yield f"{choice.key}.{group}.{number}", exchange


@pytest.mark.parametrize("need_id", list_need_ids(), ids="-".join)
def test_texts_of_a_need_leave_no_residue(need_id: NeedId) -> None:
    found = {
        place: faults
        for place, exchange in list_exchanges(need_id)
        if (faults := read_exchange(exchange))
    }
    assert not found


def test_everyday_chats_leave_no_residue() -> None:
    found = {
        chat.key: faults
        for chat in list_everyday_chats()
        if chat.is_form
        and (
            faults := find_faults(
                list(chat.messages), [not number % 2 for number in range(len(chat.messages))]
            )
        )
    }
    assert not found
