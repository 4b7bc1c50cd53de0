"""Communities as they lie on disk: rows of ``documents`` and ``open_questions``, and a JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from personamem.dataset_builder.families.personabench.asking import QuestionSpec
from personamem.dataset_builder.families.personabench.documents import build_archives, sessions_at
from personamem.dataset_builder.families.personabench.graph import Community, build_community
from personamem.dataset_builder.families.personabench.records import Archive, OpenQuestion, Session
from personamem.loaders.personabench.schema import NOISE_SPLITS, Utterance

Row = dict[str, Any]

NOTHING_WRITTEN: Mapping[str, tuple[Utterance, ...]] = {}


@dataclass(frozen=True, slots=True)
class OpenTables:
    """All rows of the open questions of a dataset: by noise split, and the communities."""

    communities: Sequence[Row]
    documents: Mapping[str, Sequence[Row]]
    questions: Mapping[str, Sequence[Row]]


def make_tables(
    seed: int, count: int, written: Mapping[str, tuple[Utterance, ...]] = NOTHING_WRITTEN
) -> OpenTables:
    """Return the rows of the first ``count`` communities of the world ``seed``.

    ``written`` are the messages of documents, by id, that another writer than the embedded one has
    made.
    """
    communities: list[Row] = []
    questions: list[Row] = []
    documents: dict[str, list[Row]] = {split: [] for split in NOISE_SPLITS}
    for number in range(count):
        community = build_community(seed, number)
        archives = build_archives(seed, number)
        communities.append(make_community(community))
        questions += make_questions(community, archives)
        for split, noise in NOISE_SPLITS.items():
            documents[split] += make_documents(community, archives, noise, written)
    return OpenTables(communities, documents, dict.fromkeys(NOISE_SPLITS, questions))


def name_category(row: Row) -> str:
    """Return the row of the result tables; Social ones on relations and over two hops apart."""
    if row["question_type"] == "Basic information":
        return "basic"
    if row["question_type"] == "Preference":
        return f"preference_{row['difficulty']}"
    return "social_two_hop" if row["hops"] == 2 else "social_relation"


def make_documents(
    community: Community,
    archives: Sequence[Archive],
    noise: float,
    written: Mapping[str, tuple[Utterance, ...]] = NOTHING_WRITTEN,
) -> list[Row]:
    """Return the rows of ``documents`` of a community at one noise level."""
    return [
        _make_document(
            community, archive.user, session, written.get(session.session_id, session.messages)
        )
        for archive in archives
        for session in sessions_at(archive, noise)
    ]


def make_questions(community: Community, archives: Sequence[Archive]) -> list[Row]:
    """Return the rows of ``open_questions`` of a community: the same at every noise level."""
    return [
        _make_question(community, archive.user, question)
        for archive in archives
        for question in archive.questions
    ]


def make_question_fields(community: Community, ask: QuestionSpec) -> Row:
    """Return the columns that follow from the world alone: all but id and gold."""
    return {
        "community": community.name,
        "person": community.members[ask.user].name,
        "question": ask.text,
        "answer": json.dumps(ask.answer, ensure_ascii=False),
        "question_type": ask.question_type,
        "difficulty": ask.difficulty,
        "attribute": ask.path,
        "hops": 2 if ask.form == "two_hop" else 1,
        "outdated_values": json.dumps([entry.plain for entry in ask.former], ensure_ascii=False),
    }


def make_community(community: Community) -> Row:
    """Return the entry of communities.json."""
    names = [member.name for member in community.members]
    return {
        "name": community.name,
        "people": [{"name": m.name, "persona": m.persona} for m in community.members],
        "relations": [
            {
                "source": names[tie.source],
                "target": names[tie.target],
                "relationship": tie.relationship,
                "description": tie.description,
            }
            for tie in community.ties
        ],
    }


def _make_document(
    community: Community, user: int, session: Session, messages: Sequence[Utterance]
) -> Row:
    return {
        "community": community.name,
        "person": community.members[user].name,
        "session_id": session.session_id,
        "kind": session.kind,
        "time": session.time,
        "partner": session.partner,
        "messages": [{"role": m.role, "content": m.content} for m in messages],
        "purchases": [
            {
                "title": item.title,
                "description": item.description,
                "brand": item.brand,
                "categories": list(item.categories),
            }
            for item in session.purchases
        ],
    }


def _make_question(community: Community, user: int, question: OpenQuestion) -> Row:
    gold = [{"value": gold.value, "session_ids": list(gold.session_ids)} for gold in question.gold]
    return {
        "question_id": question.question_id,
        **make_question_fields(community, question.ask),
        "gold": gold,
    }
