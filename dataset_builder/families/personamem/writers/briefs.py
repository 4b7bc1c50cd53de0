"""Briefs of chats: what a model is to write into one context, within the room that it has.

A brief belongs to one context, so no two contexts share a chat.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.lives.contexts import measure_room
from personamem.dataset_builder.families.personamem.lives.events import ChoiceId
from personamem.dataset_builder.families.personamem.lives.life import Life
from personamem.dataset_builder.families.personamem.writers.subjects import (
    Voice,
    Words,
    load_subjects,
)
from personamem.dataset_builder.llm.writing.response_schemas import WORDS_PER_TOKEN

LENGTHS = (2, 4, 4, 6, 6, 6, 8, 8, 10)
"""Messages of a chat; six are the most frequent."""

MOST_WORDS = 90
"""Words of an answer; in small contexts a message has at most ``MOST_WORDS_DENSE``."""

MOST_WORDS_DENSE = 30
_FEWEST_WORDS = 8


@dataclass(frozen=True, slots=True)
class ChatBrief:
    """What a model is to write: a chat of ``messages`` messages with ``most_tokens`` at most.

    ``code`` is its own; ``words`` bound the user's messages, ``reply_words`` the assistant's;
    ``unnamed`` are choices that nothing in its context may name.
    """

    code: str
    area: str
    subject: str
    course: str
    voice: Voice
    messages: int
    words: Words
    reply_words: Words
    unnamed: frozenset[ChoiceId]

    @property
    def most_tokens(self) -> int:
        """The most o200k_base tokens of all messages."""
        return _count_tokens(self.messages, self.words, self.reply_words)


def brief_chats(life: Life) -> Iterator[ChatBrief]:
    """Yield what a model is to write into the context of a life, as much as has room.

    Raises InvalidInputError when what the questions need does not fit into the budget.
    """
    size, persona_id = life.plan.size, life.speaker.persona.persona_id
    content = load_subjects()
    # A user writes in one manner in all contexts.
    voice = make_rng(life.config.seed, "manner", persona_id).choice(
        [voice for voice in content.voices if voice.lower_case == life.speaker.lower_case]
    )
    random = make_rng(life.config.seed, "chats", size, persona_id)
    room, overhead = measure_room(life)
    words, reply_words = voice.words, (_FEWEST_WORDS, MOST_WORDS)
    if life.plan.is_dense:
        words, reply_words = _shorten(words), _shorten(reply_words)
    left = _deal(content.list_subjects(), random)
    number = 0
    while lengths := [
        length for length in LENGTHS if overhead + _count_tokens(length, words, reply_words) <= room
    ]:
        area, subject = next(left)
        brief = ChatBrief(
            code=f"{size}-{persona_id}-{number}",
            area=area,
            subject=subject,
            course=random.choice(content.courses),
            voice=voice,
            messages=random.choice(lengths),
            words=words,
            reply_words=reply_words,
            unnamed=life.plan.unnamed,
        )
        yield brief
        room -= overhead + brief.most_tokens
        number += 1


def _shorten(words: Words) -> Words:
    return words[0], min(words[1], MOST_WORDS_DENSE)


def _count_tokens(messages: int, words: Words, reply_words: Words) -> int:
    return round(messages // 2 * (words[1] + reply_words[1]) / WORDS_PER_TOKEN)


def _deal(subjects: Sequence[tuple[str, str]], random: Random) -> Iterator[tuple[str, str]]:
    """Yield all subjects in random order, then all in another one, and so on."""
    while True:
        yield from random.sample(subjects, len(subjects))
