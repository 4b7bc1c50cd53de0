"""A mixin that lets any lm-eval model take references, and make their prompts when they are due.

The prompts of one chunk of questions are in memory at a time. Chunks keep the questions of a
context together, so that models which share a prefix find all that share it. The model sees texts,
but its answers are stored, as they come, under the references: lm-eval looks them up by those, and
an evaluation that was killed goes on behind the last answer.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, ClassVar, Protocol

from lm_eval.api.instance import Instance
from tqdm import tqdm

from personamem.loaders.prompting.references import PromptReference

WHOLE_CONTEXT_LETTERS = 150_000_000
"""All prompts of one context of 1M tokens with about fifty questions, and some to spare."""

FEW_PROMPTS_LETTERS = 30_000_000
"""For models that gain nothing by it: lm-eval keeps an integer object per token of a chunk."""


class AnswerStore(Protocol):
    """What lm-eval calls a cache hook."""

    def add_partial(self, attr: str, req: Any, res: Any) -> None:
        """Store the result of a request to the method ``attr``, with these arguments."""


class PromptsOnDemand:
    """To be mixed in before a subclass of ``lm_eval.api.model.LM``.

    ``identity`` tells the model and its arguments from others; ``chunk_characters`` bounds the text
    that is in memory at a time.
    """

    takes_prompt_references: ClassVar[bool] = True
    identity: ClassVar[str] = ""
    chunk_characters: ClassVar[int] = WHOLE_CONTEXT_LETTERS
    _present: "ReferenceStore | None" = None

    def set_cache_hook(self, cache_hook: AnswerStore) -> None:
        """Store answers in ``cache_hook``, under references where the prompt has one."""
        self.cache_hook = ReferenceStore(cache_hook)

    def loglikelihood(self, requests: list[Instance], **options: Any) -> list[Any]:
        """Return what the model returns for the rendered requests, in their order."""
        return self._answer_all("loglikelihood", requests, options)

    def generate_until(self, requests: list[Instance], **options: Any) -> list[Any]:
        """Return what the model returns for the rendered requests, in their order."""
        return self._answer_all("generate_until", requests, options)

    def find_reference(self, prompt: Any) -> tuple[int, PromptReference] | None:
        """Return a prompt's position among those of the present chunk, and its reference."""
        return None if self._present is None else self._present.find(prompt)

    def _answer_all(
        self, method: str, requests: list[Instance], options: dict[str, Any]
    ) -> list[Any]:
        run = getattr(super(), method)
        plain = [i for i, request in enumerate(requests) if reference_of(request) is None]
        if len(plain) == len(requests):
            return list(run(requests, **options))
        results: list[Any] = [None] * len(requests)
        if plain:
            answers = run([requests[i] for i in plain], **options)
            for i, answer in zip(plain, answers, strict=True):
                results[i] = answer
        chunks = plan_chunks(requests, self.chunk_characters)
        for chunk in tqdm(chunks, desc="Contexts, in chunks", disable=len(chunks) == 1):
            answers = self._answer_chunk(run, method, [requests[i] for i in chunk], options)
            for i, answer in zip(chunk, answers, strict=True):
                results[i] = answer
        return results

    def _answer_chunk(
        self, run: Any, method: str, requests: list[Instance], options: dict[str, Any]
    ) -> list[Any]:
        store = getattr(self, "cache_hook", None)
        if not isinstance(store, ReferenceStore):
            store = ReferenceStore(store)
        self._present = store
        try:
            answers = list(run(store.expect(method, requests), **options))
            for request, answer in zip(requests, answers, strict=True):
                store.keep(method, request.args, answer)
        finally:
            store.forget()
            self._present = None
        return answers


