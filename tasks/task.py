"""PersonaMem as lm-eval tasks: one class behind every YAML file of this folder.

A task loads one split (``test_split``) of a dataset with ``personamem.loaders``. Its documents hold
the questions only; contexts are read from the loader while the prompts are built, ordered by
context so that each is read once. With a chat template the model gets the real conversation as
messages, normalised to what that very template takes; without one, plain text. Before anything
runs, the longest prompts are counted in tokens: lm-eval's models would cut one that does not fit.

Models that declare ``takes_prompt_references`` (all that ``personamem eval`` runs) get a
``PromptReference`` in place of each prompt, and make the prompts when they need them.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cached_property, partial
from typing import Any

import datasets
from lm_eval.api.instance import Instance
from lm_eval.api.task import ConfigurableTask

from personamem.dataset_builder.errors import InvalidInputError, unknown_choice
from personamem.dataset_builder.schema import LETTERS, Message, Question
from personamem.loaders import (
    OFFICIAL_SOURCE,
    PersonaMem,
    load_personamem,
    make_final_turn,
    oracle_messages_for,
    read_letter,
)
from personamem.loaders.metrics import accuracy_of_third, accuracy_of_type, macro_f1
from personamem.loaders.oracle import missing_annotations
from personamem.loaders.references import PromptReference
from personamem.loaders.rendering import Renderer, make_fingerprint
from personamem.loaders.windows import Prompt, Window, check_prompts_fit, find_model, window_of

DATASET_VARIABLE = "PERSONAMEM_DATASET"
CONDITIONS = ("full", "nocontext", "oracle")

type_metric = "acc_{}".format
near, middle, far = (partial(accuracy_of_third, third) for third in ("near", "middle", "far"))
f1 = macro_f1

_Doc = Mapping[str, Any]


class PersonaMemTask(ConfigurableTask):  # type: ignore[misc]
    """A split of a PersonaMem dataset under one condition and one way of answering."""

    data: PersonaMem

    def __init__(self, config: dict[str, Any]) -> None:
        """Load the split; ``config`` is the YAML file's."""
        # lm-eval leaves the key that named this class in the config, and then rejects it.
        super().__init__(config={key: value for key, value in config.items() if key != "class"})
        for name in self.question_types:
            self._aggregation_list[type_metric(name)] = partial(accuracy_of_type, name)
            self._higher_is_better[type_metric(name)] = True

    def download(self, dataset_kwargs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Load the questions of the split, ordered by context, then by end index."""
        self.condition = (dataset_kwargs or {}).get("condition", "full")
        if self.condition not in CONDITIONS:
            raise unknown_choice("condition", self.condition, CONDITIONS)
        split = self.config.test_split
        self.data = load_personamem(choose_source(self.config.metadata or {}), split)
        if self.condition == "oracle" and not self.data.has_annotations:
            raise missing_annotations(self.data)
        self.config.dataset_path = self.data.source
        questions = self.data.ordered_questions()
        self.question_types = sorted({question.question_type for question in questions})
        self.dataset = {split: datasets.Dataset.from_list([asdict(q) for q in questions])}
        self._renderer: Renderer | None = None
        self._referred_model: Any = None

    def build_all_requests(self, **kwargs: Any) -> None:
        """Check that the prompts fit the model's window, then build them, or refer to them.

        Raises:
            InvalidInputError: a prompt does not fit; both numbers are named.
        """
        model = find_model(kwargs.get("chat_template"))
        window = window_of(model, self._reply_tokens())
        if window is not None:
            self._check_window(window, kwargs)
        # The request cache's key holds neither the dataset nor its version.
        kwargs["tokenizer_name"] = f"{kwargs.get('tokenizer_name', '')}-{self._fingerprint}"
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
        doc: _Doc,
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

    def messages_for(self, question: Question) -> list[Message]:
        """Return the conversation of a question under the task's condition, final turn included."""
        messages: list[Message] = []
        if self.condition == "full":
            messages = self.data.messages_for(question)
        elif self.condition == "oracle":
            messages = oracle_messages_for(self.data, question)
        text = make_final_turn(question.user_question_or_message, question.options)
        return [*messages, {"role": "user", "content": text}]

    def construct_requests(self, doc: _Doc, ctx: Any, **kwargs: Any) -> list[Instance] | Instance:
        """Build the requests; a chat model ends its turn itself and needs no stop strings."""
        requests = super().construct_requests(doc, ctx, **kwargs)
        if self.OUTPUT_TYPE == "generate_until" and kwargs.get("apply_chat_template"):
            requests.arguments[1]["until"] = []
        return requests

    def process_results(self, doc: _Doc, results: Any) -> dict[str, Any]:
        """Score one question; every metric gets a value from every document."""
        scores = super().process_results(doc, results)
        typed = (doc["question_type"], scores["acc"])
        return {**scores, **{type_metric(name): typed for name in self.question_types}}

    def _renderer_for(self, *settings: Any) -> Renderer:
        # The template is probed once for all documents, not once for each.
        if self._renderer is None or self._renderer.settings != settings:
            self._renderer = Renderer(*settings)
        return self._renderer

    def _render(self, renderer: Renderer, doc: _Doc) -> Any:
        messages = self.messages_for(question_of(doc))
        return renderer.render(f"question {doc['question_id']}", messages)

    def _refer(self, renderer: Renderer, doc: _Doc) -> PromptReference:
        description = {
            "question_id": doc["question_id"],
            "dataset": self.data.source,
            "split": self.data.split,
            "condition": self.condition,
            "shared_context_id": doc["shared_context_id"],
            "end_index": doc["end_index_in_shared_context"],
            "data": self._fingerprint,
            "prompt": renderer.fingerprint,
            "model": str(getattr(self._referred_model, "identity", "")),
        }
        seen = 0 if self.condition == "nocontext" else doc["context_length_in_letters"]
        letters = seen + len(doc_to_text(doc))
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
            prompt = Prompt(doc["question_id"], doc_to_text(doc), partial(build, doc))
            # Only whole conversations are beginnings of one another.
            group = doc["shared_context_id"] if self.condition == "full" else number
            groups.setdefault(group, []).append(prompt)
        for prompts in groups.values():
            where = f"{self.config.task}, {self.data.source}"
            check_prompts_fit(window, where, prompts[::-1])

    @cached_property
    def _fingerprint(self) -> str:
        return make_fingerprint((self.data.source, self.condition, self.data.questions))


def choose_source(metadata: Mapping[str, Any]) -> str:
    """Return the dataset: ``--metadata``, else the environment, else the official release."""
    return str(metadata.get("dataset") or os.environ.get(DATASET_VARIABLE) or OFFICIAL_SOURCE)


def question_of(doc: _Doc) -> Question:
    """Return the question that a document was made of."""
    return Question(**{**doc, "options": tuple(doc["options"])})


def doc_to_text(doc: _Doc) -> str:
    """Return the final user turn of a question."""
    return make_final_turn(doc["user_question_or_message"], doc["options"])


def process_generated(doc: _Doc, results: list[str]) -> dict[str, Any]:
    """Score a generated reply."""
    letter = read_letter(results[0])
    return {**score_letter(doc, letter), "unparsable": float(letter is None)}


def process_likelihoods(doc: _Doc, results: list[tuple[float, bool]]) -> dict[str, Any]:
    """Score the log-likelihoods of the four letters; the first of equal ones counts."""
    likelihoods = [likelihood for likelihood, _ in results]
    return score_letter(doc, LETTERS[likelihoods.index(max(likelihoods))])


def score_letter(doc: _Doc, letter: str | None) -> dict[str, Any]:
    """Return a question's values for every metric that does not depend on the dataset."""
    gold = LETTERS[doc["answer_index"]]
    correct = float(letter == gold)
    by_distance = (doc["distance_to_ref_in_tokens"], correct)
    return {
        "acc": correct,
        "f1": (gold, letter),
        "acc_near": by_distance,
        "acc_middle": by_distance,
        "acc_far": by_distance,
    }
