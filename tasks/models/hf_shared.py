"""``hf-shared``: lm-eval's ``hf``, except that a context is read once for all its questions.

1. The prompts are tokenized as ``hf`` does it, and put into a tree of shared beginnings
   (`prefixes`); text that prompts share is tokenized once where that is provably the same
   (`tokens`).
2. The tree is walked depth first. Each node is read into the cache once (`reading`), and at a
   branch the cache is brought back to what it was (`caches`). What ends in a branch is read with
   its siblings: in one row beside the cache, if the model has nothing but full attention and runs
   on a processor (`packed_reading`), else ``batch_size`` of them at once, each with a copy of the
   cache.
3. On the way, continuations are scored (`likelihoods`) and replies generated (`generations`). Where
   tokens can be packed, greedy replies are decoded together instead, those to all questions of a
   context (`joint_generation`).

A prompt that does not fit the window is an error: nothing is cut off, unless ``truncation=True``
asks for it.
"""

import logging
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from lm_eval.api.instance import Instance
from lm_eval.api.registry import register_model
from lm_eval.models.huggingface import HFLM
from tqdm import tqdm

from personamem.loaders.formats.errors import InvalidInputError
from personamem.tasks.models.caches import can_repeat, measure_cache
from personamem.tasks.models.generations import (
    GenerationReader,
    Prompt,
    can_share,
    is_greedy,
    make_settings,
    read_reply,
)
from personamem.tasks.models.joint_generation import JointGenerator
from personamem.tasks.models.likelihoods import Answer, LikelihoodReader, Target
from personamem.tasks.models.packed_attention import can_pack
from personamem.tasks.models.packed_reading import PackedReader
from personamem.tasks.models.prefixes import PrefixTree, Tokens, walk
from personamem.tasks.models.probe import PROBE_TOKENS, check_continuing, check_packing
from personamem.tasks.models.reading import ContextReader, measure_free_memory
from personamem.tasks.models.requests import AnswerSheet, name_request
from personamem.tasks.models.tokens import PieceEncoder

PREFILL_CHUNK = 1024
"""Tokens read at once, unless told otherwise."""

logger = logging.getLogger(__name__)

Reader = TypeVar("Reader", bound=ContextReader)


@dataclass(frozen=True, slots=True)
class ReadingStats:
    """Tokens of all requests so far.

    Attributes:
        distinct: different tokens, counting every shared beginning once: the least there is.
        computed: tokens the model has read, padding included. Generating is left out, which begins
            with the last token of a prompt.
        naive: tokens of every different prompt, each read from its beginning.
    """

    distinct: int = 0
    computed: int = 0
    naive: int = 0

    def __add__(self, other: "ReadingStats") -> "ReadingStats":
        """Return the sums."""
        return ReadingStats(
            self.distinct + other.distinct,
            self.computed + other.computed,
            self.naive + other.naive,
        )


