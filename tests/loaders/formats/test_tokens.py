"""Counting tokens: as the vocabulary says, for any text that Python can hold."""

import bpe_openai
import pytest

from personamem.loaders.formats.tokens import count_tokens


@pytest.mark.parametrize(
    "text",
    ["", "Hello, world.", "<|endoftext|>", "日本語 and  spaces\n\n", "  \t", "don't 12,345.67 €"],
)
def test_a_count_is_the_length_of_the_encoding(text: str) -> None:
    assert count_tokens(text) == len(bpe_openai.get_encoding("o200k_base").encode_ordinary(text))


def test_half_a_surrogate_pair_counts_as_the_replacement_character() -> None:
    assert count_tokens("a\ud800b") == count_tokens("a\ufffdb") > 0


def test_a_huge_text_is_counted() -> None:
    assert count_tokens("honey bee " * 200_000) == pytest.approx(400_000, rel=0.01)
