"""Messages as JSON: the very bytes of the standard library, whatever they hold."""

import json

import pytest

from personamem.dataset_builder.families.personamem.tables import encode_messages
from personamem.loaders.formats.schema import Message


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        'a "quote", a \\ and \\"both\\"',
        "two\nlines\n\nand \\n",
        "tab\t, return\r, bell\a, \x00 and \x1f",
        "\x7f é € 日本語 \u2028 🐝",
        "",
    ],
)
def test_messages_are_the_bytes_of_the_standard_library(text: str) -> None:
    messages: list[Message] = [
        {"role": "user", "content": text},
        {"role": 'odd "role"\n', "content": f"{text} twice {text}"},
    ]
    expected = json.dumps(messages, ensure_ascii=False).encode()
    assert encode_messages(messages) == expected
    assert (
        encode_messages(tuple(messages[:1]))
        == json.dumps(messages[:1], ensure_ascii=False).encode()
    )
