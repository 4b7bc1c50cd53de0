"""Personal data of real people: what could reach or identify somebody outside the benchmark."""

import ipaddress
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from personamem.dataset_builder.audit.text.figures import (
    KEPT_PLACES,
    Hits,
    Place,
    cut_excerpt,
)
from personamem.dataset_builder.audit.text.words import ContextWords

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

_LONG_NUMBER = re.compile(r"[0-9][0-9 ().-]{5,}[0-9]")
_CODE = re.compile(r"[A-Z]{2}[0-9]{2}[ 0-9A-Z]")
_SIGNS = ("@", ".com/", ".net/", "t.me/")


def find_personal(context_id: str, words: ContextWords) -> Mapping[str, Hits]:
    """Return personal data of each kind in the messages of a context, code and tables included."""
    places: dict[str, list[Place]] = {kind: [] for kind in PERSONAL_KINDS}
    counts = dict.fromkeys(PERSONAL_KINDS, 0)
    for message in _pick_messages(words.texts):
        text = words.texts[message]
        for kind, pattern, accept in _SEARCHES:
            for found in filter(accept, pattern.finditer(text)):
                counts[kind] += 1
                if counts[kind] <= KEPT_PLACES:
                    excerpt = cut_excerpt(text, found.start())
                    places[kind].append(Place(context_id, message, excerpt))
    return {kind: Hits(counts[kind], tuple(places[kind])) for kind in PERSONAL_KINDS}


def _pick_messages(texts: Sequence[str]) -> list[int]:
    """Return the messages that could hold personal data: with long numbers, @, codes or links."""
    joined = "\n".join(texts)
    ends = list(accumulate(len(text) + 1 for text in texts))
    starts = [
        found.start()
        for found in _LONG_NUMBER.finditer(joined)
        if sum(map(str.isdigit, found.group())) > 8 or found.group().count(".") > 2
    ]
    starts.extend(found.start() for found in _CODE.finditer(joined))
    picked = {bisect_right(ends, start) for start in starts}
    picked.update(i for i, text in enumerate(texts) if any(sign in text for sign in _SIGNS))
    return sorted(picked)


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
