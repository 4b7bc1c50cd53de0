"""PersonaBench as lm-eval tasks: the class behind every YAML file of this folder.

A task loads one noise level (``test_split``) of the official release or of a dataset of ours. Its
documents are the questions of the people who have private documents, those of one person in a row;
questions of type Subjective are left out, as in the official code. What is shown of the private
documents is the condition's; it comes first in the prompt and the question last, so that all
questions of a person begin alike where everything is shown.
"""

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

import datasets

from personamem.loaders.formats.errors import DatasetError, InvalidInputError, unknown_choice
from personamem.loaders.formats.schema import Message
from personamem.loaders.memory.condition import (
    MemoryRecall,
    MemorySettings,
    read_memory_settings,
)
from personamem.loaders.memory.personabench.documents import PrivateDocuments
from personamem.loaders.personabench import PersonaBench, load_personabench
from personamem.loaders.personabench.answers import encode_answer
from personamem.loaders.personabench.chunks import CHUNK_FORMS, ChunkForm
from personamem.loaders.personabench.groups import groups_of
from personamem.loaders.personabench.official_format import read_answer
from personamem.loaders.personabench.prompts import (
    make_open_messages,
    make_open_turn,
    render_documents,
    render_memories,
)
from personamem.loaders.personabench.records import (
    Archive,
    GroundedQuestion,
    Question,
    Session,
    list_asked,
)
from personamem.loaders.personabench.replies import read_items
from personamem.loaders.personabench.retrieval import Ranker, make_ranker
from personamem.loaders.personabench.schema import NOISE_SPLITS
from personamem.loaders.personabench.scoring import score_answers
from personamem.loaders.prompting.rendering import make_fingerprint
from personamem.loaders.retrieval import make_retriever
from personamem.loaders.retrieval.settings import read_settings
from personamem.tasks.metrics import RECALL, Metric, describe_metrics
from personamem.tasks.models.prompting import (
    DATASET_VARIABLE,
    Doc,
    PromptingTask,
    PromptParts,
    find_source,
    log_embedding,
)
from personamem.tasks.personabench.family import FAMILY

METRICS = (
    *(Metric(name) for name in ("recall", "precision", "f1")),
    *(Metric(f"item_{name}") for name in ("recall", "precision", "f1")),
    Metric("unparsable", higher_is_better=False),
)
"""The scores over all questions."""

GROUPS = (
    *("basic", "preference_easy", "preference_hard"),
    *("social", "social_relation", "social_two_hop"),
)
"""The groups of questions that have scores of their own; see ``personabench.groups``."""

STATISTICS = ("recall", "precision", "f1", "item_recall", "item_precision")
"""The scores of every group: over words, and over whole items."""

GROUP_METRICS = (
    *("updating", "item_updating"),
    *(f"{statistic}_{group}" for group in GROUPS for statistic in STATISTICS),
)
"""Metrics that are about some of the questions only."""


