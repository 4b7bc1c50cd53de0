"""The official second release as lm-eval tasks: the class behind every YAML file of this folder.

A task loads one size (``test_split``) of the release, or of a set of ours in its columns. The
history, or what the condition shows of it, comes first and the question last, and documents are
ordered by history, so that questions of one history begin alike and it is read for all of them.
"""

import logging
from collections.abc import Mapping
from functools import partial
from typing import Any

import datasets

from personamem.loaders.formats.errors import InvalidInputError, unknown_choice
from personamem.loaders.formats.schema import Message, Question
from personamem.loaders.memory.condition import MemoryRecall, read_memory_settings
from personamem.loaders.personamem.metrics import accuracy_of_type, macro_f1
from personamem.loaders.personamem.version2.protocols import (
    RELEASED_REPLY_TOKENS,
    read_protocol,
)
from personamem.loaders.personamem.version2_conditions import (
    ChunkRetrieval,
    Select,
    show_snippet,
    with_default_k,
)
from personamem.loaders.personamem.version2_dataset import (
    VERSION2_SOURCE,
    PersonaMemV2,
    load_version2,
)
from personamem.loaders.prompting.rendering import make_fingerprint
from personamem.loaders.retrieval import make_retriever
from personamem.loaders.retrieval.settings import read_settings
from personamem.tasks.metrics import (
    RECALL,
    Metric,
    class_metric,
    describe_metrics,
    spread_accuracy,
)
from personamem.tasks.models.prompting import (
    Doc,
    PromptingTask,
    PromptParts,
    find_source,
    log_embedding,
)
from personamem.tasks.personamem_v2.family import FAMILY
from personamem.tasks.personamem_v2.scoring import doc_to_text, make_doc, make_turns

CHOICE_METRICS = (Metric("acc"), Metric("f1", macro_f1))
UNPARSABLE = Metric("unparsable", higher_is_better=False)
OPEN_METRICS = (
    Metric("empty", higher_is_better=False),
    Metric("leaked", partial(accuracy_of_type, "with a secret"), higher_is_better=False),
)

_log = logging.getLogger(__name__)


