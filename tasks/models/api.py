"""A mixin for lm-eval's OpenAI-like API models: in order, counted, and no reply lost or made up.

lm-eval takes a body without choices, or with null for a text, as an empty reply, which then counts
as a wrong answer; it drops replies that are missing; and it gives up on a busy server within
seconds. Here a request is repeated until its reply is whole, or it is an error that says what came
back. Requests go out in the order of their contexts, neighbours together, so that a server which
keeps prefixes finds them.
"""

import asyncio
import json
import logging
import os
from collections.abc import Callable
from copy import deepcopy
from typing import Any, ClassVar

from lm_eval.api.instance import Instance
from tqdm import tqdm

from personamem.loaders.formats.errors import InvalidInputError
from personamem.tasks.models.on_demand import PromptsOnDemand
from personamem.tasks.models.replies import (
    PLACEHOLDER_VARIABLE,
    Failure,
    RequestFailedError,
    check_reply,
    failure_of_body,
    failure_of_status,
    seconds_to_wait,
)
from personamem.tasks.models.usage import Usage

MAX_ATTEMPTS = 8
"""About two minutes of waiting, with the pauses of ``seconds_to_wait``."""

_log = logging.getLogger(__name__)


class RobustApiMixin(PromptsOnDemand):
    """To be mixed in before a subclass of lm-eval's ``LocalCompletionsAPI``.

    ``usage`` sums the tokens that the server reports, over all objects of the class.
    ``max_retries`` counts attempts.
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
        """Take lm-eval's arguments; ``max_retries`` is 8 where it is not given."""
        options.setdefault("max_retries", MAX_ATTEMPTS)
        super().__init__(*arguments, **options)
        self._workers = max(1, int(self._concurrent))
        # With one request at a time lm-eval reads replies outside of its retries, one by one; its
        # other path ends in get_batched_requests, below, and serves any number.
        self._concurrent = max(2, self._workers)

    def loglikelihood(self, requests: list[Instance], **options: Any) -> list[Any]:
        """Return what the server's log-probabilities say of the continuations.

        Raises:
            InvalidInputError: the API is one for chats, which has none.
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
        """Return one list per request that holds its answer; requests go out by context.

        Raises:
            RequestFailedError: a request had no whole reply after all attempts.
        """
        from aiohttp import ClientSession, ClientTimeout, TCPConnector

        answers: list[list[Any]] = [[] for _ in requests]
        order = sorted(range(len(requests)), key=lambda i: self._position(cache_keys[i], i))
        size = int(self._batch_size)
        batches = iter([order[i : i + size] for i in range(0, len(order), size)])
        method = "generate_until" if generate else "loglikelihood"
        bar = tqdm(total=len(requests), desc="Requesting API")

        async def work() -> None:
            # All workers draw from one iterator: what is on its way at a time are neighbours.
            for batch in batches:
                call = _Call(
                    prompts=[requests[i] for i in batch],
                    name=self._name(cache_keys[batch[0]]),
                    generate=generate,
                    ctxlens=[ctxlens[i] for i in batch] if ctxlens else None,
                    options=options,
                )
                for i, answer in zip(batch, await self._ask(session, call), strict=True):
                    answers[i].append(answer)
                    if cache_keys[i] is not None:
                        self.cache_hook.add_partial(method, cache_keys[i], answer)
                bar.update(len(batch))

        connector = TCPConnector(limit=self._workers, ssl=self.verify_certificate)
        timeout = ClientTimeout(total=self.timeout)
        with bar:
            async with ClientSession(
                connector=connector, timeout=timeout, trust_env=True
            ) as session:
                tasks = [asyncio.create_task(work()) for _ in range(self._workers)]
                try:
                    await asyncio.gather(*tasks)
                finally:
                    for task in tasks:
                        task.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)
        return answers

    async def _ask(self, session: Any, call: "_Call") -> list[Any]:
        """Return the answers of one call, one per prompt, after as many attempts as it takes."""
        attempts = max(1, int(self.max_retries))
        body = json.dumps(self._payload(call), ensure_ascii=False).encode()
        for attempt in range(1, attempts + 1):
            outcome = await self._attempt(session, call, body)
            if not isinstance(outcome, Failure):
                return outcome
            if attempt == attempts or not outcome.passing:
                times = f"{attempt} attempt{'s' * (attempt > 1)}"
                raise RequestFailedError(
                    f"{call.name}: POST {self.base_url} failed after {times}: {outcome.what}."
                )
            pause = seconds_to_wait(attempt, outcome.retry_after)
            _log.warning("%s: %s. Again in %.0f s.", call.name, outcome.what, pause)
            await asyncio.sleep(pause)
        raise AssertionError("unreachable")

    async def _attempt(self, session: Any, call: "_Call", body: bytes) -> list[Any] | Failure:
        from aiohttp import ClientError

        headers = {"Content-Type": "application/json", **self.header}
        try:
            async with session.post(self.base_url, data=body, headers=headers) as response:
                text = await response.text(errors="replace")
                status, after = response.status, response.headers.get("Retry-After")
        except TimeoutError:
            return Failure(f"no reply within {self.timeout} s")
        except ClientError as error:
            return Failure(f"no reply ({type(error).__name__}: {error})")
        if status != 200:
            return failure_of_status(status, text, after)
        reply = check_reply(text, len(call.prompts), call.generate)
        if isinstance(reply, Failure):
            return reply
        answers = self._read(call, reply, text)
        if not isinstance(answers, Failure):
            type(self).usage.add(reply)
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

    def _read(self, call: "_Call", reply: dict[str, Any], text: str) -> list[Any] | Failure:
        try:
            if call.generate:
                answers = self.parse_generations(outputs=reply)
            else:
                answers = self.parse_logprobs(
                    outputs=reply, tokens=call.prompts, ctxlens=call.ctxlens
                )
                _check_echo(reply, call)
        except (LookupError, TypeError, ValueError, AttributeError, AssertionError) as error:
            return failure_of_body(f"unreadable ({type(error).__name__}: {error})", text)
        if len(answers) != len(call.prompts):
            return failure_of_body(f"{len(answers)} answers to {len(call.prompts)} prompts", text)
        # None is left only where the user chose a text for it; see check_reply.
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


class _Call:
    """One request: its prompts (several only where batches were asked for), and how to read it."""

    def __init__(
        self,
        prompts: list[Any],
        name: str,
        generate: bool,
        ctxlens: list[int] | None,
        options: dict[str, Any],
    ) -> None:
        self.prompts = prompts
        self.name = name
        self.generate = generate
        self.ctxlens = ctxlens
        self.options = options


def _check_echo(reply: dict[str, Any], call: _Call) -> None:
    """Raise ValueError for a server that did not echo: lm-eval would score all options with 0."""
    for choice, tokens in zip(reply["choices"], call.prompts, strict=True):
        scored = len(choice["logprobs"]["token_logprobs"])
        if scored <= len(tokens):
            raise ValueError(f"log-probabilities of {scored} of {len(tokens)} prompt tokens")
