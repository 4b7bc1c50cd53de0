"""Everyday chats that belong into one life."""

from random import Random

from personamem.dataset_builder.families.personamem.lives.fitting import ANYBODY, draw_fitting
from personamem.dataset_builder.families.personamem.lives.tongues import names_tongue
from personamem.dataset_builder.fillers import list_everyday_chats


def draw(field: str, country: str = "Kenya", seed: int = 3) -> list[str]:
    return [chat.key for chat in draw_fitting(list_everyday_chats(), field, country, Random(seed))]


def test_nobody_has_chats_of_another_field_of_work() -> None:
    chats = {chat.key: chat for chat in list_everyday_chats()}
    for seed in range(8):
        for field in ("home", "office", "data", "shop", "hands", "people", "study"):
            drawn = [chats[key] for key in draw(field, seed=seed)]
            assert len({chat.key for chat in drawn}) == len(drawn)
            assert all(set(chat.fields) & {ANYBODY, field, "club"} for chat in drawn)


def test_two_private_chats_come_to_one_of_work() -> None:
    chats = {chat.key: chat for chat in list_everyday_chats()}
    private = [ANYBODY in chats[key].fields for key in draw("office")[:42]]
    assert sum(private) == 28


def test_nobody_works_in_two_places() -> None:
    chats = {chat.key: chat for chat in list_everyday_chats()}
    for seed in range(8):
        drawn = [chats[key] for key in draw("shop", seed=seed)]
        assert len({chat.place for chat in drawn if "shop" in chat.fields} - {""}) <= 1


def test_nothing_is_put_into_the_language_of_the_country() -> None:
    asked = {chat.key: chat.messages[0] for chat in list_everyday_chats()}
    assert any(names_tongue(text, "France") for text in asked.values())
    assert not any(names_tongue(asked[key], "France") for key in draw("office", "France"))
    assert names_tongue("Into German, please", "Austria")
    assert not names_tongue("Into German, please", "Kenya")
