"""Log-likelihoods of continuations, scored while a tree of their tokens is read.

A request's continuation is the end of its sequence, its last token left out: nothing is read after
that. Each token of a continuation is scored by the logits after the token before, which may lie in
a node that other requests share; four one-token answers to a question are scored by one pass.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
import torch.nn.functional as functional

from personamem.tasks.models.prefixes import Node, PrefixTree, Tokens
from personamem.tasks.models.reading import ContextReader, Mark, OutOfMemoryError

Answer = tuple[float, bool]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Target:
    """A continuation, and the position of the token whose logits score its first token."""

    first: int
    tokens: Tokens


@dataclass(slots=True)
class _Score:
    likelihoods: list[torch.Tensor]
    greedy: bool = True


class LikelihoodReader:
    """Scores the requests of a tree as a walk reads it.

    Args:
        context: the model.
        tree: the sequences of all requests.
        targets: what is to be scored, by request.
        batch: the most leaves to read at once where each takes a copy of the cache.
        softmax_dtype: as in lm-eval's HFLM.
        report: takes a request and its answer, as soon as it is there.
    """

    def __init__(
        self,
        context: ContextReader,
        tree: PrefixTree,
        targets: Sequence[Target],
        batch: Callable[[], int],
        softmax_dtype: torch.dtype | None,
        report: Callable[[int, Answer], None],
    ) -> None:
        """Find out which requests every node scores."""
        self._context = context
        self._targets = targets
        self._batch = batch
        self._softmax_dtype = softmax_dtype
        self._report = report
        self._scores = defaultdict[int, _Score](lambda: _Score([]))
        self._scored_in = defaultdict[int, list[int]](list)
        for leaf in tree.nodes():
            for request in leaf.requests:
                node: Node | None = leaf
                while node is not None and node.end > targets[request].first:
                    self._scored_in[id(node)].append(request)
                    node = node.parent

    def mark(self) -> Mark:
        """Return the state, to go back to."""
        return self._context.mark()

    def restore(self, mark: Mark) -> None:
        """Go back to a state that ``mark`` returned."""
        self._context.restore(mark)

    def enter(self, node: Node) -> None:
        """Read a node, score what it holds of continuations, answer the requests it ends."""
        for start, logits in self._context.read(node.tokens, self._find_first(node)):
            self._score(node, node.start + start, logits)
        self._answer(node)

    def finish(self, leaves: Sequence[Node], mark: Mark) -> None:
        """Answer sibling leaves, as many at once as the memory allows."""
        pending = sorted(leaves, key=lambda leaf: len(leaf.tokens))
        self._context.restore(mark)
        limit = len(pending) if self._context.can_pack() else self._batch()
        while pending:
            self._context.restore(mark)
            batch = self._cut(pending[:limit])
            if not self._read_together(batch):
                if len(batch) > 1:
                    limit = len(batch) // 2
                    logger.warning("Out of memory: reading %d questions at once from here.", limit)
                    continue
                self.enter(batch[0])
            pending = pending[len(batch) :]

    def _cut(self, leaves: Sequence[Node]) -> Sequence[Node]:
        """Return the first leaves that are one chunk together, where they are read as one row."""
        if not self._context.can_pack():
            return leaves
        ends = accumulate(len(leaf.tokens) for leaf in leaves)
        return leaves[: max(sum(end <= self._context.chunk for end in ends), 1)]

    def _read_together(self, leaves: Sequence[Node]) -> bool:
        """Answer leaves in one pass; return whether they are for it, and there is the memory."""
        row = self._context.can_pack() and len(leaves[0].tokens) <= self._context.chunk
        if len(leaves) == 1 and not row:
            return False
        firsts = [self._find_first(leaf) or 0 for leaf in leaves]
        try:
            parts = self._context.read_branches([leaf.tokens for leaf in leaves], firsts)
        except OutOfMemoryError:
            return False
        for leaf, first, logits in zip(leaves, firsts, parts, strict=True):
            self._score(leaf, leaf.start + first, logits)
            self._answer(leaf)
        return True

    def _find_first(self, node: Node) -> int | None:
        """Return the first token of a node after which logits are wanted."""
        firsts = [self._targets[request].first for request in self._scored_in[id(node)]]
        return max(min(firsts) - node.start, 0) if firsts else None

    def _score(self, node: Node, start: int, logits: torch.Tensor) -> None:
        """Score the tokens that follow the positions from ``start`` on; ``logits`` are theirs."""
        likelihoods = functional.log_softmax(logits, dim=-1, dtype=self._softmax_dtype)
        best = likelihoods.argmax(dim=-1)
        end = start + len(logits)
        for request in self._scored_in[id(node)]:
            target = self._targets[request]
            begin, stop = max(target.first, start), min(target.first + len(target.tokens), end)
            if begin >= stop:
                continue
            tokens = torch.from_numpy(target.tokens[begin - target.first : stop - target.first])
            tokens = tokens.to(logits.device, torch.long)
            rows = likelihoods[begin - start : stop - start]
            score = self._scores[request]
            score.likelihoods.append(rows.gather(-1, tokens[:, None])[:, 0])
            score.greedy &= bool((best[begin - start : stop - start] == tokens).all())

    def _answer(self, node: Node) -> None:
        for request in node.requests:
            score = self._scores.pop(request)
            self._report(request, (float(torch.cat(score.likelihoods).sum()), score.greedy))
