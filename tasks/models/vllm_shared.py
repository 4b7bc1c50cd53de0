"""``vllm-shared``: lm-eval's vLLM model, with every shared context read once.

lm-eval's own model sends the longest prompts first, so that questions on one context lie far apart
and its keys and values may be gone when the next one comes; and it scores choices by the
log-probabilities of prompts, for which vLLM never uses its cache. Here

* requests are sent in prefix order (``prefix_order``), a bounded number ahead of the engine, and
  are tokenized only then, so that memory does not grow with their number;
* continuations are scored by generating one token after the context (``continuations``). vLLM
  returns log-probabilities over the whole vocabulary for just the tokens that are asked for
  (``logprob_token_ids``), and the generated token tells which is the likeliest of all. Where that
  would read more than scoring the prompts themselves (many long continuations of a short context),
  the prompts are scored;
* a result goes into lm-eval's cache as soon as it is there, so that ``--use_cache`` resumes;
* a prompt that does not fit is an error: lm-eval would cut it from the left.

All arguments are those of lm-eval's ``vllm``. An integer ``batch_size`` bounds how many requests
the engine has at a time.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any

from lm_eval.api.instance import Instance
from lm_eval.api.registry import register_model
from lm_eval.models.utils import postprocess_generated_text
from tqdm import tqdm

from personamem.loaders.formats.errors import InvalidInputError
from personamem.tasks.models.continuations import (
    NextToken,
    Tokens,
    are_questions_cheaper,
    join_answers,
    plan_questions,
)
from personamem.tasks.models.prefix_order import count_shared, order_by_prefix
from personamem.tasks.models.requests import AnswerSheet
from personamem.tasks.models.vllm_compat import (
    count_sequences,
    find_lacking,
    make_vllm_version_known,
)

make_vllm_version_known()

# These ask for the version of vLLM while they are imported.
from lm_eval.models.vllm_causallms import VLLM  # noqa: E402
from vllm import LLM, RequestOutput, SamplingParams  # noqa: E402

from personamem.tasks.models.vllm_jobs import Job, run_in_engine, run_on_replicas  # noqa: E402

BATCH_CHARACTERS = 2**24
"""Text that is tokenized at a time: enough for the tokenizer's threads, little enough to hold."""

