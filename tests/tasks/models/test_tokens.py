"""Tokens of pieces, joined, against tokens of the whole text."""

from typing import Any

import pytest
from tokenizers import AddedToken

from personamem.tasks.models import tokens
from personamem.tasks.models.tokens import PieceEncoder, find_boundary, split_at


def make_encoder(tokenizer: Any, calls: list[str] | None = None) -> PieceEncoder:
    def encode(text: str) -> list[int]:
        if calls is not None:
            calls.append(text)
        return list(tokenizer.encode(text, add_special_tokens=False))

    return PieceEncoder(tokenizer, encode, encode)


TEXTS = [
    "",
    "the cat",
    "<|im_start|>",
    "<|im_start|><|im_start|>user\n the cat <|im_end|>\n",
    " seven <|im_end|> old<|im_start|dogs <|im_sta<|im_start|>  \n\n",
    "<bos><bos>dogs<pad> ran",
]


@pytest.mark.parametrize("text", TEXTS)
def test_pieces_have_the_tokens_of_the_text(tokenizer: Any, text: str) -> None:
    boundary = find_boundary(tokenizer)
    assert boundary is not None
    assert "".join(split_at(boundary, text)) == text
    encoder = make_encoder(tokenizer)
    encoder._unchecked = 0
    assert encoder.encode(text).tolist() == tokenizer.encode(text, add_special_tokens=False)


def test_a_piece_is_tokenized_once(tokenizer: Any) -> None:
    calls: list[str] = []
    encoder = make_encoder(tokenizer, calls)
    encoder._unchecked = 0
    context = "<|im_start|>user\n" + "the cat sat " * 50
    for question in ("tea", "rain", "hills"):
        encoder.encode(f"{context}<|im_end|>{question}")
    assert sum("cat" in call for call in calls) == 1


def test_a_tokenizer_that_does_not_keep_to_it_is_found_out(tokenizer: Any) -> None:
    encoder = PieceEncoder(tokenizer, lambda text: [len(text)], lambda text: [7])
    assert encoder.encode("a<|im_end|>b").tolist() == [12]
    encoder._unchecked = 0
    assert encoder.encode("ab<|im_end|>b").tolist() == [13]


@pytest.mark.parametrize("option", ["lstrip", "rstrip", "single_word"])
def test_tokens_that_look_at_their_neighbours_are_no_boundary(tokenizer: Any, option: str) -> None:
    import copy

    other = copy.deepcopy(tokenizer)
    other.add_special_tokens(
        {"additional_special_tokens": [AddedToken("<mask>", normalized=False, **{option: True})]}
    )
    assert find_boundary(other) is None
    assert make_encoder(other).encode("the<mask> cat").tolist() == other.encode(
        "the<mask> cat", add_special_tokens=False
    )


def test_what_is_remembered_is_bounded(tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "REMEMBERED_CHARACTERS", 40)
    calls: list[str] = []
    encoder = make_encoder(tokenizer, calls)
    for text in ("the cat sat on a mat", "seven old dogs ran over", "the cat sat on a mat"):
        encoder.encode(text)
    assert len(calls) == 3
    assert encoder._characters <= 40
