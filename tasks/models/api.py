"""A mixin for lm-eval's OpenAI-like API models: ordered requests, and no lost or invented reply.

lm-eval reads a body without choices, or with null for a text, as an empty reply, which then counts
as a wrong answer; it drops missing replies; and it gives up on a busy server within seconds. Here a
request is repeated until its reply is whole, or ends in an error that describes the reply. Requests
are sent in the order of their contexts, neighbours together, so that a server that caches prefixes
finds them.
"""

import asyncio
import json
import logging
import os
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

from lm_eval.api.instance import Instance
from tqdm import tqdm

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.http_client import HttpClient, Reply
from personamem.loaders.formats.transport import (
    ATTEMPTS,
    FIRST_PATIENCE,
    PATIENCE,
    TransportError,
    error_of_body,
    hide_password,
    seconds_to_wait,
)
from personamem.tasks.models.on_demand import PromptsOnDemand
from personamem.tasks.models.replies import PLACEHOLDER_VARIABLE, RequestFailedError, check_reply
from personamem.tasks.models.usage import Usage

MOST_BYTES = 4 * 2**20
"""Bytes of one reply, per prompt."""

BYTES_OF_TOKEN = 1024
"""Bytes of a reply per token whose log-probability it holds."""

_log = logging.getLogger(__name__)


