"""Everyday chats: a formula, a mail at work, an error message. They say nothing of their user.

Texts hold slots, such as {first_name} or {price:40}, which are the caller's to fill.
"""

from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from personamem.dataset_builder.core.content_yaml import Strict, read_content

FOLDER = Path(__file__).parent / "everyday"


Work = Literal["home", "office", "data", "shop", "hands", "people", "study", "club"]
"""Whose chat it could be: anybody's, or somebody's at a desk, with data, who sells, who works with
their hands, with people, who studies, or who helps out in an association.
"""


class Chat(Strict):
    """A chat: messages of the user and the assistant in turn, the user's first.

    ``fields`` are those whose people might have it, ``place`` the particular shop, office or
    association in which it plays, if any. ``is_form`` says that its texts hold slots; real chats
    hold whatever they hold.
    """

    key: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    fields: Annotated[tuple[Work, ...], Field(min_length=1)] = ("home",)
    place: str = ""
    messages: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=2)]
    is_form: bool = True

    @model_validator(mode="after")
    def _ends_with_an_answer(self) -> Self:
        if len(self.messages) % 2:
            raise ValueError(f"{self.key}: the last message has to be the assistant's")
        return self


class Area(Strict):
    """A file of chats on one kind of subject."""

    area: str
    chats: tuple[Chat, ...]


@cache
def list_everyday_chats() -> tuple[Chat, ...]:
    """Return all chats, area by area. Raises InvalidInputError naming the file and the entry."""
    areas = [read_content(path, "chats", Area) for path in sorted(FOLDER.glob("*.yaml"))]
    return tuple(chat for area in areas for chat in area.chats)


@cache
def list_chats_of_anybody() -> tuple[Chat, ...]:
    """Return chats that anybody may have, and that hold no slots."""
    return tuple(
        chat
        for chat in list_everyday_chats()
        if "home" in chat.fields and not any("{" in message for message in chat.messages)
    )
