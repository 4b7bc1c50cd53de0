"""Continuations in one row against continuations one by one."""

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from tiny_models import EXACT
from transformers import DynamicCache

from personamem.tasks.models import branches, reading
from personamem.tasks.models.branches import BranchError, Row, attend, can_branch, read_in_branches
from personamem.tasks.models.probe import check_branching
from personamem.tasks.models.reading import ContextReader

CPU = torch.device("cpu")
CONTEXT = np.random.default_rng(0).integers(3, 200, 90).astype(np.int32)
ROW = [CONTEXT[:7], CONTEXT[40:45], CONTEXT[3:4], CONTEXT[60:80]]


def make_reader(model: Any, branching: bool, chunk: int = 1024) -> ContextReader:
    return ContextReader(model, CPU, chunk, None, branching)


def read(reader: ContextReader, tokens: Any) -> torch.Tensor:
    return torch.cat([logits for _, logits in reader.read(tokens, 0)])


def hide(context: int, lengths: tuple[int, ...]) -> torch.Tensor:
    """Return which keys each token of a row sees, [tokens, context + tokens]."""
    own = torch.block_diag(*(torch.ones(length, length).tril() for length in lengths))
    return torch.cat([torch.ones(len(own), context), own], 1).bool()


@pytest.mark.parametrize("lengths", [(5,), (1, 9, 4), (300, 2)])
@pytest.mark.parametrize("context", [0, 1, 600])
@pytest.mark.parametrize("scaling", [None, 0.7])
def test_attention_in_two_parts_is_that_under_a_mask(
    make_weights: Callable[[str], Any],
    lengths: tuple[int, ...],
    context: int,
    scaling: float | None,
) -> None:
    torch.manual_seed(0)
    query = 3 * torch.randn(1, 6, sum(lengths), 8)
    key, value = torch.randn(2, 1, 2, context + sum(lengths), 8)
    expected = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, hide(context, lengths), scale=scaling, enable_gqa=True
    )
    cache = DynamicCache()
    cache.update(key[:, :, :context], value[:, :, :context], 0)
    module = torch.nn.Module()
    module.layer_idx = 0
    own = key[:, :, context:], value[:, :, context:]
    with read_in_branches(make_weights("full attention"), Row(lengths, cache)):
        found, _ = attend(module, query, *own, None, scaling=scaling)
    assert torch.allclose(found, expected.transpose(1, 2), atol=1e-5)
    if len(lengths) == 1:
        with read_in_branches(make_weights("full attention"), Row(lengths)):
            found, _ = attend(module, query, key, value, None, scaling=scaling)
        assert torch.allclose(found, expected.transpose(1, 2), atol=1e-5)


@pytest.mark.parametrize("chunk", [1024, 16])
def test_a_row_gets_the_logits_that_its_continuations_get_one_by_one(
    make_weights: Callable[[str], Any], chunk: int
) -> None:
    model = make_weights("full attention")
    stock, reader = make_reader(model, False), make_reader(model, True, chunk)
    assert torch.allclose(read(reader, CONTEXT), read(stock, CONTEXT), atol=1e-4)
    firsts = [2, 0, 0, 19]
    mark, before = stock.mark(), reader.cache.layers[1].keys
    for _ in range(2):
        found = reader.read_branches(ROW, firsts)
        for branch, first, logits in zip(ROW, firsts, found, strict=True):
            assert torch.allclose(logits, read(stock, branch)[first:], atol=1e-4)
            stock.restore(mark)
    assert reader.length == len(CONTEXT)
    assert reader.cache.layers[1].keys is before


def test_a_row_takes_one_pass_and_one_cache(make_weights: Callable[[str], Any]) -> None:
    reader = make_reader(make_weights("full attention"), True)
    read(reader, CONTEXT)
    assert reader.can_pack()
    reader.read_branches(ROW, [0] * len(ROW))
    assert reader.tokens_read == len(CONTEXT) + sum(map(len, ROW))


@pytest.mark.parametrize("kind", EXACT)
def test_only_full_attention_is_read_in_rows(make_weights: Callable[[str], Any], kind: str) -> None:
    model = make_weights(kind)
    before = model.config._attn_implementation
    assert try_branching(model) is (kind == "full attention")
    assert model.config._attn_implementation == before


def test_why_no_rows_are_read_is_logged(
    make_weights: Callable[[str], Any], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="personamem"):
        assert not try_branching(make_weights("sliding window"))
    assert "Gemma3ForCausalLM reads no continuations in one row: its attention" in caplog.text


def try_branching(model: Any) -> bool:
    readers = make_reader(model, False), make_reader(model, True)
    return can_branch(model, CPU) and check_branching(*readers, CONTEXT, torch.float32)


@pytest.mark.parametrize("wrong", ["positions go on", "all is seen", "nothing is joined"])
def test_a_model_that_reads_rows_otherwise_is_found_out(
    make_weights: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    model = make_weights("full attention")
    if wrong == "positions go on":
        monkeypatch.setattr(
            reading, "place", lambda lengths, at: torch.arange(at, at + sum(lengths))[None]
        )
    elif wrong == "all is seen":
        whole = branches._attend_own
        monkeypatch.setattr(
            branches, "_attend_own", lambda q, k, v, lengths, s: whole(q, k, v, [sum(lengths)], s)
        )
    else:
        monkeypatch.setattr(branches, "_attend_context", lambda q, k, v, s: (q, q[..., 0] - 1e9))
    assert not try_branching(model)


@pytest.mark.parametrize(
    "options",
    [
        {"attention_mask": torch.ones(1, 1, 4, 4)},
        {"softcap": 30.0},
        {"position_bias": torch.zeros(1, 2, 4, 4)},
        {"is_causal": False},
        {"dropout": 0.1},
    ],
)
def test_attention_that_is_more_than_causal_is_refused(
    make_weights: Callable[[str], Any], options: dict[str, Any]
) -> None:
    states = torch.randn(3, 1, 2, 4, 8)
    with (
        read_in_branches(make_weights("full attention"), Row((4,))),
        pytest.raises(BranchError, match="not plain"),
    ):
        attend(torch.nn.Module(), *states, **{"attention_mask": None, **options})


def test_a_model_that_fails_gets_its_attention_back(make_weights: Callable[[str], Any]) -> None:
    model = make_weights("full attention")
    reader = make_reader(model, True)
    with pytest.raises(IndexError):  # There are fewer tokens in the vocabulary.
        read(reader, CONTEXT + 10**6)
    assert model.config._attn_implementation == "sdpa"


def test_other_attention_than_the_stock_one_is_left_alone(
    make_weights: Callable[[str], Any],
) -> None:
    model = make_weights("full attention")
    assert can_branch(model, CPU)
    assert not can_branch(model, torch.device("meta"))
    model.set_attn_implementation("eager")
    try:
        assert not can_branch(model, CPU)
    finally:
        model.set_attn_implementation("sdpa")
