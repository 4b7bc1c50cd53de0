"""Personal data of real people: what could reach or identify somebody outside the benchmark."""

import ipaddress
import re
from collections.abc import Callable, Mapping

import numpy as np

from personamem.dataset_builder.core.text.messages import (
    Block,
    MessageTexts,
    Positions,
    is_between,
    is_one_of,
)
from personamem.dataset_builder.core.text.places import KEPT_PLACES, Hits, Place, cut_excerpt

EMAILS = "e-mail addresses"
PHONES = "phone numbers"
CARDS = "payment cards"
ACCOUNTS = "bank accounts"
SOCIAL_SECURITY = "social security numbers"
ADDRESSES = "IP addresses"
HANDLES = "handles on social media"
PROFILES = "profiles on social media"

PERSONAL_KINDS = {
    EMAILS: "outside the domains that RFC 2606 reserves (example.com, .org and .net, .example, "
    ".test, .invalid, .localhost)",
    PHONES: "+ and a country code, (area) exchange-number, or area-exchange-number after a word "
    "such as phone or call; outside 555-01xx",
    CARDS: "15 or 16 digits with an issuer's prefix that pass the Luhn check, but for test numbers",
    ACCOUNTS: "IBANs with valid check digits (ISO 13616)",
    SOCIAL_SECURITY: "ddd-dd-dddd in a range that the United States assign",
    ADDRESSES: "public IPv4 addresses, after a word such as IP, host, server or ping; "
    "documentation and private ranges are left out",
    HANDLES: "@name",
    PROFILES: "links to a person's page on a social network",
}

_EMAIL = re.compile(r"[\w.+-]+@(?P<domain>[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})\b")
_RESERVED = re.compile(
    r"(?:^|\.)(?:example\.(?:com|org|net)|example|test|invalid|localhost)$", re.I
)
_PHONE = re.compile(
    r"(?<![\w+.])(?:\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d(?:[ .-]?\d){6,11}"
    r"|\([2-9]\d\d\) ?[2-9]\d\d[ -]\d{4}"
    r"|(?P<bare>[2-9]\d\d[.-][2-9]\d\d[.-]\d{4}))(?![\w-]|\.\d)"
)
_PHONE_WORD = re.compile(
    r"\b(?:phone|telephone|call|cell|mobile|tel|fax|dial|whatsapp|text(?: me)?|ring|reach)\b", re.I
)
_FICTIONAL_PHONE = re.compile(r"555\D?01\d\d$")
_CARD = re.compile(
    r"(?<![\w.,+-])(?:\d{4}([ -]?)\d{4}\1\d{4}\1\d{4}"
    r"|3[47]\d{2}[ -]?\d{6}[ -]?\d{5})(?![\w-]|[.,]\d)"
)
_ISSUER = re.compile(r"4|5[1-5]|2(?:2[2-9]|[3-6]|7[01]|720)|3[47]|6011|65|35(?:2[89]|[3-8])")
_PUBLISHED_TEST_CARDS = """
4111111111111111 4242424242424242 4012888888881881 5555555555554444 5105105105105100
2223003122003222 378282246310005 371449635398431 6011111111111117 3530111333300000
"""
_TEST_CARDS = frozenset(_PUBLISHED_TEST_CARDS.split())
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)")
_SSN = re.compile(r"(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w-])")
_IPV4 = re.compile(r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\d)")
_IP_WORD = re.compile(r"\b(?:ips?|ipv4|address|host|server|ping|router|log(?:in|ged)?)\b", re.I)
_VERSION = re.compile(r"\b(?:version|release|section|chapter|v)\.? ?\Z", re.I)
_HANDLE = re.compile(r"(?<=[ \t(,:])@(?=\w*[a-z])[A-Za-z_]\w{2,29}\b(?![(=])")
_PROFILE = re.compile(
    r"(?:(?:twitter|x|instagram|facebook|tiktok|threads|github|snapchat|pinterest)\.(?:com|net)/@?"
    r"|linkedin\.com/in/|t\.me/|youtube\.com/@|reddit\.com/u(?:ser)?/)(?P<name>[\w.-]{3,})",
    re.I,
)
_SITE_PAGES = frozenset({"about", "explore", "features", "help", "login", "search", "settings"})
_LETTERS_BEFORE = 60

_SIGNS = (b".com/", b".net/", b"t.me/")
_NUMBER = re.compile(
    rb"\+[1-9]|\([2-9]\d\d\) ?[2-9]\d\d[ -]\d{4}|[2-9]\d\d[.-][2-9]\d\d[.-]\d{4}"
    rb"|\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{4}|3[47]\d{2}[ -]?\d{6}[ -]?\d{5}|\d{3}-\d\d-\d{4}"
)
"""What the numbers of phones, cards and social security look like, before a closer look."""