SETTINGS = {"enable_prefix_caching": True, "logprobs_mode": "raw_logprobs"}
"""Settings of vLLM that the results rest on."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class PrefixUse:
    """Tokens of prompts: all; those an earlier prompt begins with too; those vLLM had cached."""

    prompts: int = 0
    shared: int = 0
    cached: int = 0


@dataclass(slots=True)
class _Choices:
    """The continuations of one context, by index of their requests, and what is known of them."""

    continuations: dict[int, Tokens]
    unanswered: int = 0
    answers: dict[Tokens, NextToken] = field(default_factory=dict)


@register_model("vllm-shared")
class SharedVLLM(VLLM):  # type: ignore[misc]
    """lm-eval's ``vllm`` in prefix order; ``prefix_use`` counts what the cache was good for."""

    def __init__(self, pretrained: str, **kwargs: Any) -> None:
        """Load the model with vLLM's prefix cache on.

        Raises:
            InvalidInputError: the prefix cache was switched off, log-probabilities are to be
                something else, or vLLM is too old.
        """
        for name, value in SETTINGS.items():
            if kwargs.setdefault(name, value) != value:
                raise InvalidInputError(
                    f"{name} is {kwargs[name]!r}, but vllm-shared cannot do without {value!r}. "
                    f"Accepted: {value!r}; or use --model vllm."
                )
        lacking = find_lacking(LLM, SamplingParams)
        if lacking:
            raise InvalidInputError(
                f"vllm-shared cannot work with vLLM {version('vllm')}, which has no "
                f"{' and no '.join(lacking)}. Accepted: 0.32 or later."
            )
        self.prefix_use = PrefixUse()
        super().__init__(pretrained, **kwargs)

    def generate_until(self, requests: Sequence[Instance], disable_tqdm: bool = False) -> list[str]:
        """Return the replies in the order of the requests.

        Raises:
            InvalidInputError: a prompt and its reply do not fit; both numbers are named.
        """
        replies = AnswerSheet[str](requests)
        with self._show_progress("Generating", len(requests), disable_tqdm) as bar:
            for job, output in self._run(self._make_prompts(requests)):
                index, until = job.owner
                text = output.outputs[0].text
                reply = postprocess_generated_text(text, until, self.think_end_token)
                replies.enter(index, reply)
                # lm-eval looks results up by the arguments as the task gave them.
                self.cache_hook.add_partial("generate_until", requests[index].args, reply)
                bar.update()
        return replies.collect()

    def loglikelihood(
        self, requests: Sequence[Instance], disable_tqdm: bool = False
    ) -> list[tuple[float, bool]]:
        """Return each continuation's log-likelihood, and whether greedy decoding gives it.

        Raises:
            InvalidInputError: a context and its continuation do not fit; both numbers are named.
        """
        if self.enable_thinking:
            return self._score_by_lm_eval(requests, disable_tqdm)  # Which raises its own error.
        contexts: dict[str, list[int]] = {}
        for index, request in enumerate(requests):
            contexts.setdefault(request.args[0], []).append(index)
        results = AnswerSheet[tuple[float, bool]](requests)
        # Nothing precedes these, so there is nothing to share.
        blank = [index for text in contexts if not text.strip() for index in contexts[text]]
        for index in blank:
            tokens = self.tok_encode(requests[index].args[1])
            self._check_fits(requests[index], 1 + len(tokens), 1)
        if blank:
            scored = self._score_by_lm_eval([requests[index] for index in blank], disable_tqdm)
            for index, result in zip(blank, scored, strict=True):
                results.enter(index, result)
        contexts = {text: contexts[text] for text in contexts if text.strip()}
        with self._show_progress("Scoring", len(requests) - len(blank), disable_tqdm) as bar:
            for job, output in self._run(self._make_questions(requests, contexts)):
                for index, result in self._read_answer(job, output):
                    results.enter(index, result)
                    self.cache_hook.add_partial("loglikelihood", requests[index].args, result)
                    bar.update()
        return results.collect()

    def _make_prompts(self, requests: Sequence[Instance]) -> Iterator[Job]:
        eos = self.tokenizer.decode(self.eot_token_id) or self.tokenizer.eos_token
        order = order_by_prefix([request.args[0] for request in requests])
        groups = ((index, [requests[index].args[0]]) for index in order)
        for index, (tokens,) in self._tokenize(groups):
            request = requests[index]
            kwargs, until, reply = self.modify_gen_kwargs(
                request.args[1], eos=eos, default_max_gen_toks=self.max_gen_toks
            )
            self._check_fits(request, len(tokens), reply)
            # A stop string may occur in the thoughts; it then counts in what follows them only.
            stop = [text for text in until if text == eos] if self.think_end_token else until
            yield Job((index, until), tokens, SamplingParams(max_tokens=reply, stop=stop, **kwargs))

    def _make_questions(
        self, requests: Sequence[Instance], contexts: dict[str, list[int]]
    ) -> Iterator[Job]:
        texts = list(contexts)
        # As lm-eval splits a prompt: blanks at the end of a context belong to the continuation.
        groups = (
            (
                contexts[text],
                [text.rstrip(), *(text + requests[index].args[1] for index in contexts[text])],
            )
            for text in (texts[position] for position in order_by_prefix(texts))
        )
        whole = 0
        for indices, (context, *prompts) in self._tokenize(groups):
            continuations = [tuple(prompt[len(context) :]) for prompt in prompts]
            questions = plan_questions(continuations)
            choices = _Choices(dict(zip(indices, continuations, strict=True)), len(questions))
            longest = max(map(len, continuations))
            if are_questions_cheaper(len(context), continuations, questions):
                self._check_fits(requests[indices[0]], len(context) + longest - 1, 1)
                for beginning, tokens in questions.items():
                    params = SamplingParams(
                        temperature=0, max_tokens=1, detokenize=False, logprob_token_ids=tokens
                    )
                    yield Job((choices, beginning), [*context, *beginning], params)
                continue
            self._check_fits(requests[indices[0]], len(context) + longest, 1)
            whole += len(indices)
            params = SamplingParams(
                temperature=0, max_tokens=1, detokenize=False, prompt_logprobs=1
            )
            for index, continuation in choices.continuations.items():
                yield Job((len(context), index), [*context, *continuation], params)
        if whole:
            _log.info("%d continuations were scored without a shared context.", whole)

    def _read_answer(
        self, job: Job, output: RequestOutput
    ) -> Iterator[tuple[int, tuple[float, bool]]]:
        """Yield the results that are complete with this output: of a question, often none."""
        if not isinstance(job.owner[0], _Choices):
            context_length, index = job.owner
            yield index, self._parse_logprobs(job.tokens, output, context_length)
            return
        choices, beginning = job.owner
        completion = output.outputs[0]
        (log_probabilities,) = completion.logprobs
        choices.answers[beginning] = NextToken(
            completion.token_ids[0],
            {token: entry.logprob for token, entry in log_probabilities.items()},
        )
        choices.unanswered -= 1
        if not choices.unanswered:
            for index, continuation in choices.continuations.items():
                yield index, join_answers(continuation, choices.answers)

    def _run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, RequestOutput]]:
        """Yield finished jobs and count what the cache held of them."""
        before = replace(self.prefix_use)
        counted = self._count_shared(jobs)
        if self.data_parallel_size > 1:
            finished = run_on_replicas(self._model_generate, counted, self.data_parallel_size)
        else:
            at_most = self.batch_size
            if at_most == "auto":
                at_most = 2 * count_sequences(self.model)
            finished = run_in_engine(self.model, counted, at_most, self.lora_request)
        for job, output in finished:
            self.prefix_use.cached += output.num_cached_tokens or 0
            yield job, output
        _log.info(
            "vLLM had %d of %d prompt tokens cached; earlier prompts begin with %d of them.",
            self.prefix_use.cached - before.cached,
            self.prefix_use.prompts - before.prompts,
            self.prefix_use.shared - before.shared,
        )

    def _count_shared(self, jobs: Iterable[Job]) -> Iterator[Job]:
        previous: list[int] = []
        for job in jobs:
            self.prefix_use.prompts += len(job.tokens)
            self.prefix_use.shared += count_shared(previous, job.tokens)
            previous = job.tokens
            yield job

    def _tokenize(
        self, groups: Iterable[tuple[Any, list[str]]]
    ) -> Iterator[tuple[Any, list[list[int]]]]:
        """Yield the groups with tokens for texts; many are tokenized at a time, on all threads."""
        for batch in _split_by_size(groups, BATCH_CHARACTERS):
            encoded = iter(self.tok_encode([text for _, texts in batch for text in texts]))
            for key, texts in batch:
                yield key, [next(encoded) for _ in texts]

    def _check_fits(self, request: Instance, prompt: int, reply: int) -> None:
        if prompt + reply > self.max_length:
            raise InvalidInputError(
                f"{request.task_name}, document {request.doc_id}: the prompt has {prompt:,} tokens "
                f"and its reply takes up to {reply:,}, the model's window {self.max_length:,}. It "
                "would be cut off. Choose a smaller size, a model with a larger window, or "
                "--limit; if the model takes more than that, set max_model_len in --model_args."
            )

    def _score_by_lm_eval(
        self, requests: Sequence[Instance], disable_tqdm: bool
    ) -> list[tuple[float, bool]]:
        scored: list[tuple[float, bool]] = super().loglikelihood(requests, disable_tqdm)
        return scored

    def _show_progress(self, what: str, total: int, disable: bool) -> Any:
        return tqdm(total=total, desc=what, disable=disable or self.rank != 0)


def _split_by_size(
    groups: Iterable[tuple[Any, list[str]]], size: int
) -> Iterator[list[tuple[Any, list[str]]]]:
    """Yield the groups in batches whose texts have at least ``size`` characters together."""
    batch: list[tuple[Any, list[str]]] = []
    held = 0
    for group in groups:
        batch.append(group)
        held += sum(map(len, group[1]))
        if held >= size:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch
