import pytest

from personamem.dataset_builder.core.text.messages import read_texts
from personamem.dataset_builder.core.text.personal import (
    ACCOUNTS,
    ADDRESSES,
    CARDS,
    EMAILS,
    HANDLES,
    PERSONAL_KINDS,
    PHONES,
    PROFILES,
    SOCIAL_SECURITY,
    find_personal,
)


def kinds_of(text: str) -> list[str]:
    found = find_personal(read_texts("c", [{"role": "user", "content": text}]))
    assert set(found) == set(PERSONAL_KINDS)
    return [kind for kind, hits in found.items() if hits.count]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (EMAILS, "Write to jane.doe@gmail.com today."),
        (PHONES, "My phone is 212-736-5000."),
        (PHONES, "It is (212) 736-5000."),
        (PHONES, "It is +49 30 227 32152."),
        (CARDS, "It is 4539 1488 0343 6467, I think."),
        (CARDS, "It is 374245455400126."),
        (ACCOUNTS, "Pay to DE89 3704 0044 0532 0130 00 please."),
        (SOCIAL_SECURITY, "Mine is 219-09-9999."),
        (ADDRESSES, "The server is 93.184.216.34 now."),
        (HANDLES, "Follow me, @janedoe99 everywhere."),
        (PROFILES, "See https://www.instagram.com/jane.doe for more."),
        (PROFILES, "See linkedin.com/in/jane-doe for more."),
    ],
)
def test_personal_data_is_found(kind: str, text: str) -> None:
    assert kinds_of(text) == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "Write to jane@example.com, bob@mail.example.org or a@b.example.",
        "My phone is 212-555-0142, or +1 212 555 0142.",
        "In blocks of three, three and four digits, it is 216-209-9595.",
        "The test card is 4111 1111 1111 1111; 4539 1488 0343 6468 is mistyped.",
        "DE89 3704 0044 0532 0130 01 has a wrong check digit, FJ21 0812 no letters.",
        "900-12-3456 and 000-12-3456 are not assigned.",
        "The server is 192.168.0.1 or 203.0.113.7, version 8.1.2.3.",
        "The sum is 9792207458982, on 2048-01-18 at 10:20:30.",
        "```python\n@property\ndef name(self): ...\n```",
        "Read https://twitter.com/about and https://docs.example.org/x.",
    ],
)
def test_reserved_and_fictional_data_is_left_alone(text: str) -> None:
    assert kinds_of(text) == []
