"""PersonaLens without a judge as lm-eval tasks: the class behind every YAML file of this folder.

A task asks the questions of all quads of a dataset under one setting: what the assistant is told of
the user. Four users share each question and its options, and each option is right for one of them,
so an answer that does not depend on the user is right for one of four.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import datasets

from personamem.loaders.formats.errors import DatasetError, InvalidInputError, unknown_choice
from personamem.loaders.formats.schema import LETTERS, Message
from personamem.loaders.personalens import PersonaLens, load_personalens
from personamem.loaders.personalens.prompts import make_messages, make_turn
from personamem.loaders.personamem.letters import read_letter
from personamem.loaders.prompting.rendering import make_fingerprint
from personamem.tasks.metrics import Metric, describe_metrics
from personamem.tasks.models.prompting import (
    DATASET_VARIABLE,
    Doc,
    PromptingTask,
    PromptParts,
    find_source,
)
from personamem.tasks.personalens.family import FAMILY

GROUPS = ("depth_1", "depth_2", "sd", "md")
"""Groups of questions that have an accuracy of their own: by depth and by kind of task."""

METRICS = (Metric("acc"),)
UNPARSABLE = Metric("unparsable", higher_is_better=False)
"""Of generated replies only."""


class ReplyChoiceTask(PromptingTask):
    """The questions of all quads under one setting and one way of answering."""

    data: PersonaLens

    def __init__(self, config: dict[str, Any]) -> None:
        """Load the questions; ``config`` is the YAML file's."""
        generates = config["output_type"] == "generate_until"
        metrics = (*METRICS, UNPARSABLE) if generates else METRICS
        super().__init__({**config, "metric_list": describe_metrics(metrics)})

    def aggregation(self) -> dict[str, Any]:
        """Return the functions that aggregate the metrics, those of groups included."""
        groups = {f"acc_{name}": mean_of_known for name in GROUPS}
        return {**super().aggregation(), **groups}

    def higher_is_better(self) -> dict[str, bool]:
        """Return whether more is better, by metric."""
        groups = {f"acc_{name}": True for name in GROUPS}
        return {**super().higher_is_better(), **groups}

    def download(self, dataset_kwargs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Load the questions, those of a quad in a row, so that a limit keeps quads whole."""
        self.setting = (dataset_kwargs or {}).get("condition", FAMILY.conditions[0])
        if self.setting not in FAMILY.conditions:
            raise unknown_choice("condition", self.setting, FAMILY.conditions)
        self.data = load_personalens(_choose_source(self.config.metadata or {}))
        if not self.data.quads:
            raise DatasetError(
                f"{self.data.source} has no quads, as the official release. Accepted: a dataset "
                "built by personamem."
            )
        self.config.dataset_path = self.data.source
        self._asked = {question.question_id: question for question in self.data.quads}
        settings = (self.data.source, self.setting, self.data.quads, self.data.profiles)
        self.fingerprint = make_fingerprint(settings)
        docs = [
            {
                "question_id": each.question_id,
                "quad_id": each.quad_id,
                "user_id": each.user_id,
                "task_id": each.task_id,
                "kind": each.kind,
                "depth": each.depth,
                "request": each.request,
                "options": list(each.options),
                "answer": f"({LETTERS[each.answer_index]})",
                "answer_index": each.answer_index,
            }
            for each in sorted(self.data.quads, key=lambda each: each.question_id)
        ]
        self.dataset = {str(self.config.test_split): datasets.Dataset.from_list(docs)}

    def make_messages(self, doc: Doc) -> list[Message]:
        """Return what the assistant is told, and the question."""
        question = self._asked[doc["question_id"]]
        profile = self.data.profile_by_id[question.user_id]
        return make_messages(profile, question, self.setting)

    def make_turn(self, doc: Doc) -> str:
        """Return the request with the four replies."""
        return doc_to_text(doc)

    def split_prompt(self, doc: Doc) -> PromptParts:
        """Return the parts of a prompt: what is told, and the turn."""
        told, _ = self.make_messages(doc)
        text = told["content"]
        return PromptParts(doc["user_id"], hash(text), (text,), None, doc_to_text(doc))

    def group_prompt(self, doc: Doc) -> None:
        """Return None: what is told depends on the domains of each task."""
        return

    def describe_prompt(self, doc: Doc) -> dict[str, Any]:
        """Return whose question it is, and what is told."""
        return {
            "question_id": doc["question_id"],
            "dataset": self.data.source,
            "split": str(self.config.test_split),
            "condition": self.setting,
            "user_id": doc["user_id"],
        }

    def bound_letters(self, doc: Doc) -> int:
        """Return the length of what is told."""
        return len(self.make_messages(doc)[0]["content"])

    def process_results(self, doc: Doc, results: Any) -> dict[str, Any]:
        """Score one question; a metric of a group that it is not in is None."""
        scores: dict[str, Any] = super().process_results(doc, results)
        if "acc" not in scores:
            return scores  # With --predict_only nothing is scored.
        own = (f"depth_{doc['depth']}", doc["kind"].lower())
        groups = {f"acc_{name}": scores["acc"] if name in own else None for name in GROUPS}
        return {**scores, **groups}


def doc_to_text(doc: Doc) -> str:
    """Return the request with the four replies, as the model is asked it."""
    return make_turn(doc["request"], doc["options"])


def process_generated(doc: Doc, results: list[str]) -> dict[str, Any]:
    """Score a generated reply."""
    letter = read_letter(results[0])
    right = letter == LETTERS[doc["answer_index"]]
    return {"acc": float(right), "unparsable": float(letter is None)}


def process_likelihoods(doc: Doc, results: list[tuple[float, bool]]) -> dict[str, Any]:
    """Score the log-likelihoods of the four letters; the first of equal ones counts."""
    likelihoods = [likelihood for likelihood, _ in results]
    return {"acc": float(likelihoods.index(max(likelihoods)) == doc["answer_index"])}


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """Return the mean over the questions that a metric is about; None if there are none."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def _choose_source(metadata: Mapping[str, Any]) -> str:
    source = find_source(metadata)
    if source is None:
        raise InvalidInputError(
            f"Which PersonaLens dataset? Accepted: --metadata '{{\"dataset\": ...}}', or the "
            f"variable {DATASET_VARIABLE}, with a dataset built by personamem."
        )
    return source
