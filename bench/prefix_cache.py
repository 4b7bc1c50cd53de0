"""A simulation of vLLM's automatic prefix cache, on runs of blocks instead of blocks.

The rules are those of vLLM's `v1/core/kv_cache_manager.py` and `block_pool.py`, for full attention
and one request at a time:

* A prompt takes ceil(tokens / 16) blocks while it runs. A block is found again only when it is full
  and all blocks before it are found too, as each block's hash includes the hash before it.
* At least the last token is computed anew. A prompt here ends in tokens of its own, which no other
  prompt has, so that rule never costs more than the prompt's own blocks do.
* Free blocks stand in one queue, and new ones are taken from its front, whatever they hold. A
  finished prompt's full blocks go to the back, last block first; its half-filled one to the front.

So of any two neighbouring blocks of a context the later one is evicted first. What is left of a
context is always its beginning, and lies in the queue as a few runs of descending block numbers.
The tokens of the model's reply are left out.
"""

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

BLOCK_TOKENS = 16
"""vLLM's default block size."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request: the first ``prefix_tokens`` of a context, then the question's own tokens.

    Two prompts share the smaller of their prefixes when their context is the same, else nothing.
    """

    context: str
    prefix_tokens: int
    own_tokens: int

    def __post_init__(self) -> None:
        """Refuse a prompt that does not end in tokens of its own."""
        if self.prefix_tokens < 0 or self.own_tokens < 1:
            raise ValueError(f"A prompt has 0 or more prefix and 1 or more own tokens, not {self}.")

    @property
    def tokens(self) -> int:
        """The length of the whole prompt."""
        return self.prefix_tokens + self.own_tokens

    @property
    def blocks(self) -> int:
        """The blocks that the prompt takes while it runs."""
        return -(-self.tokens // BLOCK_TOKENS)


def count_prefill(prompts: Iterable[Prompt], budget_tokens: int) -> int:
    """Return the tokens computed when ``prompts`` run in this order, from an empty cache.

    Raises:
        ValueError: a prompt needs more than the budget, so that vLLM would not run it.
    """
    pool = _FreeBlocks(budget_tokens // BLOCK_TOKENS)
    return sum(_run(prompt, pool) for prompt in prompts)


def count_floor(prompts: Sequence[Prompt]) -> int:
    """Return the least tokens that must be computed: every distinct prefix token once, own tokens.

    A context's distinct prefix tokens are as many as its longest prefix has.
    """
    return sum(_longest_prefixes(prompts).values()) + sum(prompt.own_tokens for prompt in prompts)


def count_block_floor(prompts: Sequence[Prompt]) -> int:
    """Return what an unlimited cache of blocks computes, in whatever order.

    Each prompt but a context's longest also computes the tokens of its prefix that do not fill a
    block: in ascending order for its successor, in descending order for itself.
    """
    remainders = sum(prompt.prefix_tokens % BLOCK_TOKENS for prompt in prompts)
    last = sum(longest % BLOCK_TOKENS for longest in _longest_prefixes(prompts).values())
    return count_floor(prompts) + remainders - last


def order_by_context(prompts: Sequence[Prompt]) -> list[Prompt]:
    """Return our order: context by context as they first occur, the shortest prefix first."""
    position = {context: i for i, context in enumerate(dict.fromkeys(p.context for p in prompts))}
    return sorted(prompts, key=lambda prompt: (position[prompt.context], prompt.prefix_tokens))


def order_longest_first(
    prompts: Sequence[Prompt], text_of: Callable[[int], str] = lambda index: ""
) -> list[Prompt]:
    """Return lm-eval's order (`generate_until` of its models hf and vllm): the longest first.

    Prompts of one length stand in the order of their texts, and equal texts as they came.
    ``text_of`` gives the text of the prompt at an index, and is asked for such prompts only.
    """
    frequency = Counter(prompt.tokens for prompt in prompts)

    def find_place(index: int) -> tuple[int, str]:
        tokens = prompts[index].tokens
        return -tokens, text_of(index) if frequency[tokens] > 1 else ""

    return [prompts[index] for index in sorted(range(len(prompts)), key=find_place)]


def _longest_prefixes(prompts: Iterable[Prompt]) -> dict[str, int]:
    longest: dict[str, int] = {}
    for prompt in prompts:
        longest[prompt.context] = max(longest.get(prompt.context, 0), prompt.prefix_tokens)
    return longest


def _run(prompt: Prompt, pool: "_FreeBlocks") -> int:
    shared = prompt.prefix_tokens // BLOCK_TOKENS
    hits = min(pool.count_cached(prompt.context), shared)
    pool.touch(prompt.context, hits)
    pool.allocate(prompt.blocks - hits)
    full = prompt.tokens // BLOCK_TOKENS
    pool.release_to_back(None, full - shared)
    pool.release_to_back(prompt.context, shared)
    pool.release_to_front(prompt.blocks - full)
    return prompt.tokens - hits * BLOCK_TOKENS


@dataclass(slots=True)
class _Run:
    """Blocks ``low`` to ``high - 1`` of a context, or blocks that no prompt will ask for again."""

    context: str | None
    low: int
    high: int


class _FreeBlocks:
    """The free queue; the first run is taken from first, and each run from its high end."""

    def __init__(self, blocks: int) -> None:
        self._runs: OrderedDict[int, _Run] = OrderedDict()
        # A context's runs from the highest blocks to the lowest, which is also queue order.
        self._numbers: defaultdict[str, deque[int]] = defaultdict(deque)
        self._next = 0
        self.release_to_back(None, blocks)

    def count_cached(self, context: str) -> int:
        """Return how many blocks from the context's beginning can be reused."""
        numbers = self._numbers[context]
        return self._runs[numbers[0]].high if numbers else 0

    def touch(self, context: str, blocks: int) -> None:
        """Take the context's first ``blocks`` blocks out of the queue, because they are in use."""
        numbers = self._numbers[context]
        while numbers and self._runs[numbers[-1]].high <= blocks:
            del self._runs[numbers.pop()]
        if numbers:
            self._runs[numbers[-1]].low = blocks

    def allocate(self, blocks: int) -> None:
        """Take ``blocks`` blocks from the front, and forget what they hold."""
        while blocks:
            if not self._runs:
                raise ValueError(f"The budget is {blocks} blocks too small for the prompt.")
            number, run = next(iter(self._runs.items()))
            taken = min(blocks, run.high - run.low)
            run.high -= taken
            blocks -= taken
            if run.high == run.low:
                del self._runs[number]
                if run.context is not None:
                    self._numbers[run.context].popleft()

    def release_to_back(self, context: str | None, blocks: int) -> None:
        """Append the first ``blocks`` blocks of a context, or blocks of no further use."""
        if blocks:
            self._runs[self._next] = _Run(context, 0, blocks)
            if context is not None:
                self._numbers[context].append(self._next)
            self._next += 1

    def release_to_front(self, blocks: int) -> None:
        """Put blocks of no further use where they are taken first."""
        if blocks:
            self.release_to_back(None, blocks)
            self._runs.move_to_end(self._next - 1, last=False)