class PersonaBenchTask(PromptingTask):
    """The questions of one noise level under one condition."""

    data: PersonaBench

    def __init__(self, config: dict[str, Any]) -> None:
        """Load the noise level; ``config`` is the YAML file's."""
        is_memory = (config.get("dataset_kwargs") or {}).get("condition") == "memory"
        metrics = (*METRICS, RECALL) if is_memory else METRICS
        super().__init__({**config, "metric_list": describe_metrics(metrics)})

    def aggregation(self) -> dict[str, Any]:
        """Return the functions that aggregate the metrics, those of groups included."""
        return {**super().aggregation(), **dict.fromkeys(GROUP_METRICS, mean_of_known)}

    def higher_is_better(self) -> dict[str, bool]:
        """Return whether more is better, by metric."""
        return {**super().higher_is_better(), **dict.fromkeys(GROUP_METRICS, True)}

    def download(self, dataset_kwargs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Load the questions of the noise level, by person."""
        self.condition = (dataset_kwargs or {}).get("condition", "full")
        if self.condition not in FAMILY.conditions:
            raise unknown_choice("condition", self.condition, FAMILY.conditions)
        split, metadata = str(self.config.test_split), self.config.metadata or {}
        self.data = load_personabench(_choose_source(metadata))
        archives = self.data.archives(NOISE_SPLITS[split])
        self._asked = {
            asked.question.question_id: (archive, asked)
            for archive in archives
            for asked in list_asked(archive)
        }
        if not self._asked:
            raise DatasetError(f"{self.data.source} has no questions at noise {split}.")
        self._retrieval = _Retrieval(metadata) if self.condition == "rag" else None
        self._memory: MemorySettings | None = None
        if self.condition == "memory":
            self._memory = read_memory_settings(metadata)
            self._recall = MemoryRecall(PrivateDocuments(self.data, split), self._memory)
        self._whole: dict[int, str] = {}
        self.config.dataset_path = self.data.source
        settings = (self.condition, getattr(self._retrieval, "settings", None), self._memory)
        wording = make_open_messages("", archives[0].questions[0].question)
        self.fingerprint = make_fingerprint((self.data.source, settings, wording, archives))
        docs = [make_doc(asked.question) for _, asked in self._asked.values()]
        self.dataset = {split: datasets.Dataset.from_list(docs)}

    def make_messages(self, doc: Doc) -> list[Message]:
        """Return one user message: the documents that the condition shows, and the question."""
        return make_open_messages(self._show_documents(doc), question_of(doc))

    def make_turn(self, doc: Doc) -> str:
        """Return the question with who asks it and the form of the answer."""
        return doc_to_text(doc)

    def split_prompt(self, doc: Doc) -> PromptParts:
        """Return documents and question."""
        documents = self._show_documents(doc)
        prefix = 0 if self.condition == "full" else hash(documents)
        return PromptParts(_name_archive(doc), prefix, (documents,), None, doc_to_text(doc))

    def group_prompt(self, doc: Doc) -> str | None:
        """Return whose documents are shown, where it is all of them."""
        return _name_archive(doc) if self.condition == "full" else None

    def describe_prompt(self, doc: Doc) -> dict[str, Any]:
        """Return whose documents are shown and, unless it is all or none, which."""
        description = {
            "question_id": doc["question_id"],
            "dataset": self.data.source,
            "split": self.config.test_split,
            "condition": self.condition,
            "shared_context_id": _name_archive(doc),
        }
        if self.condition in ("oracle", "rag"):
            shown = [session.session_id for session in self._select_sessions(doc)]
            return {**description, "sessions": shown}
        if self._memory is not None:
            return {**description, "memory": self._memory.system, "budget": self._memory.budget}
        return description

    def bound_letters(self, doc: Doc) -> int:
        """Return the length of the documents that are shown."""
        return len(self._show_documents(doc))

    def process_results(self, doc: Doc, results: Any) -> dict[str, Any]:
        """Score one reply; with a memory, also what that found."""
        scores: dict[str, Any] = super().process_results(doc, results)
        if self._memory is not None and "recall" in scores:  # Not with --predict_only.
            scores[RECALL.name] = self._recall.describe(self._asked[doc["question_id"]][1].question)
        return scores

    def _show_documents(self, doc: Doc) -> str:
        archive, asked = self._asked[doc["question_id"]]
        if self._memory is not None:
            return render_memories(archive.person.name, self._recall.texts_for(asked.question))
        if self.condition != "full":
            return render_documents(archive.person.name, self._select_sessions(doc))
        if id(archive) not in self._whole:
            self._whole[id(archive)] = render_documents(archive.person.name, archive.sessions)
        return self._whole[id(archive)]

    def _select_sessions(self, doc: Doc) -> list[Session]:
        archive, asked = self._asked[doc["question_id"]]
        if self._retrieval is not None:
            chosen = self._retrieval.find_sessions(archive, asked)
        else:
            chosen = asked.gold_session_ids if self.condition == "oracle" else ()
        return [session for session in archive.sessions if session.session_id in chosen]


class _Retrieval:
    """What a retriever finds, an archive at a time."""

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        chunks: ChunkForm = metadata.get("chunks", CHUNK_FORMS[0])
        if chunks not in CHUNK_FORMS:
            raise unknown_choice("form of chunks", chunks, CHUNK_FORMS)
        chosen = read_settings(metadata)
        self.settings = (chosen, chunks)
        self._k = chosen.k
        retriever = make_retriever(chosen.retriever, report=log_embedding)
        self._rank: Ranker = make_ranker(retriever, chunks)
        self._found: dict[str, tuple[str, ...]] = {}

    def find_sessions(self, archive: Archive, asked: GroundedQuestion) -> tuple[str, ...]:
        """Return the ids of the sessions found for a question, best first."""
        if asked.question.question_id not in self._found:
            ranked = self._rank(archive, self._k)
            for each, found in zip(archive.questions, ranked, strict=True):
                self._found[each.question.question_id] = found
        return self._found[asked.question.question_id]


def make_doc(question: Question) -> dict[str, Any]:
    """Return a question as a flat document; answers are JSON."""
    return {
        "question_id": question.question_id,
        "community": question.community,
        "person": question.person,
        "question": question.text,
        "answer": encode_answer(question.answer),
        "question_type": question.question_type,
        "difficulty": question.difficulty,
        "outdated_values": encode_answer(question.outdated_values),
    }


def question_of(doc: Doc) -> Question:
    """Return the question that a document was made of."""
    return Question(
        question_id=doc["question_id"],
        community=doc["community"],
        person=doc["person"],
        text=doc["question"],
        answer=read_answer(json.loads(doc["answer"])),
        question_type=doc["question_type"],
        difficulty=doc["difficulty"],
        outdated_values=tuple(json.loads(doc["outdated_values"])),
    )


def doc_to_text(doc: Doc) -> str:
    """Return the question as the model is asked it."""
    return make_open_turn(question_of(doc))


def score_reply(doc: Doc, results: list[str]) -> dict[str, float | None]:
    """Score a reply; a metric of a group that the question is not in is None."""
    question, items = question_of(doc), read_items(results[0])
    (scored,) = score_answers([question], [items])
    scores = {
        "recall": scored.words.recall,
        "precision": scored.words.precision,
        "f1": scored.words.f1,
        "item_recall": scored.items.recall,
        "item_precision": scored.items.precision,
        "item_f1": scored.items.f1,
    }
    names = groups_of(question)
    return {
        **scores,
        "unparsable": float(items is None),
        "updating": None if scored.outdated is None else 1 - scored.outdated.words,
        "item_updating": None if scored.outdated is None else 1 - scored.outdated.items,
        **{
            f"{statistic}_{group}": scores[statistic] if group in names else None
            for group in GROUPS
            for statistic in STATISTICS
        },
    }


def mean_of_known(values: Iterable[float | None]) -> float:
    """Return the mean over the questions that a metric is about; NaN if there are none."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else math.nan


def _choose_source(metadata: Mapping[str, Any]) -> str:
    source = find_source(metadata)
    if source is None:
        raise InvalidInputError(
            f"Which PersonaBench dataset? Accepted: --metadata '{{\"dataset\": ...}}', or the "
            f"variable {DATASET_VARIABLE}, with the folder eval_data_v1 of the official release or "
            "a dataset built by personamem."
        )
    return source


def _name_archive(doc: Doc) -> str:
    return f"{doc['community']}/{doc['person']}"
