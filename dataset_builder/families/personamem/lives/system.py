"""System messages: the date of a session, the static persona, and how to answer."""

from collections.abc import Iterator
from datetime import date
from random import Random

from personamem.dataset_builder.core.people import Persona
from personamem.loaders.formats.schema import Message

_OPENINGS = (
    "{weekday}, {day} {month} {year}. The user is {name}.",
    "Date: {weekday}, {day} {month} {year}. User: {name}.",
    "Today is {weekday}, {day} {month} {year}. You are talking to {name}.",
)
_ATTRIBUTES = (
    ("gender", "Gender: {}."),
    ("country", "Country: {}."),
    ("education", "Education: {}."),
    ("english", "English: {}, not the first language."),
)
_NUM_ATTRIBUTES = 3
_MANNERS = (
    "Keep answers short.",
    "Answer briefly and plainly.",
    "Be brief; no praise.",
    "Short answers, no small talk.",
    "Come to the point.",
    "Prefer short answers.",
)
"""What an operator asks of the assistant, whose answers are short indeed."""


class SystemWriter:
    """Writes the system messages of one context: the same persona in each, with another date."""

    def __init__(self, persona: Persona, brief: bool, random: Random) -> None:
        """``brief`` leaves out all but the name and the sentence that sums the persona up."""
        self._persona = persona
        self._opening = random.choice(_OPENINGS)
        stated = list(_list_attributes(persona))
        number = 0 if brief else min(_NUM_ATTRIBUTES, len(stated))
        self._manner = "" if brief else random.choice(_MANNERS)
        self._attributes = [stated[i] for i in sorted(random.sample(range(len(stated)), number))]

    def write(self, day: date) -> Message:
        """Return the message for a session of a day."""
        opening = self._opening.format(
            weekday=f"{day:%A}",
            day=day.day,
            month=f"{day:%B}",
            year=day.year,
            name=self._persona.name,
        )
        parts = (opening, self._persona.sentence_on(day), *self._attributes, self._manner)
        return {"role": "system", "content": " ".join(filter(None, parts))}


def _list_attributes(persona: Persona) -> Iterator[str]:
    for name, form in _ATTRIBUTES:
        if value := getattr(persona, name):
            yield form.format(value)
