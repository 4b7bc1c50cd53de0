"""The provider ``chat-server`` of inspect-ai: what it sends, reads, repeats and refuses."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from chat_server import ChatServer, answer, serve_chat

pytest.importorskip("inspect_ai")

from inspect_ai.model import (
    CachePolicy,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentImage,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from tenacity import RetryError

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.transport import TransportError

pytestmark = pytest.mark.system

MESSAGES = [ChatMessageSystem(content="Be brief."), ChatMessageUser(content="Which é?")]


@pytest.fixture(scope="module")
def running_server() -> Iterator[ChatServer]:
    with serve_chat() as found:
        yield found


@pytest.fixture
def server(running_server: ChatServer) -> ChatServer:
    running_server.bodies.clear()
    running_server.faults.clear()
    return running_server


def find_model(server: ChatServer, name: str = "A/b", **options: Any) -> Model:
    url = server.url.removesuffix("/chat/completions")
    return get_model(f"chat-server/{name}", base_url=url, memoize=False, **options)


def ask(model: Model, messages: Any = MESSAGES, **values: Any) -> ModelOutput:
    async def run() -> ModelOutput:
        async with model:
            return await model.generate(messages, config=GenerateConfig(**values))

    return asyncio.run(run())


def test_a_reply_has_its_text_its_end_and_its_tokens(server: ChatServer) -> None:
    found = ask(
        find_model(server),
        **{"temperature": 0.5, "max_tokens": 7, "stop_seqs": ["x"], "seed": 3},
        **{"extra_body": {"top_k": 2}, "max_retries": 0, "timeout": 60},
    )
    [body] = server.bodies
    assert body == {
        "model": "A/b",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Which é?"},
        ],
        "temperature": 0.5,
        "max_tokens": 7,
        "stop": ["x"],
        "seed": 3,
        "top_k": 2,
    }
    assert (found.completion, found.stop_reason) == (answer(body), "stop")
    assert found.usage is not None
    assert (found.usage.input_tokens, found.usage.input_tokens_cache_read) == (2, 2)
    assert (found.usage.output_tokens, found.usage.total_tokens) == (5, 9)


def test_newer_models_of_openai_have_another_name_for_the_limit(server: ChatServer) -> None:
    ask(find_model(server, "openai/gpt-5-mini"), max_tokens=7)
    assert server.bodies[0]["max_completion_tokens"] == 7
    assert "max_tokens" not in server.bodies[0]


def test_a_busy_server_and_lost_replies_are_asked_again(server: ChatServer) -> None:
    server.faults = ["close", "no choices"]
    assert ask(find_model(server), max_retries=2).completion
    assert len(server.bodies) == 3
    server.faults = ["500"]
    with pytest.raises(RetryError) as caught:
        ask(find_model(server), max_retries=0)
    assert "status 500" in str(caught.value.last_attempt.exception())


def test_a_pause_is_as_long_as_the_server_asks(server: ChatServer) -> None:
    outcome: Future[None] = Future()
    outcome.set_exception(TransportError("status 429", retry_after=40.0))
    state: Any = SimpleNamespace(attempt_number=1, outcome=outcome)
    assert 40 <= find_model(server).api.retry_wait()(state) <= 44


def test_what_will_not_pass_is_not_repeated(server: ChatServer) -> None:
    server.faults = ["401"]
    with pytest.raises(TransportError, match="set OPENAI_API_KEY"):
        ask(find_model(server), max_retries=3)
    assert len(server.bodies) == 1


def test_a_prompt_that_does_not_fit_says_so(server: ChatServer) -> None:
    server.faults = ["too long", "400"]
    assert ask(find_model(server)).stop_reason == "model_length"
    with pytest.raises(TransportError, match="status 400"):
        ask(find_model(server))


def test_an_empty_reply_is_one(server: ChatServer) -> None:
    server.faults = ["null by length", "empty"]
    model = find_model(server)
    assert [(each.completion, each.stop_reason) for each in (ask(model), ask(model))] == [
        ("", "max_tokens"),
        ("", "stop"),
    ]


def test_replies_are_kept_by_inspect(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path))
    first, second = (
        ask(find_model(server), cache=CachePolicy(expiry=None, scopes={"run": "a"})).completion
        for _ in range(2)
    )
    assert first == second
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    ("messages", "values", "message"),
    [
        (MESSAGES, {"num_choices": 2}, "chat-server cannot send num_choices. Accepted: extra_body"),
        ([ChatMessageTool(content="a")], {}, "a message of the role tool holds more"),
        (
            [ChatMessageUser(content=[ContentImage(image="data:image/png;base64,AAAA")])],
            {},
            "sends texts only",
        ),
    ],
)
def test_what_cannot_be_sent_is_one_clear_error(
    server: ChatServer, messages: Any, values: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        ask(find_model(server), messages, **values)
    assert not server.bodies


def test_an_address_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    for url in (None, "localhost:8000"):
        with pytest.raises(InvalidInputError, match="Accepted: http:// or https://, a host"):
            get_model("chat-server/a", base_url=url, memoize=False)
    with pytest.raises(InvalidInputError, match="takes no model arguments, and was given stream"):
        get_model("chat-server/a", base_url="http://a/v1", memoize=False, stream=True)
