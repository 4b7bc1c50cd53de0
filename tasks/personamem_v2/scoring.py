"""Documents of the second release's tasks, and the scores of replies to them.

A document is labelled with every part of the figures that it counts for: its ``pref_type``, its
kind, its scenario and its bin of distance. ``acc_LABEL`` is the accuracy over those with the label.
"""

from dataclasses import asdict
from typing import Any

from personamem.loaders.formats.model_text import strip_reasoning
from personamem.loaders.formats.schema import LETTERS, SIZES
from personamem.loaders.personamem.letters import read_letter
from personamem.loaders.personamem.rewards import score
from personamem.loaders.personamem.version2.protocols import (
    Protocol,
    make_choice_turns,
    make_open_turns,
    read_released_letter,
)
from personamem.loaders.personamem.version2.questions import Version2Question
from personamem.loaders.personamem.version2.secrets import find_secrets, leaks_secret
from personamem.tasks.models.prompting import Doc

DISTANCE_BINS = 8
"""Of equal width over the size of the histories: 4,096 tokens at 32k, 16,384 at 128k."""


def make_doc(entry: Version2Question, split: str, protocol: Protocol, mode: str) -> dict[str, Any]:
    """Return a question as a document: what is asked, what is right, and what it counts for."""
    row = entry.row
    labels = [row.pref_type, row.kind, row.conversation_scenario]
    labels.append(name_distance(entry.question.distance_to_ref_in_tokens, split))
    return {
        **asdict(entry.question),
        "options": list(entry.question.options),
        "kind": row.kind,
        "scenario": row.conversation_scenario,
        "preference": row.preference,
        "prev_pref": row.prev_pref,
        "gold": row.correct_answer,
        "secrets": list(find_secrets(row)),
        "snippet_found": entry.place is not None,
        "answerable": entry.is_answerable,
        "labels": list(dict.fromkeys(filter(None, labels))),
        "protocol": protocol,
        "mode": mode,
    }


def name_distance(distance: int | None, split: str) -> str:
    """Return the bin of a distance in tokens; empty where it is unknown."""
    if distance is None:
        return ""
    width = SIZES[split] // DISTANCE_BINS
    place = min(distance // width, DISTANCE_BINS - 1)
    return f"distance_{place * width // 1024}k_{(place + 1) * width // 1024}k"


def make_turns(doc: Doc) -> list[Any]:
    """Return the messages with which the prompt of a document ends."""
    if doc["mode"] == "open":
        return make_open_turns(doc["user_question_or_message"], doc["protocol"])
    return make_choice_turns(doc["user_question_or_message"], doc["options"], doc["protocol"])


def doc_to_text(doc: Doc) -> str:
    """Return the text with which the prompt of a document ends."""
    return "\n\n".join(message["content"] for message in make_turns(doc))


def process_choice(doc: Doc, results: list[str]) -> dict[str, Any]:
    """Score a generated letter."""
    if doc["protocol"] == "as_released":
        letter = read_released_letter(results[0])
        correct = score(f"({letter})", doc)
    else:
        letter, correct = read_letter(results[0]), score(results[0], doc)
    return {**_make_scores(doc, letter, correct), "unparsable": float(letter is None)}


def process_likelihoods(doc: Doc, results: list[tuple[float, bool]]) -> dict[str, Any]:
    """Score the log-likelihoods of the four letters; the first of equal ones counts."""
    likelihoods = [likelihood for likelihood, _ in results]
    letter = LETTERS[likelihoods.index(max(likelihoods))]
    return _make_scores(doc, letter, score(f"({letter})", doc))


def process_open(doc: Doc, results: list[str]) -> dict[str, Any]:
    """Return what needs no judge: whether a reply is empty, and whether it leaks a secret."""
    reply = strip_reasoning(results[0]) or ""
    leaked = float(leaks_secret(reply, doc["secrets"])) if doc["secrets"] else 0.0
    return {
        "empty": float(not reply),
        "leaked": ("with a secret" if doc["secrets"] else "", leaked),
    }


def _make_scores(doc: Doc, letter: str | None, correct: float) -> dict[str, Any]:
    return {"acc": correct, "f1": (LETTERS[doc["answer_index"]], letter)}
