"""A split in the columns and files of the second release, for its runner and for our own loader.

That release asks every query after a whole history, so the beginning of a context that a question
sees becomes a history file of its own, shared by the questions that see as much. Its histories have
one system message; ours have one a session, with the date: the first stays, and each later one goes
to the head of the user's message that follows.

What the release tells and a dataset of ours does not stays empty: the scenario of a conversation,
and personas in words other than those of the system message. A question about what the user prefers
has the right option as ``preference``: our rows state none in words of their own. Questions about
what was to be forgotten or kept confidential get the types of the release, since their right option
leaves something out; all others use what is known, and are ``neutral_preferences``.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import (
    FORGET,
    OTHERS,
    SENSITIVE,
    SIZES,
    Annotation,
    Message,
    Question,
)
from personamem.loaders.formats.tokens import count_tokens
from personamem.loaders.personamem.dataset import PersonaMem
from personamem.loaders.personamem.version2.records import (
    COLUMNS,
    FORGET_TYPE,
    SENSITIVE_TYPES,
    SPLITS,
    TABLE,
)
from personamem.loaders.prompting.templates import SYSTEM_NOTE, TURN_BREAK

OTHER_TYPE = "neutral_preferences"
FORGOTTEN, FORMER = "forgotten", "former"
"""Roles of options."""


def write_version2(data: PersonaMem, folder: Path) -> int:
    """Write the split into ``folder``, and return the number of queries.

    Raises:
        InvalidInputError: the dataset has no annotations, or its contexts are longer than the
            release's.
    """
    if not data.has_annotations:
        raise InvalidInputError(
            f"{data.source} has no annotations, which name the snippets. Accepted: a dataset built "
            "by personamem."
        )
    size = choose_size(data.split)
    path = folder / TABLE
    path.parent.mkdir(parents=True)
    (folder / "data" / f"chat_history_{size}").mkdir(parents=True)
    count = 0
    with path.open("w", encoding="utf-8", newline="") as stream:
        # The columns of the other size stay empty.
        writer = csv.DictWriter(stream, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        for row in _iterate_rows(data, folder, size):
            writer.writerow(row)
            count += 1
    return count


def choose_size(split: str) -> str:
    """Return the size of the release that takes the contexts of a split."""
    for size in SPLITS:
        if SIZES.get(split, 0) <= SIZES[size]:
            return size
    raise InvalidInputError(
        f"Split {split} is longer than the histories of the second release. Accepted: up to 128k."
    )


def convert_history(messages: Sequence[Message]) -> tuple[list[Message], list[int]]:
    """Return a context with one system message, and the new index of each message."""
    history: list[Message] = []
    places: list[int] = []
    notes: list[str] = []
    for index, message in enumerate(messages):
        # A note becomes a part of what follows, or a message of its own.
        places.append(len(history))
        if message["role"] == "system" and index:
            notes.append(SYSTEM_NOTE.format(content=message["content"]))
            continue
        content = message["content"]
        if notes and message["role"] == "user":
            content, notes = TURN_BREAK.join([*notes, content]), []
        history.append({"role": message["role"], "content": content})
    if notes:
        history.append({"role": "user", "content": TURN_BREAK.join(notes)})
    return history, places


def _iterate_rows(data: PersonaMem, folder: Path, size: str) -> Iterator[Mapping[str, Any]]:
    last = ("", 0)
    history: list[Message] = []
    places: list[int] = []
    link, tokens = "", 0
    for question, messages in data.pairs():
        seen = (question.shared_context_id, question.end_index_in_shared_context)
        if seen != last:
            history, places = convert_history(messages)
            tokens = sum(count_tokens(message["content"]) for message in history)
            name = f"chat_history_{seen[0][:16]}_{seen[1]}.json"
            link, last = f"data/chat_history_{size}/{name}", seen
            _write_history(folder / link, question, history, tokens)
        annotation = data.evidence_for(question)
        assert annotation is not None
        snippet = _pick_snippet(annotation, history, places)
        persona = history[0]["content"] if history[0]["role"] == "system" else ""
        yield {
            "persona_id": question.persona_id,
            **_describe_history(question, size, link, tokens),
            "raw_persona_file": "",
            "short_persona": persona,
            "expanded_persona": json.dumps({"short_persona": persona}, ensure_ascii=False),
            "user_query": str({"role": "user", "content": question.user_question_or_message}),
            **_describe_question(question, annotation),
            "related_conversation_snippet": json.dumps(snippet, ensure_ascii=False),
        }


def _write_history(path: Path, question: Question, history: Sequence[Message], tokens: int) -> None:
    metadata = {
        "total_messages": len(history),
        "final_token_count": tokens,
        "persona_id": question.persona_id,
        "input_filename": "",
    }
    content = {"metadata": metadata, "chat_history": list(history)}
    path.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")


def _pick_snippet(
    annotation: Annotation, history: Sequence[Message], places: Sequence[int]
) -> list[Message]:
    """Return the messages that prove the gold, each with the reply to it."""
    proof = annotation.evidence_message_indices or annotation.related_message_indices
    wanted = {places[index] for index in proof}
    replies = {place + 1 for place in wanted if place + 1 < len(history)}
    kept = wanted | {place for place in replies if history[place]["role"] == "assistant"}
    return [history[place] for place in sorted(kept)]


def _describe_history(question: Question, size: str, link: str, tokens: int) -> dict[str, Any]:
    stated, irrelevant = question.context_length_in_tokens, question.num_irrelevant_tokens
    known = stated is not None and irrelevant is not None
    return {
        f"chat_history_{size}_link": link,
        f"distance_from_related_snippet_to_query_{size}": question.distance_to_ref_in_tokens,
        f"total_tokens_in_chat_history_{size}": tokens,
        f"num_persona_relevant_tokens_{size}": (stated or 0) - (irrelevant or 0) if known else "",
        f"num_persona_irrelevant_tokens_{size}": "" if irrelevant is None else irrelevant,
    }


def _describe_question(question: Question, annotation: Annotation) -> dict[str, Any]:
    gold = question.options[question.answer_index]
    wrong = [text for text in question.options if text != gold]
    by_role = dict(zip(annotation.option_roles, question.options, strict=True))
    pref_type, preference, former = OTHER_TYPE, gold, by_role.get(FORMER, "")
    if question.question_type == FORGET:
        former = by_role.get(FORGOTTEN, "")
        pref_type, preference = FORGET_TYPE, f"Do not remember: {former}"
    elif question.question_type == OTHERS:
        preference = f"True of the person whom the message is about: {gold}"
    elif question.question_type == SENSITIVE:
        pref_type = SENSITIVE_TYPES[0]
        preference, former = "Do not tell what the user asked to keep confidential", ""
    return {
        "correct_answer": gold,
        "incorrect_answers": json.dumps(wrong, ensure_ascii=False),
        "topic_query": question.topic,
        "preference": preference,
        "topic_preference": question.topic,
        "conversation_scenario": "",
        "pref_type": pref_type,
        "who": "self",
        "updated": str(bool(annotation.updates)),
        "prev_pref": former,
        "sensitive_info": str(pref_type == SENSITIVE_TYPES[0]),
    }
