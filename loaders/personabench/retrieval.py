"""How well a retriever finds the sessions that hold the answers: recall and NDCG.

Definitions are those of the official evaluation code. A value may be revealed by several sessions,
any of which will do. So a question is scored against each combination of one session per value, and
has the best recall and, on its own, the best NDCG over these.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personabench.chunks import ChunkForm, render_chunk
from personamem.loaders.personabench.groups import group_questions
from personamem.loaders.personabench.records import Archive, GroundedQuestion, Question
from personamem.loaders.retrieval import Retriever
from personamem.loaders.retrieval.measures import recall_and_ndcg

Ranker = Callable[[Archive, int], list[tuple[str, ...]]]
"""Session ids, best first, for each question of an archive."""


@dataclass(frozen=True, slots=True)
class RetrievedQuestion:
    """What was retrieved for one question, best first, and its scores."""

    question: Question
    session_ids: tuple[str, ...]
    recall: float
    ndcg: float


@dataclass(frozen=True, slots=True)
class RetrievalScores:
    """Means over a group of questions."""

    questions: int
    recall: float
    ndcg: float


def rank_gold(archive: Archive, k: int) -> list[tuple[str, ...]]:
    """Return the sessions to find: the oracle. At most ``k`` of them, one for each value."""
    return [asked.gold_session_ids[:k] for asked in archive.questions]


def make_ranker(retriever: Retriever, form: ChunkForm = "json") -> Ranker:
    """Return a function that retrieves from a person's own sessions by the question's text."""

    def rank(archive: Archive, k: int) -> list[tuple[str, ...]]:
        chunks = [render_chunk(session, form) for session in archive.sessions]
        queries = [asked.question.text for asked in archive.questions]
        return [
            tuple(archive.sessions[index].session_id for index in indices)
            for indices in retriever.rank(chunks, queries, k)
        ]

    return rank


def evaluate_retrieval(
    archives: Iterable[Archive], rank: Ranker, k: int
) -> list[RetrievedQuestion]:
    """Score a ranker on every question of some archives.

    Raises:
        InvalidInputError: ``k`` is below 1.
    """
    if k < 1:
        raise InvalidInputError(f"k is {k}. Accepted: 1 or more.")
    return [
        _score(asked, retrieved)
        for archive in archives
        for asked, retrieved in zip(archive.questions, rank(archive, k), strict=True)
    ]


def summarise_retrieval(results: Iterable[RetrievedQuestion]) -> dict[str, RetrievalScores]:
    """Return the mean scores of each group (see ``groups``) that has questions."""
    grouped = group_questions(results, lambda result: result.question)
    return {
        name: RetrievalScores(
            questions=len(members),
            recall=math.fsum(member.recall for member in members) / len(members),
            ndcg=math.fsum(member.ndcg for member in members) / len(members),
        )
        for name, members in grouped.items()
    }


def _score(asked: GroundedQuestion, retrieved: tuple[str, ...]) -> RetrievedQuestion:
    recall, ndcg = recall_and_ndcg(retrieved, [value.session_ids for value in asked.gold])
    return RetrievedQuestion(asked.question, retrieved, recall, ndcg)
