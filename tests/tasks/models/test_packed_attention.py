"""Packed tokens against continuations read one by one."""

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from tiny_models import EXACT

from personamem.tasks.models import packing
from personamem.tasks.models.packed_attention import PackingError, attend, can_pack, pack
from personamem.tasks.models.packed_cache import ContextCache, ContinuationCache
from personamem.tasks.models.packed_reading import PackedReader
from personamem.tasks.models.packing import ContextChunk, Continuations, NextTokens
from personamem.tasks.models.probe import check_packing
from personamem.tasks.models.reading import ContextReader, Mark

pytestmark = pytest.mark.system

CPU = torch.device("cpu")
CONTEXT = np.random.default_rng(0).integers(3, 200, 90).astype(np.int32)
ROW = [CONTEXT[:7], CONTEXT[40:45], CONTEXT[3:4], CONTEXT[60:80]]
PLACES = [0, 30, 30, 90]


def make_readers(model: Any, chunk: int = 1024) -> tuple[ContextReader, PackedReader]:
    return ContextReader(model, CPU, 1024, None), PackedReader(model, CPU, chunk, None)


def read(reader: ContextReader, tokens: Any) -> torch.Tensor:
    parts = [logits for _, logits in reader.read(tokens, 0)]
    return torch.cat(parts) if parts else torch.empty(0)


def read_alone(reader: ContextReader, place: int, tokens: Any) -> torch.Tensor:
    """Return the logits of tokens after the first ones of the context, read by themselves."""
    reader.restore(Mark(0, None))
    read(reader, CONTEXT[:place])
    return read(reader, tokens)


def see(ends: tuple[int, ...], lengths: tuple[int, ...], context: int) -> torch.Tensor:
    """Return which keys each token of a row sees, [tokens, context + tokens]."""
    own = torch.block_diag(*(torch.ones(length, length).tril() for length in lengths))
    rows = [
        (torch.arange(context) < end).repeat(length, 1)
        for end, length in zip(ends, lengths, strict=True)
    ]
    return torch.cat([torch.cat(rows), own.bool()], 1)


def fill(context: int, states: torch.Tensor) -> ContextCache:
    cache = ContextCache()
    if context:
        cache.write(0, states[0][:, :, :context], states[1][:, :, :context])
        cache.length = context
    return cache


