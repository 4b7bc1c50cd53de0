"""A model behind an OpenAI-compatible server, as a provider of inspect-ai: ``chat-server/NAME``.

    inspect eval personamem/personamem_4k --model chat-server/NAME \\
        --model-base-url http://localhost:8000/v1

For texts without tools or media. An attempt takes less than half of the processor time that one
of the provider ``openai-api`` takes, so that one process can keep a server busy; limits, retries,
caches and logs are those of inspect-ai.
"""

import asyncio
import json
import os
import re
from collections.abc import Mapping
from random import Random
from typing import Any

from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelCall,
    ModelOutput,
    ModelUsage,
    StopReason,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo
from tenacity import RetryCallState
from tenacity.wait import wait_base

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.http_client import HttpClient, Reply
from personamem.loaders.formats.transport import (
    TransportError,
    error_of_body,
    hide_password,
    seconds_to_wait,
)
from personamem.loaders.formats.usage import read_token_counts

PROVIDER = "chat-server"
MOST_CONNECTIONS = 1000
MOST_BYTES = 4 * 2**20
"""Bytes of one reply."""

SECONDS = 600.0
"""The time for one attempt where inspect-ai sets none."""

_PARAMETERS = {
    "extra_body": "",
    "frequency_penalty": "frequency_penalty",
    "max_tokens": "max_tokens",
    "presence_penalty": "presence_penalty",
    "reasoning_effort": "reasoning_effort",
    "seed": "seed",
    "stop_seqs": "stop",
    "temperature": "temperature",
    "top_p": "top_p",
}
"""Values of a configuration that are sent, by their names in the protocol."""

_HANDLED = frozenset(
    {
        *("adaptive_connections", "attempt_timeout", "cache", "cache_prompt", "fail_on_refusal"),
        *("max_connections", "max_retries", "max_tool_output", "parallel_tool_calls"),
        *("reasoning_history", "stream_idle_timeout", "system_message", "timeout"),
    }
)
"""Values that inspect-ai handles itself, or that concern tools."""

_NEWER_LIMIT = re.compile(r"(^|/)(o\d|gpt-[5-9])")
"""Models of OpenAI that have another name for the limit of tokens."""

_TOO_LONG = re.compile(r"context[ _](length|window|size)|(input|prompt)[ _](length|is too long)")
"""How servers name a prompt that does not fit; OpenAI has a code for it, vLLM only a message."""

_STOP_REASONS: Mapping[Any, StopReason] = {
    "stop": "stop",
    "length": "max_tokens",
    "content_filter": "content_filter",
}


