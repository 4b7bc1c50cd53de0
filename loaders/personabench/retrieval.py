"""How well a retriever finds the sessions that hold the answers: recall and NDCG.

Definitions are those of the official evaluation code. A value may be revealed by several sessions,
any of which will do. So a question is scored against each combination of one session per value, and
has the best recall and, on its own, the best NDCG over these.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personabench.chunks import ChunkForm, render_chunk
from personamem.loaders.personabench.groups import group_questions
from personamem.loaders.personabench.records import Archive, GroundedQuestion, Question
from personamem.loaders.retrieval import Retriever

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


def recall_and_ndcg(retrieved: Sequence[str], gold: Sequence[Sequence[str]]) -> tuple[float, float]:
    """Return recall and NDCG of a ranking, with binary gain and log2 discount.

    Args:
        retrieved: ids, best first, each once.
        gold: for each value to find the ids that reveal it; any one of them is enough.

    For a set S of one id per value, recall is the share of S that is retrieved; the ideal gain of
    NDCG has min(|S|, number retrieved) hits. Each score is the best over all such sets.

    Raises:
        InvalidInputError: no values, a value without ids, an id that is retrieved twice.
    """
    if not gold or not all(gold):
        raise InvalidInputError("A question needs at least one value, each with a session.")
    ranks = {session_id: rank for rank, session_id in enumerate(retrieved, start=1)}
    if len(ranks) < len(retrieved):
        raise InvalidInputError(f"A session is retrieved twice: {', '.join(retrieved)}.")
    best_recall = best_ndcg = 0.0
    for chosen in product(*_reduce(gold, ranks)):
        needed = set(chosen)
        hits = [ranks[session_id] for session_id in needed if session_id in ranks]
        best_recall = max(best_recall, len(hits) / len(needed))
        ideal = _gain(range(1, min(len(needed), len(retrieved)) + 1))
        best_ndcg = max(best_ndcg, _gain(hits) / ideal if ideal else 0.0)
    return best_recall, best_ndcg


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


def _reduce(gold: Sequence[Sequence[str]], ranks: Mapping[str, int]) -> list[list[str]]:
    """Leave out alternatives that no best combination needs, so that few are left to try.

    Of the ids that belong to one value only, the best ranked serves as well as any other.
    """
    uses = Counter(session_id for value in gold for session_id in set(value))
    reduced = []
    for value in gold:
        own = [session_id for session_id in value if uses[session_id] == 1]
        best = min(own, key=lambda s: ranks.get(s, math.inf), default=None)
        shared = [session_id for session_id in dict.fromkeys(value) if uses[session_id] > 1]
        reduced.append(shared if best is None else [best, *shared])
    return reduced


def _gain(ranks: Iterable[int]) -> float:
    return math.fsum(1 / math.log2(rank + 1) for rank in ranks)
