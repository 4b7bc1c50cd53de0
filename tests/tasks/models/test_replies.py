"""Which replies are whole, and the sums of the tokens that they report."""

import pytest

from personamem.loaders.formats.http_client import Reply
from personamem.loaders.formats.transport import TransportError
from personamem.tasks.models.replies import check_reply
from personamem.tasks.models.usage import Usage


def test_choices_are_put_in_order_and_must_be_complete() -> None:
    choices = [{"index": i, "text": f"t{i}"} for i in (1, 2, 0)]
    reply = check_reply(Reply({"choices": choices}, ""), 3, generate=True)
    assert [choice["text"] for choice in reply["choices"]] == ["t0", "t1", "t2"]
    for wrong in ([choices[0], choices[0], choices[2]], choices[:2]):
        with pytest.raises(TransportError):
            check_reply(Reply({"choices": wrong}, ""), 3, generate=True)
    unnumbered = check_reply(Reply({"choices": [{"text": "x"}]}, ""), 1, generate=True)
    assert unnumbered["choices"][0]["index"] == 0


def test_usage_without_numbers_is_said_to_be_unknown() -> None:
    usage = Usage()
    usage.add({"choices": []})
    assert usage.describe() == "1 replies; the server reports no token counts"
    usage.add({"usage": {"prompt_tokens": 1000}})
    assert "does not report cached ones" in usage.describe()
    usage.add({"usage": {"prompt_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 500}}})
    assert "of them cached 500 (25.0 %)" in usage.describe()


@pytest.mark.parametrize("count", [10**4000, -5, float("nan"), float("inf"), True, "7"])
def test_absurd_counts_are_unknown(count: object) -> None:
    usage = Usage()
    usage.add({"usage": {"prompt_tokens": 1000, "prompt_cache_hit_tokens": 250}})
    usage.add({"usage": {"prompt_tokens": count, "prompt_cache_hit_tokens": count}})
    assert usage.describe() == (
        "prompt tokens 1,000 (without 1 of 2 replies, which report none), of them cached 250 "
        "(25.0 %)"
    )