class PersonaMemV2Task(PromptingTask):
    """One size of the second release under one condition and one way of answering."""

    version2: PersonaMemV2

    def __init__(self, config: dict[str, Any]) -> None:
        """Load the questions; ``config`` is the YAML file's."""
        self._mode = "open" if config["doc_to_target"] == "gold" else "choice"
        metrics: tuple[Metric, ...] = OPEN_METRICS if self._mode == "open" else CHOICE_METRICS
        if self._mode == "choice" and config["output_type"] == "generate_until":
            metrics = (*metrics, UNPARSABLE)
        is_memory = (config.get("dataset_kwargs") or {}).get("condition") == "memory"
        if is_memory and self._mode == "choice":
            metrics = (*metrics, RECALL)
        super().__init__({**config, "metric_list": describe_metrics(metrics)})

    def aggregation(self) -> dict[str, Any]:
        """Return the functions that aggregate the metrics, those of labels included."""
        parts = {class_metric(label): partial(accuracy_of_type, label) for label in self.labels}
        return {**super().aggregation(), **parts}

    def higher_is_better(self) -> dict[str, bool]:
        """Return whether more is better, by metric."""
        return {**super().higher_is_better(), **dict.fromkeys(map(class_metric, self.labels), True)}

    def download(self, dataset_kwargs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Load the questions of the size, ordered by history."""
        self.condition = (dataset_kwargs or {}).get("condition", "full")
        if self.condition not in FAMILY.conditions:
            raise unknown_choice("condition", self.condition, FAMILY.conditions)
        split, metadata = str(self.config.test_split), self.config.metadata or {}
        self.protocol = read_protocol(metadata)
        self._refuse_impossible()
        source = find_source(metadata) or VERSION2_SOURCE
        self.version2 = self._leave_out(
            load_version2(source, split, str(metadata.get("table", "benchmark")))
        )
        data = self.version2.data
        self.config.dataset_path = data.source
        settings = self._prepare(metadata)
        self.fingerprint = make_fingerprint(
            (data.source, self.condition, self.protocol, settings, data.questions)
        )
        entries = map(self.version2.entry_of, data.ordered_questions())
        docs = [make_doc(entry, split, self.protocol, self._mode) for entry in entries]
        labels = {label for doc in docs for label in doc["labels"]}
        self.labels = sorted(labels) if self._mode == "choice" else []
        self.dataset = {split: datasets.Dataset.from_list(docs)}
        self._questions = {question.question_id: question for question in data.questions}

    def make_messages(self, doc: Doc) -> list[Message]:
        """Return what the condition shows of the history, and the question."""
        return [*self._select_messages(doc), *make_turns(doc)]

    def make_turn(self, doc: Doc) -> str:
        """Return the text with which the prompt ends."""
        return doc_to_text(doc)

    def split_prompt(self, doc: Doc) -> PromptParts:
        """Return the parts of a prompt; the release states the length of whole histories."""
        link, turn = doc["shared_context_id"], doc_to_text(doc)
        tokens = doc["context_length_in_tokens"]
        if self.condition == "full" and tokens is not None:
            return PromptParts(link, 0, (), tokens, turn)
        texts = tuple(message["content"] for message in self._select_messages(doc))
        prefix = 0 if self.condition == "full" else hash(texts)
        return PromptParts(link, prefix, texts, None, turn)

    def group_prompt(self, doc: Doc) -> str | None:
        """Return the history, where all of its questions see the same of it."""
        alike = self.condition in ("full", "profile")
        return str(doc["shared_context_id"]) if alike else None

    def describe_prompt(self, doc: Doc) -> dict[str, Any]:
        """Return which history is shown, how, and what was retrieved of it."""
        description = {
            "question_id": doc["question_id"],
            "dataset": self.version2.data.source,
            "split": self.version2.data.split,
            "condition": self.condition,
            "protocol": self.protocol,
            "shared_context_id": doc["shared_context_id"],
            "end_index": doc["end_index_in_shared_context"],
        }
        question = self._question_of(doc)
        if self.condition == "rag":
            description["messages"] = list(self._retrieval.find_messages(question))
        if self.condition == "memory":
            return {**description, "memory": self._memory.system, "budget": self._memory.budget}
        return description

    def bound_letters(self, doc: Doc) -> int:
        """Return the length of the whole history, or 0 if nothing of it is shown."""
        return 0 if self.condition == "nocontext" else int(doc["context_length_in_letters"])

    def process_results(self, doc: Doc, results: Any) -> dict[str, Any]:
        """Score one question; every metric gets a value from every document."""
        scores: dict[str, Any] = super().process_results(doc, results)
        if "acc" not in scores:
            return scores  # Open questions; and with --predict_only nothing is scored.
        if self.condition == "memory":
            scores[RECALL.name] = self._recall.describe(self._question_of(doc))
        return {**scores, **spread_accuracy(scores["acc"], doc["labels"], self.labels)}

    def _refuse_impossible(self) -> None:
        if self.protocol != "as_released":
            return
        if self.OUTPUT_TYPE == "multiple_choice":
            raise InvalidInputError(
                f"{self.config.task}: the release ranks no letters by likelihood. Accepted with "
                "the protocol as_released: the tasks without _ll."
            )
        if self._mode == "choice":
            self.config.generation_kwargs["max_gen_toks"] = RELEASED_REPLY_TOKENS

    def _leave_out(self, version2: PersonaMemV2) -> PersonaMemV2:
        """Return the questions that the protocol asks, and note what is known of the others."""
        chosen = version2
        if self.protocol == "corrected":
            chosen = version2.keep([entry for entry in version2.entries if entry.is_answerable])
        left_out = len(version2.entries) - len(chosen.entries)
        counts = {"left_out": left_out, "absent_snippets": len(chosen.absent)}
        self.config.metadata = {**(self.config.metadata or {}), **counts}
        if left_out:
            _log.warning(
                "%s: %s of %s questions are left out: they ask about confidential data that their "
                "history does not hold. The protocol as_released asks them.",
                self.config.task,
                f"{left_out:,}",
                f"{len(version2.entries):,}",
            )
        return chosen

    def _prepare(self, metadata: Mapping[str, Any]) -> object:
        """Make what the condition needs, and return what it was told."""
        shown: dict[str, Select] = {
            "full": self.version2.data.messages_for,
            "nocontext": lambda question: [],
            "profile": lambda question: [],
            "oracle": partial(show_snippet, self.version2),
        }
        if self.condition == "rag":
            found = read_settings(with_default_k(metadata))
            retriever = make_retriever(found.retriever, report=log_embedding)
            self._retrieval = ChunkRetrieval(self.version2, retriever, found.k)
            self._show: Select = self._retrieval.messages_for
            return found
        if self.condition == "memory":
            self._memory = read_memory_settings(metadata)
            self._recall = MemoryRecall(self.version2.data, self._memory)
            self._show = self._recall.messages_for
            return self._memory
        self._show = shown[self.condition]
        return None

    def _select_messages(self, doc: Doc) -> list[Message]:
        question = self._question_of(doc)
        shown = self._show(question)
        if self.condition in ("full", "nocontext"):
            return shown
        if self.protocol == "as_released" and self.condition in ("rag", "memory"):
            return shown
        return [*self.version2.profile_for(question), *shown]

    def _question_of(self, doc: Doc) -> Question:
        return self._questions[doc["question_id"]]
