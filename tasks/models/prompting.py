"""What the tasks of this project share: conversations as prompts, checked first, made on demand.

With a chat template the model gets the real conversation as messages, normalised to what that very
template takes; without one, plain text. Before anything runs, the longest prompts are counted in
tokens: lm-eval's models would cut one that does not fit.

Models that declare ``takes_prompt_references`` (all that ``personamem eval`` runs) get a
``PromptReference`` in place of each prompt, and make the prompts when they need them.
"""

import logging
import os
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from lm_eval.api.instance import Instance
from lm_eval.api.task import ConfigurableTask

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import Message
from personamem.loaders.prompting.references import PromptReference
from personamem.loaders.prompting.rendering import Renderer
from personamem.loaders.prompting.windows import Prompt, Window, check_prompts_fit, window_of
from personamem.tasks.models.lm_eval_compat import find_evaluated_model

DATASET_VARIABLE = "PERSONAMEM_DATASET"

_log = logging.getLogger(__name__)

Doc = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PromptParts:
    """What a prompt is made of: all that comes before the question's own turn, and that turn.

    Prompts with equal ``context`` and ``prefix`` begin alike, the shorter being beginnings of the
    longer. ``tokens`` (o200k_base, of message contents) is known where a dataset states it; else
    ``texts`` holds what comes before the turn.
    """

    context: str
    prefix: int
    texts: tuple[str, ...]
    tokens: int | None
    turn: str


class PromptingTask(ConfigurableTask):  # type: ignore[misc]
    """A task whose documents are questions, each with a prompt of its own.

    A subclass says what it asks by the abstract methods, and sets ``fingerprint``: 16 hexadecimal
    digits that tell its data and settings from others.
    """

    fingerprint: str

    def __init__(self, config: dict[str, Any]) -> None:
        """Load the data; ``config`` is the YAML file's."""
        self._renderer: Renderer | None = None
        self._referred_model: Any = None
        # lm-eval leaves the key that named this class in the config, and then rejects it.
        super().__init__(config={key: value for key, value in config.items() if key != "class"})

    @abstractmethod
    def make_messages(self, doc: Doc) -> list[Message]:
        """Return the conversation of a document, its own turn included."""

    @abstractmethod
    def make_turn(self, doc: Doc) -> str:
        """Return the text with which the conversation of a document ends."""

    @abstractmethod
    def split_prompt(self, doc: Doc) -> PromptParts:
        """Return what the prompt of a document is made of."""

    @abstractmethod
    def group_prompt(self, doc: Doc) -> Any:
        """Return a key that prompts share if they are beginnings of one another but for the turn.

        None stands for a prompt on its own.
        """

    @abstractmethod
    def describe_prompt(self, doc: Doc) -> dict[str, Any]:
        """Return what a reference says of the prompt; see ``PromptReference``."""

    @abstractmethod
    def bound_letters(self, doc: Doc) -> int:
        """Return about how long the conversation is, its own turn left aside; rather too much."""

    def build_all_requests(self, **kwargs: Any) -> None:
        """Check that the prompts fit the model's window, then build them, or refer to them.

        Raises:
            InvalidInputError: a prompt does not fit; both numbers are named.
        """
        model = find_evaluated_model(kwargs.get("chat_template"))
        window = window_of(model, self._reply_tokens())
        if window is not None:
            self._check_window(window, kwargs)
        # The request cache's key holds neither the dataset nor its version.
        kwargs["tokenizer_name"] = f"{kwargs.get('tokenizer_name', '')}-{self.fingerprint}"
        if getattr(model, "takes_prompt_references", False) is True:
            # There is nothing left that would be worth lm-eval's cache of requests.
            kwargs["cache_requests"] = False
            self._referred_model = model
        try:
            super().build_all_requests(**kwargs)
        finally:
            self._referred_model = None

    def fewshot_context(
        self,
        doc: Doc,
        num_fewshot: int = 0,
        system_instruction: str | None = None,
        apply_chat_template: bool = False,
        fewshot_as_multiturn: bool = False,
        chat_template: Callable[..., Any] | None = None,
        gen_prefix: str | None = None,
    ) -> Any:
        """Return the prompt, or a reference to it for a model that takes references.

        A prompt is a string, or for chat APIs lm-eval's JSON form of the messages.

        Raises:
            InvalidInputError: examples were asked for, or the chat template drops text.
        """
        if num_fewshot:
            raise InvalidInputError(
                f"num_fewshot is {num_fewshot}, but an example would be a whole other context. "
                "Accepted: 0."
            )
        template = chat_template if apply_chat_template else None
        renderer = self._renderer_for(template, system_instruction, gen_prefix)
        if self._referred_model is None:
            return self._render(renderer, doc)
        return self._refer(renderer, doc)

    def construct_requests(self, doc: Doc, ctx: Any, **kwargs: Any) -> list[Instance] | Instance:
        """Build the requests; a chat model ends its turn itself and needs no stop strings."""
        requests = super().construct_requests(doc, ctx, **kwargs)
        if self.OUTPUT_TYPE == "generate_until" and kwargs.get("apply_chat_template"):
            requests.arguments[1]["until"] = []
        return requests

    def _renderer_for(self, *settings: Any) -> Renderer:
        # The template is probed once for all documents, not once for each.
        if self._renderer is None or self._renderer.settings != settings:
            self._renderer = Renderer(*settings)
        return self._renderer

    def _render(self, renderer: Renderer, doc: Doc) -> Any:
        return renderer.render(f"question {doc['question_id']}", self.make_messages(doc))

    def _refer(self, renderer: Renderer, doc: Doc) -> PromptReference:
        description = {
            **self.describe_prompt(doc),
            "data": self.fingerprint,
            "prompt": renderer.fingerprint,
            "model": str(getattr(self._referred_model, "identity", "")),
        }
        letters = self.bound_letters(doc) + len(self.make_turn(doc))
        return PromptReference(description, letters, partial(self._render, renderer, doc))

    def _reply_tokens(self) -> int:
        if self.OUTPUT_TYPE != "generate_until":
            return 0  # The last token that is scored is not fed to the model.
        return int(self.config.generation_kwargs.get("max_gen_toks", 256))

    def _check_window(self, window: Window, kwargs: Mapping[str, Any]) -> None:
        selection = ("limit", "samples", "rank", "world_size")
        docs = self.doc_iterator(**{key: kwargs[key] for key in selection if key in kwargs})
        build = partial(
            self.fewshot_context,
            num_fewshot=self.config.num_fewshot or 0,
            system_instruction=kwargs.get("system_instruction"),
            apply_chat_template=kwargs.get("apply_chat_template", False),
            chat_template=kwargs.get("chat_template"),
            gen_prefix=self.config.gen_prefix,
        )
        groups: dict[Any, list[Prompt]] = {}
        for number, doc in docs:
            prompt = Prompt(doc["question_id"], self.make_turn(doc), partial(build, doc))
            group = self.group_prompt(doc)
            groups.setdefault(number if group is None else group, []).append(prompt)
        for prompts in groups.values():
            where = f"{self.config.task}, {self.config.dataset_path}"
            check_prompts_fit(window, where, prompts[::-1])


def find_source(metadata: Mapping[str, Any]) -> str | None:
    """Return the dataset that ``--metadata`` names, else the environment; None if neither does."""
    named = metadata.get("dataset") or os.environ.get(DATASET_VARIABLE)
    return str(named) if named else None


def log_embedding(done: int, total: int) -> None:
    """Say how far the embedding of new texts is."""
    _log.info("%s of %s new texts embedded", f"{done:,}", f"{total:,}")