@pytest.mark.parametrize("lengths", [(5,), (1, 9, 4), (300, 2, 3)])
@pytest.mark.parametrize("context", [0, 1, 600])
@pytest.mark.parametrize("scale", [None, 0.7])
def test_attention_in_two_parts_is_that_under_a_mask(
    lengths: tuple[int, ...], context: int, scale: float | None
) -> None:
    torch.manual_seed(0)
    query = 3 * torch.randn(1, 6, sum(lengths), 8)
    states = torch.randn(2, 1, 2, context + sum(lengths), 8)
    ends = (0, context // 2, context)[-len(lengths) :]

    def attend_under_mask(seen: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(
            query, *states, seen, scale=scale, enable_gqa=True
        )

    own = states[:, :, :, context:]
    cache = fill(context, states)
    found = Continuations(cache, ends, lengths).attend(0, query, *own, scale)
    assert torch.allclose(found, attend_under_mask(see(ends, lengths, context)), atol=1e-5)
    if len(lengths) == 1:
        found = ContextChunk(cache, *lengths).attend(0, query, *own, scale)
        assert torch.allclose(found, attend_under_mask(see(ends, lengths, context)), atol=1e-5)
        assert torch.equal(cache.get(0, context + lengths[0])[1], states[1])


@pytest.mark.parametrize("ends", [(0, 0, 0), (0, 3, 7), (7, 7, 7), (1, 2, 2)])
def test_the_next_token_of_each_sees_its_own_continuation(ends: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    lengths = (4, 1, 6)
    context = torch.randn(2, 1, 2, 7, 8)
    written = torch.randn(2, 1, 2, sum(lengths), 8)
    query, new = 3 * torch.randn(1, 6, 3, 8), torch.randn(2, 1, 2, 3, 8)
    rows = ContinuationCache(ends, lengths, most=1)
    rows.fill(0, 0, (written[0][:, :, :5], written[1][:, :, :5]), lengths[:2])
    rows.fill(0, 2, (written[0][:, :, 5:], written[1][:, :, 5:]), lengths[2:])
    found = NextTokens(fill(7, context), rows).attend(0, query, *new, None)
    own = written.split(lengths, 3)
    for row, end in enumerate(ends):
        states = torch.cat([context[:, :, :, :end], own[row], new[:, :, :, row : row + 1]], 3)
        expected = torch.nn.functional.scaled_dot_product_attention(
            query[:, :, row : row + 1], *states, enable_gqa=True
        )
        assert torch.allclose(found[:, :, row : row + 1], expected, atol=1e-5)


@pytest.mark.parametrize("chunk", [1024, 16])
def test_a_row_gets_the_logits_that_its_continuations_get_one_by_one(
    make_weights: Callable[[str], Any], chunk: int
) -> None:
    stock, packed = make_readers(make_weights("full attention"), chunk)
    assert torch.allclose(read(packed, CONTEXT), read(stock, CONTEXT), atol=1e-4)
    firsts = [2, 0, 0, 19]
    for _ in range(2):
        found = packed.read_branches(ROW, firsts)
        for branch, first, logits in zip(ROW, firsts, found, strict=True):
            assert torch.allclose(logits, read_alone(stock, 90, branch)[first:], atol=1e-4)
    assert packed.length == len(CONTEXT)


@pytest.mark.parametrize("chunk", [1024, 16])
def test_continuations_of_all_places_are_decoded_together(
    make_weights: Callable[[str], Any], chunk: int
) -> None:
    stock, packed = make_readers(make_weights("full attention"), chunk)
    read(packed, CONTEXT)
    logits, kept = packed.read_prompts(ROW, PLACES, most=100)
    rows, written = [0, 1, 2, 3], [list(each) for each in ROW]
    for step in range(70):
        for row, number in enumerate(rows):
            expected = read_alone(stock, PLACES[number], np.array(written[number]))[-1]
            assert torch.allclose(logits[row], expected, atol=1e-4)
            written[number].append(int(logits[row].argmax()))
        if step == 3:
            kept.keep(np.array([1, 3]))
            rows = [1, 3]
        logits = packed.read_next(np.array([written[number][-1] for number in rows]), kept)
        kept.advance(np.ones(len(rows), bool))
    assert packed.length == len(CONTEXT)


def test_a_row_that_has_ended_does_not_grow(make_weights: Callable[[str], Any]) -> None:
    stock, packed = make_readers(make_weights("full attention"))
    read(packed, CONTEXT)
    logits, kept = packed.read_prompts(ROW, PLACES, most=3)
    for _ in range(3):
        packed.read_next(np.full(4, 9), kept)
        kept.advance(np.array([True, False, True, True]))
    logits = packed.read_next(np.array([9, 5, 9, 9]), kept)
    expected = read_alone(stock, PLACES[1], np.append(ROW[1], 5))[-1]
    assert torch.allclose(logits[1], expected, atol=1e-4)
    assert kept.lengths.tolist() == [10, 5, 4, 23]


def test_a_row_takes_one_pass_and_one_cache(make_weights: Callable[[str], Any]) -> None:
    _, reader = make_readers(make_weights("full attention"))
    read(reader, CONTEXT)
    assert reader.can_pack()
    reader.read_branches(ROW, [0] * len(ROW))
    assert reader.tokens_read == len(CONTEXT) + sum(map(len, ROW))


def test_a_context_is_read_again_from_any_place(make_weights: Callable[[str], Any]) -> None:
    stock, packed = make_readers(make_weights("full attention"), chunk=16)
    packed.reserve(40)
    for place in (90, 20, 0, 55):
        packed.restore(Mark(min(place, packed.length), None))
        read(packed, CONTEXT[packed.length : place])
        expected = read_alone(stock, place, ROW[0])
        assert torch.allclose(read(packed, ROW[0]), expected, atol=1e-4)
        packed.restore(Mark(place, None))


def test_what_was_read_is_handed_on_as_a_stock_cache(make_weights: Callable[[str], Any]) -> None:
    stock, packed = make_readers(make_weights("full attention"), chunk=16)
    assert packed.export_cache() is None
    read(packed, CONTEXT)
    read(stock, CONTEXT)
    found, expected = packed.export_cache(), stock.export_cache()
    assert found.get_seq_length() == len(CONTEXT)
    for ours, theirs in zip(found.layers, expected.layers, strict=True):
        assert torch.allclose(ours.keys, theirs.keys, atol=1e-4)
        assert torch.allclose(ours.values, theirs.values, atol=1e-4)


@pytest.mark.parametrize("kind", EXACT)
def test_only_full_attention_is_run_on_packed_tokens(
    make_weights: Callable[[str], Any], kind: str
) -> None:
    model = make_weights(kind)
    before = model.config._attn_implementation
    assert try_packing(model) is (kind == "full attention")
    assert model.config._attn_implementation == before


def test_why_tokens_are_not_packed_is_logged(
    make_weights: Callable[[str], Any], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="personamem"):
        assert not try_packing(make_weights("sliding window"))
    assert "Gemma3ForCausalLM is not run on packed tokens: its cache has a" in caplog.text


def try_packing(model: Any) -> bool:
    return can_pack(model, CPU) and check_packing(*make_readers(model), CONTEXT, torch.float32)


@pytest.mark.parametrize(
    "wrong", ["positions go on", "all is seen", "nothing is joined", "tokens are not kept"]
)
def test_a_model_that_runs_otherwise_is_found_out(
    make_weights: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    model = make_weights("full attention")
    if wrong == "positions go on":

        def go_on(self: Any, context: Any, ends: Any, lengths: Any, *more: Any) -> None:
            make(self, context, ends, lengths, *more)
            self.positions = torch.arange(ends[0], ends[0] + sum(lengths))

        make = Continuations.__init__
        monkeypatch.setattr(Continuations, "__init__", go_on)
    elif wrong == "all is seen":
        monkeypatch.setattr(
            Continuations,
            "_attend_own",
            lambda self, q, k, v, scale: packing.run_cpu_attention(q, k, v, causal=True),
        )
    elif wrong == "nothing is joined":
        monkeypatch.setattr(packing, "join", lambda first, second: first[0])
    else:
        monkeypatch.setattr(
            ContinuationCache,
            "fill",
            lambda self, layer, first, row, lengths: self._layers.setdefault(
                layer, tuple(each.new_zeros(3, 2, 40, 8) for each in row)
            ),
        )
    assert not try_packing(model)


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
        pack(make_weights("full attention"), ContextChunk(ContextCache(), 4)),
        pytest.raises(PackingError, match="not plain"),
    ):
        attend(torch.nn.Module(), *states, **{"attention_mask": None, **options})


def test_a_model_that_fails_gets_its_attention_back(make_weights: Callable[[str], Any]) -> None:
    model = make_weights("full attention")
    _, reader = make_readers(model)
    with pytest.raises(IndexError):  # There are fewer tokens in the vocabulary.
        read(reader, CONTEXT + 10**6)
    assert model.config._attn_implementation == "sdpa"


def test_other_attention_than_the_stock_one_is_left_alone(
    make_weights: Callable[[str], Any],
) -> None:
    model = make_weights("full attention")
    assert can_pack(model, CPU)
    assert not can_pack(model, torch.device("meta"))
    model.set_attn_implementation("eager")
    try:
        assert not can_pack(model, CPU)
    finally:
        model.set_attn_implementation("sdpa")
