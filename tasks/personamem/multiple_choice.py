"""PersonaMem as lm-eval tasks: the class behind every YAML file of this folder.

A task loads one split (``test_split``) of a dataset with ``personamem.loaders``. Its documents hold
the questions only; contexts are read from the loader while the prompts are built, ordered by
context so that each is read once.
"""

from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import partial
from typing import Any

import datasets

from personamem.loaders import (
    OFFICIAL_SOURCE,
    PersonaMem,
    load_personamem,
    make_final_turn,
    oracle_messages_for,
    read_letter,
)
from personamem.loaders.formats.errors import unknown_choice
from personamem.loaders.formats.schema import LETTERS, Message, Question
from personamem.loaders.memory.condition import (
    MemoryRecall,
    MemorySettings,
    read_memory_settings,
)
from personamem.loaders.personamem.metrics import (
    accuracy_of_third,
    accuracy_of_type,
    macro_f1,
)
from personamem.loaders.personamem.oracle import missing_annotations
from personamem.loaders.personamem.rag import SessionRetrieval
from personamem.loaders.personamem.rewards import score
from personamem.loaders.prompting.rendering import make_fingerprint
from personamem.loaders.retrieval import make_retriever
from personamem.loaders.retrieval.settings import RetrievalSettings, read_settings
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
from personamem.tasks.personamem.family import FAMILY

METRICS = (
    Metric("acc"),
    Metric("f1", macro_f1),
    Metric("acc_near", partial(accuracy_of_third, "near")),
    Metric("acc_middle", partial(accuracy_of_third, "middle")),
    Metric("acc_far", partial(accuracy_of_third, "far")),
)
"""The scores of every task; each question type and level of evidence of a dataset has one more."""

UNPARSABLE = Metric("unparsable", higher_is_better=False)
"""Of generated replies only."""

_COLUMNS = tuple(field.name for field in fields(Question))


