"""Documents as a retriever meets them: every gold session is there, and noise makes it harder.

all-MiniLM-L6-v2 falls as BM25 does, but needs minutes for so many sessions.
"""

import json
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

from personamem.dataset_builder.community.rows import OpenTables
from personamem.dataset_builder.schema import NOISE_SPLITS
from personamem.loaders.personabench.records import (
    Archive,
    GoldValue,
    GroundedQuestion,
    Message,
    Person,
    Purchase,
    Question,
    Session,
)
from personamem.loaders.personabench.retrieval import (
    evaluate_retrieval,
    make_ranker,
    rank_gold,
    summarise_retrieval,
)
from personamem.loaders.retrieval import make_retriever

K = 5


def read_session(row: dict[str, Any]) -> Session:
    return Session(
        session_id=row["session_id"],
        kind=row["kind"],
        timestamp=row["time"].strftime("%Y/%b/%d/%I:%M %p"),
        time=row["time"],
        partner=row["partner"],
        messages=tuple(Message(**message) for message in row["messages"]),
        purchases=tuple(
            Purchase(item["title"], item["description"], item["brand"], tuple(item["categories"]))
            for item in row["purchases"]
        ),
    )


def read_question(row: dict[str, Any]) -> GroundedQuestion:
    answer = json.loads(row["answer"])
    question = Question(
        question_id=row["question_id"],
        community=row["community"],
        person=row["person"],
        text=row["question"],
        answer=tuple(answer) if isinstance(answer, list) else answer,
        question_type=row["question_type"],
        difficulty=row["difficulty"],
        outdated_values=tuple(json.loads(row["outdated_values"])),
    )
    gold = (GoldValue(g["value"], tuple(g["session_ids"])) for g in row["gold"])
    return GroundedQuestion(question, tuple(gold))


def read_archives(tables: OpenTables, split: str) -> list[Archive]:
    sessions, questions = defaultdict(list), defaultdict(list)
    for row in tables.documents[split]:
        sessions[row["community"], row["person"]].append(read_session(row))
    for row in tables.questions[split]:
        questions[row["community"], row["person"]].append(read_question(row))
    noise = NOISE_SPLITS[split]
    return [
        Archive(Person(*key, ""), noise, tuple(sessions[key]), tuple(questions[key]))
        for key in sessions
    ]


@pytest.fixture(scope="module")
def recalls(tables: OpenTables) -> Callable[[Any], list[dict[str, float]]]:
    archives = [read_archives(tables, split) for split in NOISE_SPLITS]

    def measure(rank: Any) -> list[dict[str, float]]:
        scores = [summarise_retrieval(evaluate_retrieval(level, rank, K)) for level in archives]
        return [{name: score.recall for name, score in level.items()} for level in scores]

    return measure


def test_the_oracle_finds_everything(recalls: Callable[[Any], list[dict[str, float]]]) -> None:
    assert {recall for level in recalls(rank_gold) for recall in level.values()} == {1.0}


def test_noise_makes_it_harder(recalls: Callable[[Any], list[dict[str, float]]]) -> None:
    levels = recalls(make_ranker(make_retriever("bm25")))
    for name in ("basic", "preference", "overall"):
        falling = [level[name] for level in levels]
        assert falling == sorted(set(falling), reverse=True), name
    # BM25 weighs words by the archive, so that of a few questions the scores may waver.
    assert levels[-1]["social"] < levels[0]["social"]
    assert 0.1 < levels[-1]["overall"] < levels[0]["overall"] < 0.7
