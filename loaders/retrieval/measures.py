"""How good a ranking is where several documents may each reveal what is looked for.

A question is scored against each combination of one document a value, and has the best recall and,
on its own, the best NDCG over these.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from personamem.loaders.formats.errors import InvalidInputError


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
