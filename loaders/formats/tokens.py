"""Token counts with o200k_base, the vocabulary in which all context sizes are stated.

The vocabulary ships in the wheel of ``bpe-openai``, so counting works without a network.
"""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_openai._bindings import PyTokenizer


TOKENIZER = "o200k_base"


@cache
def _tokenizer() -> "PyTokenizer":
    # Imported late, since it takes half a second to load all its vocabularies, which a process that
    # counts nothing need not wait for. The package's own class makes a list of the tokens only to
    # have its length taken, a third more work, and refuses texts of a million letters.
    from bpe_openai._bindings import tokenizer_for_encoding

    return tokenizer_for_encoding(TOKENIZER)


def count_tokens(text: str) -> int:
    """Return the number of o200k_base tokens of ``text``; special-token text counts as plain.

    Half a surrogate pair, which no encoding can hold, counts as the replacement character.
    """
    try:
        return int(_tokenizer().count(text))
    except UnicodeEncodeError:
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return int(_tokenizer().count(whole))