_DIGITS, _WIDEST_GAP = 8, 3
"""The least number of digits that identify somebody, and how far on the next of them stands."""


def find_personal(texts: MessageTexts) -> Mapping[str, Hits]:
    """Return personal data of each kind in the messages of a context, code and tables included."""
    places: dict[str, list[Place]] = {kind: [] for kind in PERSONAL_KINDS}
    counts = dict.fromkeys(PERSONAL_KINDS, 0)
    for first, block in texts.blocks:
        for message in sorted(_pick_messages(block)):
            text = block.texts[message]
            for kind, pattern, accept in _SEARCHES:
                for found in filter(accept, pattern.finditer(text)):
                    counts[kind] += 1
                    if counts[kind] <= KEPT_PLACES:
                        excerpt = cut_excerpt(text, found.start())
                        places[kind].append(Place(texts.context_id, first + message, excerpt))
    return {kind: Hits(counts[kind], tuple(places[kind])) for kind in PERSONAL_KINDS}


def _pick_messages(block: Block) -> set[int]:
    """Return the messages that could hold personal data."""
    letters = block.letters
    points = np.flatnonzero(letters == ord("."))
    points = points[is_between(letters[points - 1], b"0", b"9")]
    # Three points in a number with four parts.
    parted = points[:-2][points[2:] - points[:-2] < 9]
    capital = is_between(letters, b"A", b"Z")
    codes = np.flatnonzero(capital[:-2] & capital[1:-1] & is_between(letters[2:], b"0", b"9"))
    signs = np.flatnonzero(letters == ord("@"))
    return block.locate(
        np.concatenate([_find_numbers(block), parted, codes, signs, block.find(*_SIGNS)])
    )


def _find_numbers(block: Block) -> Positions:
    """Return where long numbers start that look like those of a person."""
    letters = block.letters
    digits = np.flatnonzero(is_between(letters, b"0", b"9"))
    gaps = np.diff(digits)
    joined = (gaps == 1) | ((gaps <= _WIDEST_GAP) & is_one_of(letters[digits[:-1] + 1], b" ().-"))
    breaks = np.flatnonzero(~joined) + 1
    first = np.concatenate([np.zeros(1, np.int64), breaks])[: len(digits)]
    last = np.concatenate([breaks, np.full(1, len(digits))])[: len(first)] - 1
    long = last - first >= _DIGITS - 1
    runs = zip(digits[first[long]].tolist(), digits[last[long]].tolist(), strict=True)
    found = [start for start, end in runs if _NUMBER.search(block.joined, start - 1, end + 1)]
    return np.array(found, np.int64)


def _is_email(found: re.Match[str]) -> bool:
    return not _RESERVED.search(found["domain"])


def _is_phone(found: re.Match[str]) -> bool:
    if _FICTIONAL_PHONE.search(found.group()):
        return False
    return found["bare"] is None or bool(_PHONE_WORD.search(_before(found)))


def _is_card(found: re.Match[str]) -> bool:
    digits = re.sub(r"\D", "", found.group())
    if digits in _TEST_CARDS or not _ISSUER.match(digits):
        return False
    doubled = [int(digit) * (1 + index % 2) for index, digit in enumerate(reversed(digits))]
    return sum(value - 9 * (value > 9) for value in doubled) % 10 == 0


def _is_iban(found: re.Match[str]) -> bool:
    plain = found.group().replace(" ", "")
    if not 15 <= len(plain) <= 34 or not any(letter.isdigit() for letter in plain[4:]):
        return False
    return int("".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])) % 97 == 1


def _is_public_address(found: re.Match[str]) -> bool:
    try:
        public = ipaddress.IPv4Address(found.group()).is_global
    except ValueError:
        return False
    # Without such a word, four numbers are as often a version or a section.
    before = _before(found)
    return public and bool(_IP_WORD.search(before)) and not _VERSION.search(before)


def _is_profile(found: re.Match[str]) -> bool:
    name = found.groupdict().get("name")
    return name is None or name.lower() not in _SITE_PAGES


def _before(found: re.Match[str]) -> str:
    return found.string[max(0, found.start() - _LETTERS_BEFORE) : found.start()]


_SEARCHES: tuple[tuple[str, re.Pattern[str], Callable[[re.Match[str]], bool]], ...] = (
    (EMAILS, _EMAIL, _is_email),
    (PHONES, _PHONE, _is_phone),
    (CARDS, _CARD, _is_card),
    (ACCOUNTS, _IBAN, _is_iban),
    (SOCIAL_SECURITY, _SSN, lambda _: True),
    (ADDRESSES, _IPV4, _is_public_address),
    (HANDLES, _HANDLE, lambda _: True),
    (PROFILES, _PROFILE, _is_profile),
)