class AddressError(InvalidInputError, PrerequisiteError):
    """No address of a server; inspect-ai prints it without a trace of calls."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@modelapi(name=PROVIDER)
class ChatServer(ModelAPI):
    """A model of a server, by the name under which the server has it.

    Args:
        base_url: address before ``/chat/completions``; else of OPENAI_BASE_URL.
        api_key: else of OPENAI_API_KEY, if it is set.

    An attempt takes as long as inspect-ai's ``timeout`` allows, else 600 s.

    Raises:
        AddressError: there is no address, or it is none.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        **options: Any,
    ) -> None:
        """Take what inspect-ai gives to a provider; nothing is sent."""
        if options:
            raise InvalidInputError(
                f"{PROVIDER} takes no model arguments, and was given {', '.join(options)}."
            )
        url = base_url or os.environ.get("OPENAI_BASE_URL", "")
        if not re.fullmatch(r"https?://[^\s/@?#]+(/[^\s@?#]*)?", url):
            raise AddressError(
                f"The address of {PROVIDER}/{model_name} is {hide_password(url)!r}. Accepted: "
                "http:// or https://, a host and a path, such as http://localhost:8000/v1, by "
                "--model-base-url (of personamem lens: --base-url) or OPENAI_BASE_URL."
            )
        key = api_key or os.environ.get("OPENAI_API_KEY")
        super().__init__(model_name, url, key, ["OPENAI_API_KEY"], config)
        self._clients: dict[asyncio.AbstractEventLoop, HttpClient] = {}
        name = "max_completion_tokens" if _NEWER_LIMIT.search(model_name) else "max_tokens"
        self._parameters = {**_PARAMETERS, "max_tokens": name}

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> tuple[ModelOutput, ModelCall]:
        """Make one attempt; of a prompt that does not fit the window, the output says so.

        Raises:
            InvalidInputError: tools, media or a value of ``config`` that this provider cannot send.
            TransportError: there is no reply.
        """
        if tools:
            raise InvalidInputError(f"{PROVIDER} sends no tools. Accepted: openai-api/...")
        messages = [{"role": each.role, "content": _read_text(each)} for each in input]
        request = {"model": self.model_name, "messages": messages, **self._list_values(config)}
        body = json.dumps(request, ensure_ascii=False).encode("utf-8", "replace")
        client = self._find_client(config)
        try:
            reply = await client.post(body, MOST_BYTES)
        except TransportError as error:
            if error.status not in (400, 413, 422):
                raise
            if error.code != "context_length_exceeded" and not _TOO_LONG.search(str(error).lower()):
                raise
            output = ModelOutput.from_content(self.model_name, str(error), "model_length")
            return output, _make_call(request, {"error": str(error)})
        output = _read_output(reply, self.model_name)
        client.has_answered = True
        return output, _make_call(request, reply.value)

    def should_retry(self, ex: Exception) -> bool:
        """Return whether another attempt may succeed."""
        client = self._clients.get(asyncio.get_running_loop())
        return isinstance(ex, TransportError) and client is not None and not client.is_final(ex)

    def retry_wait(self) -> wait_base:
        """Return the pauses between attempts: those that a server asks for, and a bit more."""
        return _Pauses()

    def is_auth_failure(self, ex: Exception) -> bool:
        """Return whether the server does not accept the key."""
        return isinstance(ex, TransportError) and ex.status == 401

    def connection_key(self) -> str:
        """Return whose connections are counted together: those of a model."""
        return f"{self.initial_api_key}:{self.base_url}:{self.model_name}"

    async def aclose(self) -> None:
        """Close the connections of this event loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.__aexit__(None, None, None)

    def _find_client(self, config: GenerateConfig) -> HttpClient:
        # Connections belong to an event loop, and each run has one of its own.
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients = {each: it for each, it in self._clients.items() if not each.is_closed()}
            self._clients[loop] = HttpClient(
                f"{(self.base_url or '').rstrip('/')}/chat/completions",
                {"Authorization": f"Bearer {self.api_key or ''}"},
                timeout=config.timeout or SECONDS,
                connections=MOST_CONNECTIONS,
            )
        return self._clients[loop]

    def _list_values(self, config: GenerateConfig) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name, value in config:
            if value is None or name in _HANDLED:
                continue
            if name not in self._parameters:
                raise InvalidInputError(
                    f"{PROVIDER} cannot send {name}. Accepted: {', '.join(sorted(_PARAMETERS))}; "
                    "for others, openai-api/..."
                )
            values |= value if name == "extra_body" else {self._parameters[name]: value}
        return values


class _Pauses(wait_base):
    _random = Random()

    def __call__(self, retry_state: RetryCallState) -> float:
        outcome = retry_state.outcome
        error = outcome.exception() if outcome is not None else None
        asked = error.retry_after if isinstance(error, TransportError) else 0.0
        return seconds_to_wait(retry_state.attempt_number, asked, self._random)


def _read_text(message: ChatMessage) -> str:
    """Return the text of a message, without the reasoning that an assistant's may hold."""
    if isinstance(message.content, str) and message.role != "tool":
        return message.content
    kinds = {part.type for part in message.content if not isinstance(part, str)}
    if message.role == "tool" or kinds - {"text", "reasoning"}:
        raise InvalidInputError(
            f"{PROVIDER} sends texts only, and a message of the role {message.role} holds more. "
            "Accepted: openai-api/..."
        )
    return message.text


def _read_output(reply: Reply, name: str) -> ModelOutput:
    """Return what a reply says; an empty text is a reply. Raises TransportError without one."""
    value = reply.value if isinstance(reply.value, dict) else {}
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise error_of_body("without choices", reply.excerpt)
    content, refusal = message.get("content"), message.get("refusal")
    if content is not None and not isinstance(content, str):
        raise error_of_body("whose content is not a text", reply.excerpt)
    reason: StopReason = _STOP_REASONS.get(choice.get("finish_reason"), "unknown")
    if not content and isinstance(refusal, str) and refusal:
        content, reason = refusal, "content_filter"
    counts = read_token_counts(value)
    model = value.get("model")
    return ModelOutput(
        model=model if isinstance(model, str) else name,
        choices=[
            ChatCompletionChoice(
                message=ChatMessageAssistant(content=content or "", model=name, source="generate"),
                stop_reason=reason,
            )
        ],
        usage=_describe_usage(counts.prompt, counts.completion, counts.cached),
    )


def _describe_usage(
    prompt: int | None, completion: int | None, cached: int | None
) -> ModelUsage | None:
    if prompt is None or completion is None:
        return None
    fresh = max(0, prompt - (cached or 0))
    return ModelUsage(
        input_tokens=fresh,
        output_tokens=completion,
        total_tokens=prompt + completion,
        input_tokens_cache_read=cached,
    )


def _make_call(request: dict[str, Any], response: Any) -> ModelCall:
    # Both are JSON already: checking them again takes longer than sending.
    return ModelCall.model_construct(request=request, response=response)
