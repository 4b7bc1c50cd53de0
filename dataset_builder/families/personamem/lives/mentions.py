"""Mentions: the facts of a life.

A mention is one exchange of the bank in one stance. All that a conversation reveals is a mention,
and all that a question asks is answered from mentions alone.
"""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from personamem.dataset_builder.core.people import Contact
from personamem.dataset_builder.families.personamem.lives.bank import NeedId


class Stance(StrEnum):
    """What a mention says of a choice: whose, and whether it is over."""

    OWN = "own"
    ENDED = "ended"
    OTHERS = "others"
    OTHERS_ENDED = "others_ended"
    DECLINED = "declined"
    CONDITIONAL = "conditional"
    POINTED = "pointed"
    FORGET = "forget"


@dataclass(frozen=True, slots=True)
class Source:
    """Where the bank has a text: the need, its choice ("" for the need itself), group, number."""

    need_id: NeedId
    choice: str
    group: str
    number: int


@dataclass(frozen=True, slots=True)
class Mention:
    """One exchange that says something of ``choice``, on ``day``.

    ``contact`` is whom it is about, where that is not the user. POINTED says that the user now does
    as ``contact`` does; FORGET asks to forget what was said on ``refers_to``. ``private`` numbers
    the words in which the user adds that it is private; None where it is not. ``brief`` says that
    the session ends with the first answer, for want of room.
    """

    mention_id: str
    stage: int
    stance: Stance
    choice: str
    day: date
    source: Source
    contact: Contact | None = None
    refers_to: date | None = None
    private: int | None = None
    brief: bool = False

    @property
    def need_id(self) -> NeedId:
        """The need that the mention is about."""
        return self.source.need_id


EVENT = "event "
"""Before the key of an event of life: the group of its texts."""
