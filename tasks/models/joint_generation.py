"""Greedy replies to the prompts of a context, decoded together: those of all its places at once."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from personamem.tasks.models.decoding import GreedyReply, OpenPrompt, decode_together
from personamem.tasks.models.generations import Prompt, join_prompt, start_generating
from personamem.tasks.models.packed_reading import PackedReader
from personamem.tasks.models.prefixes import PrefixTree, Tokens
from personamem.tasks.models.reading import Mark, OutOfMemoryError
from personamem.tasks.models.spines import Branch, Spine, cut_into_spines

MOST_TOGETHER = 64
"""Most replies decoded at once: with more of them, a pass takes longer in proportion."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Question:
    """Requests with one prompt and one way to generate: the greedy reply is the same to all."""

    branch: Branch
    prompt: Prompt
    requests: tuple[int, ...]

    @property
    def most_tokens(self) -> int:
        """The most tokens that the question and its reply have beside the context."""
        return len(self.branch.tokens) + 1 + self.prompt.settings.max_tokens


class JointGenerator:
    """Generates the greedy replies to the prompts of a tree.

    Args:
        reader: the model.
        prompts: by request.
        generate: HFLM's ``_model_generate``.
        report: takes a request and the tokens of its reply, as soon as they are there.
        measure_free: returns the bytes of memory that are free.
    """

    def __init__(
        self,
        reader: PackedReader,
        prompts: Sequence[Prompt],
        generate: Callable[..., torch.Tensor],
        report: Callable[[int, list[int]], None],
        measure_free: Callable[[], int],
    ) -> None:
        """Keep what is needed."""
        self._reader = reader
        self._prompts = prompts
        self._generate = generate
        self._report = report
        self._measure_free = measure_free
        self._limit = MOST_TOGETHER

    def run(self, tree: PrefixTree) -> None:
        """Reply to all prompts; the tree has them without their last tokens.

        Raises:
            OutOfMemoryError: there is no memory to read a context, or for one reply.
        """
        context = np.empty(0, np.int32)
        for spine in cut_into_spines(tree, self._reader.chunk):
            self._reader.restore(Mark(spine.start, None))
            self._reader.reserve(spine.start + len(spine.tokens))
            for _ in self._reader.read(spine.tokens, None):
                pass
            context = np.concatenate([context[: spine.start], spine.tokens])
            self._reply_to_all(list(self._find_questions(spine)), context)

    def _find_questions(self, spine: Spine) -> Iterator[_Question]:
        for branch in spine.branches:
            left = list(branch.requests)
            while left:
                prompt = self._prompts[left[0]]
                same = [request for request in left if self._prompts[request] == prompt]
                yield _Question(branch, prompt, tuple(same))
                left = [request for request in left if request not in same]

    def _reply_to_all(self, pending: list[_Question], context: Tokens) -> None:
        while pending:
            batch = pending[: self._count_fitting(pending)]
            answered: set[int] = set()
            try:
                self._reply_together(batch, context, answered)
            except OutOfMemoryError:
                if len(batch) == 1:
                    raise
                self._limit = len(batch) // 2
                logger.warning("Out of memory: decoding %d replies at once from here.", self._limit)
            pending = [
                question for number, question in enumerate(pending) if number not in answered
            ]

    def _reply_together(
        self, questions: Sequence[_Question], context: Tokens, answered: set[int]
    ) -> None:
        """Reply to questions; ``answered`` takes the number of each, as soon as it is reported."""

        def report(number: int, tokens: list[int]) -> None:
            answered.add(number)
            for request in questions[number].requests:
                self._report(request, tokens)

        opened = [self._open(question, context) for question in questions]
        most = max(question.prompt.settings.max_tokens for question in questions)
        decode_together(self._reader, opened, most, report)

    def _open(self, question: _Question, context: Tokens) -> OpenPrompt:
        branch, prompt = question.branch, question.prompt
        path = np.concatenate([context[: branch.end], branch.tokens])
        opened: list[GreedyReply] = []

        def keep(
            _: Any,
            input_ids: torch.Tensor,
            *,
            logits_processor: Any,
            stopping_criteria: Any,
            **__: Any,
        ) -> torch.Tensor:
            opened.append(GreedyReply(input_ids, logits_processor, stopping_criteria))
            return input_ids

        # transformers prepares all that generating needs, and hands it to a function of ours.
        start_generating(
            self._generate,
            join_prompt(path, prompt, self._reader.device),
            prompt.settings,
            custom_generate=keep,
        )
        tokens = np.append(branch.tokens, np.int32(prompt.last))
        return OpenPrompt(branch.end, tokens, opened[0])

    def _count_fitting(self, questions: Sequence[_Question]) -> int:
        """Return how many of the first questions to decode at once, with memory left for others."""
        room = self._measure_free() // 2 // max(self._reader.measure_token(), 1)
        longest = np.maximum.accumulate([question.most_tokens for question in questions])
        fitting = int((longest * np.arange(1, len(questions) + 1) <= room).sum())
        return max(1, min(fitting, self._limit))