class PersonaMemTask(PromptingTask):
    """A split of a PersonaMem dataset under one condition and one way of answering."""

    data: PersonaMem

    def __init__(self, config: dict[str, Any]) -> None:
        """Load the split; ``config`` is the YAML file's."""
        generates = config["output_type"] == "generate_until"
        metrics = (*METRICS, UNPARSABLE) if generates else METRICS
        if (config.get("dataset_kwargs") or {}).get("condition") == "memory":
            metrics = (*metrics, RECALL)
        super().__init__({**config, "metric_list": describe_metrics(metrics)})

    def aggregation(self) -> dict[str, Any]:
        """Return the functions that aggregate the metrics, those of types and levels included."""
        classes = {class_metric(name): partial(accuracy_of_type, name) for name in self.classes}
        return {**super().aggregation(), **classes}

    def higher_is_better(self) -> dict[str, bool]:
        """Return whether more is better, by metric."""
        classes = dict.fromkeys(map(class_metric, self.classes), True)
        return {**super().higher_is_better(), **classes}

    def download(self, dataset_kwargs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Load the questions of the split, ordered by context, then by end index."""
        self.condition = (dataset_kwargs or {}).get("condition", "full")
        if self.condition not in FAMILY.conditions:
            raise unknown_choice("condition", self.condition, FAMILY.conditions)
        split = self.config.test_split
        metadata = self.config.metadata or {}
        self.data = load_personamem(choose_source(metadata), split)
        if self.condition == "oracle" and not self.data.has_annotations:
            raise missing_annotations(self.data)
        self._settings: RetrievalSettings | None = None
        if self.condition == "rag":
            self._settings = read_settings(metadata)
            retriever = make_retriever(self._settings.retriever, report=log_embedding)
            self._retrieval = SessionRetrieval(self.data, retriever, self._settings.k)
        self._memory: MemorySettings | None = None
        if self.condition == "memory":
            self._memory = read_memory_settings(metadata)
            self._recall = MemoryRecall(self.data, self._memory)
        self.config.dataset_path = self.data.source
        questions = self.data.ordered_questions()
        settings = (self.condition, self._settings, self._memory)
        self.fingerprint = make_fingerprint((self.data.source, settings, self.data.questions))
        docs = [{**asdict(q), "dials": read_dials(self.data, q)} for q in questions]
        levels = {doc["dials"]["level"] for doc in docs if doc["dials"]}
        self.classes = [*sorted({q.question_type for q in questions}), *sorted(levels - {""})]
        self.dataset = {split: datasets.Dataset.from_list(docs)}

    def make_messages(self, doc: Doc) -> list[Message]:
        """Return the conversation of a question, as the condition has it, and its final turn."""
        return self.messages_for(question_of(doc))

    def messages_for(self, question: Question) -> list[Message]:
        """Return the conversation of a question under the task's condition, final turn included."""
        text = make_final_turn(question.user_question_or_message, question.options)
        return [*self._select_messages(question), {"role": "user", "content": text}]

    def make_turn(self, doc: Doc) -> str:
        """Return the question with its options."""
        return doc_to_text(doc)

    def split_prompt(self, doc: Doc) -> PromptParts:
        """Return the parts of a prompt; most releases state the length of a whole conversation."""
        context, turn = doc["shared_context_id"], doc_to_text(doc)
        tokens = doc["context_length_in_tokens"]
        if self.condition == "full" and tokens is not None:
            return PromptParts(context, 0, (), tokens, turn)
        messages = self._select_messages(question_of(doc))
        texts = tuple(message["content"] for message in messages)
        prefix = 0 if self.condition == "full" else hash(texts)
        return PromptParts(context, prefix, texts, None, turn)

    def group_prompt(self, doc: Doc) -> str | None:
        """Return the context: only whole conversations are beginnings of one another."""
        return str(doc["shared_context_id"]) if self.condition == "full" else None

    def describe_prompt(self, doc: Doc) -> dict[str, Any]:
        """Return where the question's conversation stands, and what was retrieved of it."""
        description = {
            "question_id": doc["question_id"],
            "dataset": self.data.source,
            "split": self.data.split,
            "condition": self.condition,
            "shared_context_id": doc["shared_context_id"],
            "end_index": doc["end_index_in_shared_context"],
        }
        if self.condition == "rag":
            found = self._retrieval.find_sessions(question_of(doc))
            return {**description, "sessions": list(found)}
        if self.condition == "memory":
            assert self._memory is not None
            return {**description, "memory": self._memory.system, "budget": self._memory.budget}
        return description

    def bound_letters(self, doc: Doc) -> int:
        """Return the length of the whole conversation, or 0 if nothing of it is shown."""
        return 0 if self.condition == "nocontext" else int(doc["context_length_in_letters"])

    def process_results(self, doc: Doc, results: Any) -> dict[str, Any]:
        """Score one question; every metric gets a value from every document."""
        scores: dict[str, Any] = super().process_results(doc, results)
        if "acc" not in scores:
            return scores  # With --predict_only nothing is scored.
        if self.condition == "memory":
            scores[RECALL.name] = self._recall.describe(question_of(doc))
        own = (doc["question_type"], (doc["dials"] or {}).get("level"))
        return {**scores, **spread_accuracy(scores["acc"], own, self.classes)}

    def _select_messages(self, question: Question) -> list[Message]:
        if self.condition == "full":
            return self.data.messages_for(question)
        if self.condition == "oracle":
            return oracle_messages_for(self.data, question)
        if self.condition == "rag":
            return self._retrieval.messages_for(question)
        if self.condition == "memory":
            return self._recall.messages_for(question)
        return []


def choose_source(metadata: Mapping[str, Any]) -> str:
    """Return the dataset: ``--metadata``, else the environment, else the official release."""
    return find_source(metadata) or OFFICIAL_SOURCE


def read_dials(data: PersonaMem, question: Question) -> dict[str, Any] | None:
    """Return what reports need to know of a question; None where the dataset does not say.

    Models do not see it: prompts are made of the columns of the question.
    """
    annotation = data.evidence_for(question)
    if annotation is None:
        return None
    return {
        "quad_id": annotation.quad_id,
        "level": annotation.level,
        "updates": annotation.updates,
        "sessions_per_answer": annotation.sessions_per_answer,
        "distractors": annotation.distractors,
        "option_roles": list(annotation.option_roles),
    }


def question_of(doc: Doc) -> Question:
    """Return the question that a document was made of."""
    columns = {name: doc[name] for name in _COLUMNS}
    return Question(**{**columns, "options": tuple(doc["options"])})


def doc_to_text(doc: Doc) -> str:
    """Return the final user turn of a question."""
    return make_final_turn(doc["user_question_or_message"], doc["options"])


def process_generated(doc: Doc, results: list[str]) -> dict[str, Any]:
    """Score a generated reply."""
    letter = read_letter(results[0])
    scores = score_letter(doc, letter)
    return {**scores, "acc": score(results[0], doc), "unparsable": float(letter is None)}


def process_likelihoods(doc: Doc, results: list[tuple[float, bool]]) -> dict[str, Any]:
    """Score the log-likelihoods of the four letters; the first of equal ones counts."""
    likelihoods = [likelihood for likelihood, _ in results]
    return score_letter(doc, LETTERS[likelihoods.index(max(likelihoods))])


def score_letter(doc: Doc, letter: str | None) -> dict[str, Any]:
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