@register_model("hf-shared")
class SharedHFLM(HFLM):  # type: ignore[misc]
    """A causal language model of transformers that reads what prompts share once.

    Takes all arguments of ``hf``, and ``prefill_chunk``, the most tokens to read at once, be they
    of a context or of questions in one row.
    """

    def __init__(self, *args: Any, prefill_chunk: int | str = PREFILL_CHUNK, **kwargs: Any) -> None:
        """Load the model as ``hf`` does.

        Raises:
            InvalidInputError: ``prefill_chunk`` is no positive number, or the model has an encoder.
        """
        self.prefill_chunk = parse_chunk(prefill_chunk)
        self.stats = ReadingStats()
        self._exact = self._packing = False
        super().__init__(*args, **kwargs)
        self._scored = PieceEncoder(self.tokenizer, self.tok_encode, self._encode_bare)
        self._generated = PieceEncoder(self.tokenizer, self._encode_prompt, self._encode_bare)

    def _get_backend(self, *args: Any, **kwargs: Any) -> None:
        super()._get_backend(*args, **kwargs)
        if self.backend != "causal":
            raise InvalidInputError(
                "hf-shared reads contexts with decoder-only models, and "
                f"{self.config.model_type!r} has an encoder. Use --model hf."
            )

    def loglikelihood(
        self, requests: list[Instance], disable_tqdm: bool = False
    ) -> list[tuple[float, bool]]:
        """Return (log-likelihood, is greedy) of each request's continuation, as ``hf`` does.

        Raises:
            InvalidInputError: a request does not fit the model's window.
            OutOfMemoryError, CacheError: see `reading` and `caches`.
        """
        if self.enable_thinking:
            return super().loglikelihood(requests)  # type: ignore[no-any-return]  # Its error.
        tree, targets = PrefixTree(), []
        for number, request in enumerate(requests):
            context, continuation = self._encode_request(request)
            whole = self._fit(np.concatenate([context, continuation]), 1, request)
            tree.insert(whole[:-1], number)
            targets.append(Target(len(whole) - len(continuation) - 1, continuation))
        answers = AnswerSheet[Answer](requests)
        bar = self._make_bar(len(requests), "Running loglikelihood requests", disable_tqdm)

        def report(number: int, answer: Answer) -> None:
            answers.enter(number, answer)
            self.cache_hook.add_partial("loglikelihood", requests[number].args, answer)
            bar.update(1)

        self._check_continuing(tree)
        context_reader = self._make_reader()
        reader = LikelihoodReader(
            context_reader,
            tree,
            targets,
            lambda: self._choose_batch(context_reader),
            self.softmax_dtype,
            report,
        )
        walk(tree, reader)
        bar.close()
        self._count(tree, context_reader)
        return answers.collect()

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        """Return the reply to each request's prompt, as ``hf`` does.

        Requests whose options do more than choose one token after the other (beams, several
        replies, another kind of cache) are left to ``hf``.

        Raises:
            InvalidInputError: a prompt and its reply do not fit the model's window.
            OutOfMemoryError, CacheError: see `reading` and `caches`.
        """
        settings = [make_settings(self, request.args[1]) for request in requests]
        if not all(can_share(self.model, each.options) for each in settings):
            logger.warning("These generation options share no prefixes; running them as hf does.")
            return super().generate_until(requests, disable_tqdm)  # type: ignore[no-any-return]
        tree, prompts = PrefixTree(), []
        for number, request in enumerate(requests):
            tokens = self._generated.encode(request.args[0])
            tokens = self._fit(tokens, -settings[number].max_tokens, request)
            tree.insert(tokens[:-1], number)
            prompts.append(Prompt(int(tokens[-1]), settings[number]))
        replies = AnswerSheet[str](requests)
        bar = self._make_bar(len(requests), "Running generate_until requests", disable_tqdm)

        def report(number: int, tokens: list[int]) -> None:
            reply = read_reply(self, tokens, settings[number].until)
            replies.enter(number, reply)
            self.cache_hook.add_partial("generate_until", requests[number].args, reply)
            bar.update(1)

        self._check_continuing(tree)
        reader = self._make_reader()
        if isinstance(reader, PackedReader) and all(
            is_greedy(self.model, each.options) for each in settings
        ):
            joint = JointGenerator(
                reader,
                prompts,
                self._model_generate,
                report,
                lambda: measure_free_memory(self.device),
            )
            joint.run(tree)
        else:
            walk(tree, GenerationReader(reader, prompts, self._model_generate, report))
        bar.close()
        self._count(tree, reader)
        return replies.collect()

    def _encode_request(self, request: Instance) -> tuple[Tokens, Tokens]:
        """Return the tokens of context and continuation, parted as lm-eval parts them."""
        context, continuation = request.args
        if context == "":
            tokens = np.array(self._encode_bare(continuation), np.int32)
            if len(tokens) and tokens[0] == self.prefix_token_id:
                return tokens[:1], tokens[1:]
            return np.array([self.prefix_token_id], np.int32), tokens
        blanks = len(context) - len(context.rstrip())
        if blanks:
            context, continuation = context[:-blanks], context[-blanks:] + continuation
        before = self._scored.encode(context)
        return before, self._scored.encode(context + continuation)[len(before) :]

    def _encode_bare(self, text: str) -> list[int]:
        return list(self.tok_encode(text, add_special_tokens=False))

    def _encode_prompt(self, text: str) -> list[int]:
        # hf encodes prompts to continue by another function than prompts to score.
        tokens, _ = self.tok_batch_encode([text], truncation=self.truncation)
        return list(tokens[0].tolist())

    def _fit(self, tokens: Tokens, spare: int, request: Instance) -> Tokens:
        """Return the tokens, which must be no more than the window and ``spare``."""
        room = self.max_length + spare
        if 0 < len(tokens) <= room:
            return tokens
        name = name_request(request)
        if len(tokens) == 0:
            raise InvalidInputError(f"{name}: the prompt has no tokens.")
        if self.truncation and room > 0:
            return tokens[-room:]
        reply = f" and a reply of up to {-spare:,}" if spare < 0 else ""
        raise InvalidInputError(
            f"{name}: the prompt has {len(tokens) - max(spare, 0):,} tokens{reply}, the model's "
            f"window {self.max_length:,}. It would be cut off. Choose shorter prompts or a model "
            "with a larger window; if the model takes more than it says, set max_length."
        )

    def _make_reader(self) -> ContextReader:
        return self._make(PackedReader if self._packing else ContextReader)

    def _make(self, kind: type[Reader]) -> Reader:
        return kind(self.model, self.device, self.prefill_chunk, self.mixed_precision_dtype)

    def _check_continuing(self, tree: PrefixTree) -> None:
        """Refuse a model that would give other answers than ``hf``, once it has a prompt to try.

        Find out, too, whether it runs on packed tokens.
        """
        first = next(iter(tree.root.children.values()), None)
        if self._exact or first is None:
            return
        types = {parameter.dtype for parameter in self.model.parameters()}
        types |= {self.model.dtype, self.mixed_precision_dtype or self.model.dtype}
        floating = [each for each in types if each.is_floating_point and each.itemsize > 1]
        coarsest = max(floating, key=lambda each: torch.finfo(each).eps)
        leaf = first
        while leaf.children and leaf.end < PROBE_TOKENS:
            leaf = next(iter(leaf.children.values()))
        check_continuing(self._make(ContextReader), leaf.path(), coarsest)
        self._packing = can_pack(self.model, self.device) and check_packing(
            self._make(ContextReader), self._make(PackedReader), leaf.path(), coarsest
        )
        self._exact = True

    def _choose_batch(self, reader: ContextReader) -> int:
        """Return how many continuations to read at once where each takes a copy of the cache."""
        if reader.cache is None or not can_repeat(reader.cache):
            return 1
        if self.batch_size != "auto":
            return max(int(self.batch_size), 1)
        # Repeated and then extended, a cache is there twice for a moment.
        fitting = measure_free_memory(self.device) // (2 * measure_cache(reader.cache) + 1)
        return max(1, min(int(self.max_batch_size), fitting))

    def _make_bar(self, total: int, what: str, disable: bool) -> Any:
        return tqdm(total=total, desc=what, disable=disable or self.rank != 0)

    def _count(self, tree: PrefixTree, reader: ContextReader) -> None:
        stats = ReadingStats(tree.count_distinct_tokens(), reader.tokens_read, tree.naive_tokens)
        self.stats += stats
        logger.info(
            "Read %s tokens; %s distinct ones in the prompts, %s if each was read from its start.",
            *(f"{number:,}" for number in (stats.computed, stats.distinct, stats.naive)),
        )


def parse_chunk(value: int | str) -> int:
    """Return the tokens to read at once; anything but a positive number is an InvalidInputError."""
    if not str(value).isdecimal() or int(value) < 1:
        raise InvalidInputError(f"prefill_chunk is {value!r}. Accepted: a number of tokens from 1.")
    return int(value)
