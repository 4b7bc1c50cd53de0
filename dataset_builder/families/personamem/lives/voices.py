"""Voices: how a person types, whatever the errand."""

import re
from dataclasses import dataclass
from functools import cache
from random import Random

from personamem.dataset_builder.core.people import Persona


@dataclass(frozen=True, slots=True)
class Speaker:
    """Whose text it is: a persona with a currency and a voice.

    ``lower_case`` is the voice of somebody who types without capitals.
    """

    persona: Persona
    lower_case: bool


def make_speaker(persona: Persona, random: Random) -> Speaker:
    """Draw the voice of a persona."""
    return Speaker(persona, random.random() < 0.3)


_CONTRACTIONS = {
    "dont": "don't",
    "cant": "can't",
    "wont": "won't",
    "didnt": "didn't",
    "doesnt": "doesn't",
    "isnt": "isn't",
    "wasnt": "wasn't",
    "thats": "that's",
    "whats": "what's",
    "theyre": "they're",
    "youre": "you're",
    "im": "I'm",
    "ive": "I've",
    "pls": "please",
    "plz": "please",
    "i": "I",
    "i'm": "I'm",
    "i've": "I've",
    "i'd": "I'd",
    "i'll": "I'll",
}
_STARTS = re.compile(r"(?:^|(?<=[.!?]\s)|(?<=\n))[a-z]")
_STILL_GOING = re.compile(
    r"(?:\.\.|\b(?:[a-z]|st|vs|nr|ca|pp|tel|etc|max|min|incl|excl|approx))\.\s\Z", re.IGNORECASE
)
"""Dots for something left out, and abbreviations, after which no sentence starts."""

_WORDS = re.compile(
    r"(?<![\w'])("
    + "|".join(map(re.escape, sorted(_CONTRACTIONS, key=len, reverse=True)))
    + r")(?![\w'])"
)


def speak(text: str, speaker: Speaker) -> str:
    """Return ``text`` as the speaker would type it; what stands in double quotes stays."""
    parts = text.split('"')
    for index in range(0, len(parts), 2):
        parts[index] = _lower(parts[index]) if speaker.lower_case else parts[index]
    if not speaker.lower_case:
        whole = '"'.join(
            _WORDS.sub(lambda match: _CONTRACTIONS[match[1]], part) if not index % 2 else part
            for index, part in enumerate(parts)
        )
        return _STARTS.sub(_capitalise, whole)
    return '"'.join(parts)


def _capitalise(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - 8) : match.start()]
    return match[0] if _STILL_GOING.search(before) else match[0].upper()


def _lower(text: str) -> str:
    return re.sub(r"\S+", lambda match: _lower_word(match[0]), text)


@cache
def _lower_word(word: str) -> str:
    letters = [letter for letter in word if letter.isalpha()]
    is_code = any(letter.isdigit() for letter in word) or (
        len(letters) > 1 and all(letter.isupper() for letter in letters)
    )
    return word if is_code else word.lower()
