"""Estimates before a run, and the account during one."""

from pathlib import Path

import pytest

from personamem.dataset_builder.llm import (
    Answer,
    AnswerStore,
    BudgetSpentError,
    Estimate,
    Failure,
    FailureKind,
    Prices,
    Request,
    estimate,
)
from personamem.dataset_builder.llm.cost import FREE, Budget, cost_of_outcome, read_prices
from personamem.loaders.formats.errors import InvalidInputError

PRICES = Prices(input=2.0, cached=0.5, output=10.0)


def make_request(text: str, **parameters: int) -> Request:
    return Request("m", ({"role": "user", "content": text},), parameters)


def test_stored_and_repeated_requests_cost_nothing(tmp_path: Path) -> None:
    asked = [make_request("Hello there", max_tokens=100), make_request("Hi")]
    answer = Answer("a", None, None, 1, 1, None)
    with AnswerStore(tmp_path / "a.sqlite") as store:
        store.put(make_request("known", max_tokens=5), answer)
        requests = iter([*asked, *asked, make_request("known", max_tokens=5)])
        found = estimate(requests, PRICES, store)
    # 2 and 1 tokens of text, and 4 of markup each.
    assert found == Estimate(
        stored=1,
        calls=2,
        prompt_tokens=11,
        completion_tokens=100,
        unbounded=1,
        price=pytest.approx((11 * 2 + 100 * 10) / 1e6),
    )


def test_a_schema_is_read_too() -> None:
    plain = Request("m", ({"role": "user", "content": "Hi"},))
    formed = Request("m", ({"role": "user", "content": "Hi"},), {}, {"type": "object"})
    assert estimate([formed]).prompt_tokens > estimate([plain]).prompt_tokens


def test_answers_cost_what_the_server_counted() -> None:
    request = make_request("Hello there", max_tokens=100)
    counted = Answer("a", None, None, 10, 5, 4)
    assert cost_of_outcome(request, counted, PRICES) == pytest.approx(
        (6 * 2 + 4 * 0.5 + 5 * 10) / 1e6
    )
    bound = (6 * 2 + 100 * 10) / 1e6
    uncounted = Answer("a", None, None, None, None, None)
    failure = Failure(FailureKind.TOO_LONG, "")
    for outcome in (uncounted, failure):
        assert cost_of_outcome(request, outcome, PRICES) == pytest.approx(bound)
    partly = Answer("one two three", None, None, 10, None, None)
    assert cost_of_outcome(request, partly, PRICES) == pytest.approx((10 * 2 + 3 * 10) / 1e6)


def test_a_budget_waits_for_what_is_under_way_before_it_is_spent() -> None:
    budget = Budget(10.0, PRICES)
    assert budget.reserve(6.0)
    assert not budget.reserve(6.0)
    budget.settle(6.0, 1.0)
    assert budget.reserve(6.0)
    budget.settle(6.0, 6.0)
    with pytest.raises(BudgetSpentError, match=r"budget of 10 .* up to 6: 7 is spent"):
        budget.reserve(6.0)


def test_a_budget_with_nothing_under_way_is_never_waited_for() -> None:
    budget = Budget(0.35, PRICES)
    assert budget.reserve(0.1)
    assert budget.reserve(0.2)
    assert not budget.reserve(0.3)
    # In binary fractions, the sum of both less either leaves a rest.
    budget.settle(0.1, 0.1)
    budget.settle(0.2, 0.2)
    with pytest.raises(BudgetSpentError):
        budget.reserve(0.3)


def test_an_amount_is_above_nothing() -> None:
    for amount in (0.0, -1.0, float("nan")):
        with pytest.raises(InvalidInputError, match="Accepted: above 0"):
            Budget(amount, PRICES)


def test_prices_are_read_from_options() -> None:
    assert read_prices(None, None, None) is None
    assert read_prices(2.0, None, 8.0) == Prices(2.0, 2.0, 8.0)
    assert read_prices(2.0, 0.0, 8.0) == Prices(2.0, 0.0, 8.0)
    assert read_prices(0.0, None, 0.0) == FREE


@pytest.mark.parametrize(
    ("prices", "words"),
    [
        ((1.0, None, None), "--price-input and --price-output belong together"),
        ((None, None, 1.0), "--price-input and --price-output belong together"),
        ((None, 1.0, None), "--price-cached needs --price-input and --price-output"),
        ((-1.0, None, 1.0), "--price-input is -1. Accepted: 0 or more"),
        ((1.0, float("nan"), 1.0), "--price-cached is nan"),
        ((1.0, None, float("inf")), "--price-output is inf"),
    ],
)
def test_prices_that_make_no_sense_are_refused(
    prices: tuple[float | None, ...], words: str
) -> None:
    with pytest.raises(InvalidInputError, match=words):
        read_prices(*prices)
