"""Text that can be encoded: escapes in JSON and in literals can write what no text holds."""

from typing import Any


def refuse_surrogates(value: Any) -> None:
    """Raise ValueError if a text in ``value``, at any depth, holds half of a surrogate pair.

    No file, terminal, tokenizer or server takes such a text.
    """
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            code = ord(value[error.start])
            raise ValueError(f"a text holds \\u{code:04x}, half of a surrogate pair") from None
    elif isinstance(value, dict):
        for name, item in value.items():
            refuse_surrogates(name)
            refuse_surrogates(item)
    elif isinstance(value, list | tuple | set):
        for item in value:
            refuse_surrogates(item)