class ReferenceStore:
    """A cache hook that translates: from prompts, which the model knows, to their references."""

    def __init__(self, store: AnswerStore | None) -> None:
        """Pass answers on to ``store``, if there is one."""
        self._store = store
        self._expected: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
        self._references: dict[Any, tuple[int, PromptReference]] = {}
        self._kept: set[int] = set()

    @property
    def dbdict(self) -> Any:
        """The database of lm-eval's own hook."""
        return getattr(self._store, "dbdict", None)

    def expect(self, method: str, requests: Sequence[Instance]) -> list[Instance]:
        """Return the requests with prompts in place of references, each rendered once."""
        rendered: dict[int, Any] = {}
        result = []
        for request in requests:
            reference, *others = request.args
            if id(reference) not in rendered:
                rendered[id(reference)] = reference.render()
            prompt = rendered[id(reference)]
            result.append(_with_prompt(request, prompt))
            if _is_hashable(prompt):
                self._references.setdefault(prompt, (len(self._references), reference))
                key = _key(method, (prompt, *others))
                self._expected.setdefault(key, []).append(request.args)
        return result

    def find(self, prompt: Any) -> tuple[int, PromptReference] | None:
        """Return the position and the reference of an expected prompt."""
        return self._references.get(prompt) if _is_hashable(prompt) else None

    def add_partial(self, attr: str, req: Any, res: Any) -> None:
        """Store an answer at once, under the references of its prompt."""
        key = _key(attr, tuple(req))
        expected = self._expected.get(key) if _is_hashable(key) else None
        if expected is None:
            if self._store is not None and not self._expected:
                self._store.add_partial(attr, req, res)
            return
        for arguments in expected:
            self.keep(attr, arguments, res)

    def keep(self, method: str, arguments: tuple[Any, ...], answer: Any) -> None:
        """Store an answer under a request's own arguments, once."""
        if self._store is not None and id(arguments) not in self._kept:
            self._kept.add(id(arguments))
            self._store.add_partial(method, arguments, answer)

    def forget(self) -> None:
        """Drop the prompts of the chunk."""
        self._expected.clear()
        self._references.clear()
        self._kept.clear()


def reference_of(request: Instance) -> PromptReference | None:
    """Return the reference in a request's place of the prompt, or None."""
    prompt = request.args[0]
    return prompt if isinstance(prompt, PromptReference) else None


def plan_chunks(requests: Sequence[Instance], letters: int) -> list[list[int]]:
    """Return the indices of the requests with references, in order, in chunks of bounded text.

    A chunk holds whole contexts, as many as fit; the questions of a context that does not fit are
    divided. Requests of one reference stay together, those with other settings apart.
    """
    chunks: list[list[int]] = []
    filled = 0
    settings: Any = None
    for run in _runs_of_a_context(requests):
        parts = list(_parts_of_a_question(requests, run))
        total = sum(size for _, size in parts)
        fits = (
            bool(chunks) and settings == _settings(requests[run[0]]) and filled + total <= letters
        )
        if not fits:
            chunks.append([])
            filled, settings = 0, _settings(requests[run[0]])
        for indices, size in parts:
            if chunks[-1] and filled + size > letters:
                chunks.append([])
                filled = 0
            chunks[-1] += indices
            filled += size
    return chunks


def _runs_of_a_context(requests: Sequence[Instance]) -> Iterator[list[int]]:
    run: list[int] = []
    previous: Any = None
    for index, request in enumerate(requests):
        reference = reference_of(request)
        if reference is None:
            continue
        place = [reference.get(key) for key in ("dataset", "split", "condition")]
        present = (place, reference.get("shared_context_id"), _settings(request))
        if run and present != previous:
            yield run
            run = []
        run.append(index)
        previous = present
    if run:
        yield run


def _parts_of_a_question(
    requests: Sequence[Instance], run: Sequence[int]
) -> Iterator[tuple[list[int], int]]:
    part: list[int] = []
    for index in run:
        if part and requests[index].args[0] is not requests[part[0]].args[0]:
            yield part, requests[part[0]].args[0].letters
            part = []
        part.append(index)
    yield part, requests[part[0]].args[0].letters


def _settings(request: Instance) -> Any:
    # Of a request to generate: its settings. The letters to be ranked are no settings.
    return request.args[1] if isinstance(request.args[1], dict) else None


def _with_prompt(request: Instance, prompt: Any) -> Instance:
    arguments = (prompt, *deepcopy(request.args[1:]))
    metadata = (request.task_name, request.doc_id, request.repeats)
    return Instance(request.request_type, request.doc, arguments, request.idx, metadata)


def _key(method: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    # Models hand their own reading of the settings back; in a chunk they are the same for all.
    if method == "generate_until":
        return (method, arguments[0])
    return (method, *arguments)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