class RobustApiMixin(PromptsOnDemand):
    """Goes before a subclass of lm-eval's ``LocalCompletionsAPI`` among the bases of a class.

    ``usage`` sums the tokens that the server reports, over all objects of the class.
    ``max_retries`` is the number of attempts.
    """

    usage: ClassVar[Usage] = Usage()
    # What lm-eval's class brings.
    base_url: str
    header: dict[str, str]
    timeout: int
    max_retries: int
    verify_certificate: bool
    eos_string: str | None
    create_message: Callable[..., Any]
    parse_generations: Callable[..., list[Any]]
    parse_logprobs: Callable[..., list[Any]]
    _create_payload: Callable[..., Any]
    _batch_size: int
    _concurrent: int
    _seed: int

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Take lm-eval's arguments; ``max_retries`` is 10 unless it is given."""
        options.setdefault("max_retries", ATTEMPTS)
        super().__init__(*arguments, **options)
        # For pauses only: no result depends on it.
        self._random = Random()
        self._workers = max(1, int(self._concurrent))
        # With one request at a time lm-eval reads replies outside its retries; its other path ends
        # in get_batched_requests, below, and serves any number of requests at a time.
        self._concurrent = max(2, self._workers)

    def loglikelihood(self, requests: list[Instance], **options: Any) -> list[Any]:
        """Return the log-probabilities of the continuations.

        Raises:
            InvalidInputError: the API is for chats, and has no log-probabilities.
        """
        try:
            return super().loglikelihood(requests, **options)
        except NotImplementedError as error:
            raise InvalidInputError(
                f"{type(self).__name__} cannot rank letters: {error} Accepted for chat APIs: "
                "tasks without _ll."
            ) from error

    async def get_batched_requests(
        self,
        requests: list[Any],
        cache_keys: list[Any],
        *,
        generate: bool = True,
        ctxlens: list[int] | None = None,
        **options: Any,
    ) -> list[list[Any]]:
        """Return one list per request that holds its answer; requests are sent by context.

        Raises:
            RequestFailedError: a request had no whole reply after all attempts.
        """
        answers: list[list[Any]] = [[] for _ in requests]
        order = sorted(range(len(requests)), key=lambda i: self._position(cache_keys[i], i))
        size = int(self._batch_size)
        batches = iter([order[i : i + size] for i in range(0, len(order), size)])
        method = "generate_until" if generate else "loglikelihood"
        bar = tqdm(total=len(requests), desc="Requesting API")

        async def work() -> None:
            # All workers draw from one iterator, so requests under way are neighbours.
            for batch in batches:
                call = _Call(
                    prompts=[requests[i] for i in batch],
                    name=self._name(cache_keys[batch[0]]),
                    generate=generate,
                    ctxlens=[ctxlens[i] for i in batch] if ctxlens else None,
                    options=options,
                )
                for i, answer in zip(batch, await self._ask(client, call), strict=True):
                    answers[i].append(answer)
                    if cache_keys[i] is not None:
                        self.cache_hook.add_partial(method, cache_keys[i], answer)
                bar.update(len(batch))

        client = HttpClient(
            self.base_url,
            self.header,
            timeout=self.timeout,
            connections=self._workers,
            verify=self.verify_certificate,
        )
        with bar:
            async with client:
                tasks = [asyncio.create_task(work()) for _ in range(self._workers)]
                try:
                    await asyncio.gather(*tasks)
                finally:
                    for task in tasks:
                        task.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)
        return answers

    async def _ask(self, client: HttpClient, call: "_Call") -> list[Any]:
        """Return the answers of one call, one per prompt, after as many attempts as it takes."""
        most = max(1, int(self.max_retries))
        body = json.dumps(self._payload(call), ensure_ascii=False).encode()
        attempt, has_replied, start = 0, client.has_answered, time.monotonic()
        while True:
            attempt += 1
            try:
                return await self._attempt(client, call, body)
            except TransportError as error:
                has_replied = has_replied or error.status is not None
                is_silent = not has_replied and time.monotonic() - start > FIRST_PATIENCE
                is_late = error.retry_after > PATIENCE
                if attempt >= most or is_silent or is_late or client.is_final(error):
                    times = f"{attempt} attempt{'s' * (attempt > 1)}"
                    raise RequestFailedError(
                        f"{call.name}: POST {hide_password(self.base_url)} failed after {times}: "
                        f"{error}."
                    ) from error
                pause = seconds_to_wait(attempt, error.retry_after, self._random)
                _log.warning("%s: %s. Next attempt in %.0f s.", call.name, error, pause)
            await asyncio.sleep(pause)

    async def _attempt(self, client: HttpClient, call: "_Call", body: bytes) -> list[Any]:
        reply = await client.post(body, call.most_bytes)
        value = check_reply(reply, len(call.prompts), call.generate)
        answers = self._read(call, value, reply)
        client.has_answered = True
        type(self).usage.add(value)
        return answers

    def _payload(self, call: "_Call") -> Any:
        settings = dict(call.options)
        # lm-eval takes keys out of the settings while it reads them.
        settings["gen_kwargs"] = deepcopy(settings.get("gen_kwargs"))
        return self._create_payload(
            self.create_message(call.prompts),
            generate=call.generate,
            seed=self._seed,
            eos=self.eos_string,
            **settings,
        )

    def _read(self, call: "_Call", value: dict[str, Any], reply: Reply) -> list[Any]:
        try:
            if call.generate:
                answers = self.parse_generations(outputs=value)
            else:
                answers = self.parse_logprobs(
                    outputs=value, tokens=call.prompts, ctxlens=call.ctxlens
                )
                _check_echo(value, call)
        except (LookupError, TypeError, ValueError, AttributeError, AssertionError) as error:
            problem = f"that is unreadable ({type(error).__name__}: {error})"
            raise error_of_body(problem, reply.excerpt) from error
        if len(answers) != len(call.prompts):
            problem = f"with {len(answers)} answers to {len(call.prompts)} prompts"
            raise error_of_body(problem, reply.excerpt)
        # None is left only if the user chose a text for it; see check_reply.
        return [os.environ[PLACEHOLDER_VARIABLE] if a is None else a for a in answers]

    def _position(self, cache_key: Any, index: int) -> tuple[int, int]:
        found = self.find_reference(cache_key[0]) if cache_key else None
        return (found[0] if found else index, index)

    def _name(self, cache_key: Any) -> str:
        found = self.find_reference(cache_key[0]) if cache_key else None
        if found is None:
            return "A request"
        reference = found[1]
        return f"Question {reference['question_id']} ({reference['split']})"


@dataclass(frozen=True, slots=True)
class _Call:
    """One request: its prompts (several only if batches were asked for), and how to read it."""

    prompts: list[Any]
    name: str
    generate: bool
    ctxlens: list[int] | None
    options: dict[str, Any]

    @property
    def most_bytes(self) -> int:
        """The most bytes of a reply; one with log-probabilities holds all tokens of its prompts."""
        tokens = 0 if self.generate else sum(len(prompt) for prompt in self.prompts)
        return MOST_BYTES * len(self.prompts) + BYTES_OF_TOKEN * tokens


def _check_echo(reply: dict[str, Any], call: _Call) -> None:
    """Raise ValueError if the server did not echo: lm-eval would score all options with 0."""
    for choice, tokens in zip(reply["choices"], call.prompts, strict=True):
        scored = len(choice["logprobs"]["token_logprobs"])
        if scored <= len(tokens):
            raise ValueError(f"log-probabilities of {scored} of {len(tokens)} prompt tokens")
