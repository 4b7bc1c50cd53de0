"""Which of "a" and "an" is wrong before a word, judged by how its spelling is pronounced.

Precision comes first: where both are in use ("an historic", "a SQL"), neither is wrong.
"""

import re

_LETTERS_SAID_WITH_VOWEL = "AEFHILMNORSX"

_CONSONANT_VOWELS = re.compile(
    r"(?:one(?![a-z])|ones|once|oui|eu|ewe|"
    r"u(?:ni(?:[tfvqlo]|c[oy]|s[eo])|bi|fo|k[eru]|rani|rin|rol|s[eau]|surp|te[nr]|til|top|tah|"
    r"lster(?!.)))",
)
"""Beginnings with a vowel letter and a consonant sound: one, unit, use, European, ukulele."""

_EITHER_VOWELS = re.compile(r"(?:unid|unis|unicam|ur[aeio]|us[a-z]|ut[a-z]|ub|uk|o(?:uija|ui))")
"""Beginnings that the rule above may judge wrongly."""

_SILENT_H = re.compile(r"(?:hour|honest|honor|honour|heir(?!l?oom))|heirloom")
_EITHER_H = re.compile(r"(?:h(?:erb|omage|istor|otel|abit|ero|ilar|allucin|ysteri|ors|ypothe))")
_SAID = re.compile(r"[aeiouy]")
_NUMBER = re.compile(r"\d[\d,]*")

_FUNCTION_WORDS = """
a also am an and are as at by each equals every for from has if in into is it its itself of on onto
or over until under unless after again against along although among around about above across away
off out up us upon instead even ever only else
"""
_NOT_NOUNS = frozenset(_FUNCTION_WORDS.split())
"""After "a" these show that it is the letter, the unit or the variable."""


def find_wrong(article: str, word: str) -> bool:
    """Return whether ``article`` ("a" or "an") before ``word``, as it is written, is wrong."""
    if not word:
        return False
    if word[0].isdigit():
        said = _says_vowel_number(word)
    elif not (word[0].isascii() and word[0].isalpha()):
        return False
    elif _is_initialism(word):
        return _is_wrong_initialism(article, word)
    else:
        said = _says_vowel_word(word.lower())
    if said is None or (article == "a" and word.lower() in _NOT_NOUNS):
        return False
    return said == (article == "a")


def _says_vowel_word(word: str) -> bool | None:
    """Return whether ``word`` begins with a vowel sound; None where that is not certain."""
    if len(word) == 1:
        return word.upper() in _LETTERS_SAID_WITH_VOWEL if word not in "aiux" else None
    if not _SAID.search(word):
        return None
    if word[0] == "h":
        if _SILENT_H.match(word):
            return True
        return None if _EITHER_H.match(word) else False
    if word[0] == "y":
        return False if word[1] in "aeiou" else None
    if word[0] == "x":
        return None
    if word[0] not in "aeiou":
        return False
    if _CONSONANT_VOWELS.match(word):
        return False
    return None if _EITHER_VOWELS.match(word) else True


def _says_vowel_number(word: str) -> bool | None:
    """Return whether a number is said with a vowel: eight..., eleven..., eighteen..."""
    number = _NUMBER.match(word)
    digits = (number.group() if number else word).rstrip(",")
    if digits.startswith("8"):
        return True
    groups = digits.split(",")
    if groups[0] in ("11", "18"):
        return True
    # "eleven hundred" or "one thousand one hundred": both are said.
    return None if len(groups) == 1 and re.match(r"1[18]\d\d$", digits) else False


def _is_initialism(word: str) -> bool:
    """Return whether ``word`` may be spelled out: capitals other than the first letter alone."""
    return bool(re.match(r"[A-Z](?![a-z])|[A-Za-z]+[A-Z]|[a-z](?![a-z])", word))


def _is_wrong_initialism(article: str, word: str) -> bool:
    first = word[0].upper()
    if len(word) == 1 and article == "a":
        return False
    if first in "AEIO":
        return article == "a" and word[0].isupper() and word.lower() not in _NOT_NOUNS
    # A word such as LAN or NASA is not spelled out, so both articles may be right.
    return article == "an" and first not in _LETTERS_SAID_WITH_VOWEL + "U"
