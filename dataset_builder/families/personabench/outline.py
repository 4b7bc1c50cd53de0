"""Outlines: what each message of a document is for, whoever words it.

The embedded writer makes outline and words at once. A model gets the outline, with the embedded
words as a sketch, and its words are held to the same outline.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from personamem.dataset_builder.families.personabench.drafts import Reveal
from personamem.dataset_builder.families.personabench.profiles import Entry
from personamem.dataset_builder.families.personabench.wording import contains_words

MatterKind = Literal["reveal", "others", "theme", "event", "everyday", "unrelated"]
Step = Literal["lead", "say", "reply"]


@dataclass(frozen=True, slots=True)
class Topic:
    """What a stretch of a document is about.

    ``theme`` is an attribute. ``values`` and ``people`` are what the one who says it names, word
    for word, and nobody else does: of an update the old value, then the new one.
    """

    kind: MatterKind
    theme: str = ""
    values: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    reveal: Reveal | None = None


EVERYDAY = Topic("everyday")
UNRELATED = Topic("unrelated")


@dataclass(frozen=True, slots=True)
class Segment:
    """What a message, or some sentences of it, do for a matter; ``text`` is the embedded wording.

    What comes before the message that says it leads up to it, and what follows replies.
    """

    step: Step
    matter: Topic
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A message: whether the person whose document it is speaks, and what it consists of."""

    is_users: bool
    parts: tuple[Segment, ...]

    @property
    def text(self) -> str:
        """The embedded wording of all parts."""
        return " ".join(part.text for part in self.parts)


def make_matter(reveal: Reveal, subject: str, said: str) -> Topic:
    """Return the matter of a fact about ``subject``, a name; ``said`` is the embedded wording."""
    if not reveal.attribute:
        return Topic("reveal", "", (reveal.entry.plain,), (subject,), reveal)
    values = (reveal.entry.plain, *keys_in(said, reveal.entry))
    if reveal.former:
        values = (reveal.former.plain, *values)
    return Topic("reveal", reveal.attribute, values, (), reveal)


def keys_in(said: str, entry: Entry) -> tuple[str, ...]:
    """Return the key of a named value where a hint says it; "tall" does without "Height"."""
    return (entry.key,) if entry.key and contains_words(said, entry.key) else ()


def make_thread(
    me_is_user: bool, matter: Topic, told: Sequence[int], messages: Sequence[str]
) -> list[Turn]:
    """Return a rendered thread ("me: ..."), whose messages ``told`` say the matter.

    Where they are several, each says what it names of it.
    """
    turns = []
    for number, message in enumerate(messages):
        speaker, text = message.split(": ", 1)
        step: Step = "say" if number in told else "lead" if number < told[0] else "reply"
        said = matter if len(told) == 1 or step != "say" else _cut(matter, text)
        turns.append(Turn((speaker == "me") == me_is_user, (Segment(step, said, text),)))
    return turns


def _cut(matter: Topic, text: str) -> Topic:
    """Return what a message of several says of a matter."""
    return replace(
        matter,
        values=tuple(value for value in matter.values if contains_words(text, value)),
        people=tuple(name for name in matter.people if name in text),
    )
