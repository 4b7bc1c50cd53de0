"""What requests cost: bounds before they are sent, the server's counts afterwards."""

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass

from personamem.dataset_builder.llm.errors import BudgetSpentError
from personamem.dataset_builder.llm.records import Answer, Outcome, Request
from personamem.dataset_builder.llm.store import AnswerStore
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.tokens import count_tokens

MESSAGE_TOKENS = 4
"""Tokens that the markup of a chat adds to each message, about."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices per million tokens, in any currency."""

    input: float
    cached: float
    output: float

    def of_tokens(self, prompt: int, completion: int, cached: int = 0) -> float:
        """Return the price of a request; ``cached`` are among the ``prompt`` tokens."""
        cached = min(cached, prompt)
        fresh = (prompt - cached) * self.input + cached * self.cached
        return (fresh + completion * self.output) / 1e6


FREE = Prices(0.0, 0.0, 0.0)


def read_prices(input: float | None, cached: float | None, output: float | None) -> Prices | None:
    """Return the prices of the options --price-input, --price-cached and --price-output.

    Without any of them there are no prices: None. Cached tokens cost as much as others unless their
    price is given.

    Raises:
        InvalidInputError: input or output is missing, or a price is negative or no number.
    """
    given = {"input": input, "cached": cached, "output": output}
    for name, price in given.items():
        if price is not None and not (price >= 0 and math.isfinite(price)):
            raise InvalidInputError(f"--price-{name} is {price:g}. Accepted: 0 or more.")
    if input is None and output is None:
        if cached is not None:
            raise InvalidInputError("--price-cached needs --price-input and --price-output.")
        return None
    if input is None or output is None:
        raise InvalidInputError(
            "--price-input and --price-output belong together, per million tokens."
        )
    return Prices(input, input if cached is None else cached, output)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What sending requests takes; those that are stored are free and only counted in ``stored``.

    Args:
        stored: requests whose outcome is stored.
        calls: all others.
        prompt_tokens: of the calls, in o200k_base.
        completion_tokens: the sum of max_tokens over the calls that set it.
        unbounded: calls that do not set it.
        price: without cached tokens and repeated attempts.
    """

    stored: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    unbounded: int
    price: float


def estimate(
    requests: Iterable[Request], prices: Prices = FREE, store: AnswerStore | None = None
) -> Estimate:
    """Return what requests take; each is counted once, however often it comes."""
    seen: set[str] = set()
    stored = prompt_tokens = completion_tokens = unbounded = 0
    for request in requests:
        if request.key in seen:
            continue
        seen.add(request.key)
        if store is not None and store.get(request.key) is not None:
            stored += 1
            continue
        prompt_tokens += count_prompt_tokens(request)
        completion_tokens += request.max_tokens or 0
        unbounded += request.max_tokens is None
    return Estimate(
        stored=stored,
        calls=len(seen) - stored,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        unbounded=unbounded,
        price=prices.of_tokens(prompt_tokens, completion_tokens),
    )


def count_prompt_tokens(request: Request) -> int:
    """Return about how many tokens a server reads for a request, in o200k_base."""
    texts = [message["content"] for message in request.messages]
    if request.schema is not None:
        texts.append(json.dumps(request.schema))
    return sum(map(count_tokens, texts)) + MESSAGE_TOKENS * len(request.messages)


def bound_cost(request: Request, prices: Prices) -> float:
    """Return the most that one attempt at a request costs, as far as its tokens can be known."""
    if prices == FREE:
        return 0.0
    return prices.of_tokens(count_prompt_tokens(request), request.max_tokens or 0)


def cost_of_outcome(request: Request, outcome: Outcome, prices: Prices) -> float:
    """Return what an outcome costs: its bound if the server does not report tokens."""
    if not isinstance(outcome, Answer) or outcome.prompt_tokens is None:
        return bound_cost(request, prices)
    completion = outcome.completion_tokens
    if completion is None:
        completion = count_tokens(outcome.text)
    return prices.of_tokens(outcome.prompt_tokens, completion, outcome.cached_tokens or 0)


class Budget:
    """An amount that one run does not exceed, in the currency of the prices.

    A request is sent if its bound fits beside what is spent and what is under way. Bounds rest on
    max_tokens and on o200k_base: if the server counts more tokens than that, the run may exceed the
    amount by the difference. An attempt whose reply was lost counts with its bound, since the
    server may charge for it.
    """

    def __init__(self, amount: float, prices: Prices) -> None:
        if not amount > 0:
            raise InvalidInputError(f"A budget is {amount}. Accepted: above 0.")
        self.amount = amount
        self.prices = prices
        self.spent = 0.0
        self._reserved = 0.0
        self._under_way = 0

    def reserve(self, bound: float) -> bool:
        """Reserve a bound and return True, or return False if that has to wait.

        Raises:
            BudgetSpentError: waiting does not help, since nothing is under way.
        """
        if self.spent + self._reserved + bound <= self.amount:
            self._reserved += bound
            self._under_way += 1
            return True
        if self._under_way:
            return False
        raise BudgetSpentError(
            f"The budget of {self.amount:g} leaves no room for a request of up to {bound:.4g}: "
            f"{self.spent:.4g} is spent. All answers so far are stored; run again with a budget "
            "to go on."
        )

    def settle(self, bound: float, cost: float) -> None:
        """Replace a reserved bound by what the request cost."""
        self._under_way -= 1
        # Floating-point sums may leave a remainder.
        self._reserved = max(0.0, self._reserved - bound) if self._under_way else 0.0
        self.spent += cost

    def check(self, request: Request) -> None:
        """Raise InvalidInputError if the cost of a request has no bound."""
        if self.prices.output and request.max_tokens is None:
            raise InvalidInputError(
                f"A request to {request.model!r} sets no max_tokens, so that no budget can bound "
                "its cost."
            )
