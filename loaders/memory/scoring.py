"""How good a search was, without a reader: what of the evidence it found, and what beside."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from personamem.loaders.formats.tokens import count_tokens
from personamem.loaders.memory.protocol import Memory
from personamem.loaders.memory.steps import AskStep, name_whole
from personamem.loaders.retrieval.measures import recall_and_ndcg

SHARE_OF_TEXT = 0.5
"""Of the runs of five words of a session's user messages: from there on it counts as found."""

_RUN = 5
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class SearchScore:
    """One search. Shares are from 0 to 1, and None where the dataset does not say.

    ``recall`` is the share of the evidence that came back; ``written`` the share that the
    memory keeps at all; ``stale`` that of the sessions that came back which tell of other options,
    or of another time. ``tokens`` is what was returned within the budget, ``over`` what was cut
    off. ``foreign`` counts texts of other users.
    """

    question_id: str
    recall: float | None
    written: float | None
    stale: float | None
    tokens: int
    over: int
    foreign: int
    seconds: float


class TextIndex:
    """Finds sessions by their words, for systems that do not name their sources."""

    def __init__(self) -> None:
        """Start without any."""
        self._runs: dict[str, frozenset[tuple[str, ...]]] = {}

    def add(self, session_id: str, texts: Sequence[str]) -> None:
        """Keep what the user said in a session, or in a further part of one."""
        session_id = name_whole(session_id)
        runs = {run for text in texts for run in _list_runs(text)}
        self._runs[session_id] = self._runs.get(session_id, frozenset()) | runs

    def find(self, text: str) -> frozenset[str]:
        """Return the sessions of which a text repeats enough."""
        held = set(_list_runs(text))
        return frozenset(
            session_id
            for session_id, runs in self._runs.items()
            if runs and len(runs & held) >= SHARE_OF_TEXT * len(runs)
        )


def cut_to_budget(found: Sequence[Memory], budget: int) -> tuple[list[Memory], int, int]:
    """Return what fits into the budget, its tokens, and the tokens that were cut off."""
    kept: list[Memory] = []
    used = over = 0
    for memory in found:
        tokens = count_tokens(memory.text)
        if used + tokens > budget:
            over += tokens
            continue
        used += tokens
        kept.append(memory)
    return kept, used, over


def score_search(
    step: AskStep,
    cut: tuple[Sequence[Memory], int, int],
    seconds: float,
    own: TextIndex,
    others: Sequence[TextIndex],
    find_held: Callable[[], frozenset[str] | None],
    rewrites: bool,
) -> SearchScore:
    """Return the score of what a search returned, as ``cut_to_budget`` left it.

    ``own`` has the sessions of the user, ``others`` those of other users. ``find_held`` is asked,
    where evidence did not come back, for the sessions that the memory keeps; None if it does not
    say. Where a memory ``rewrites``, texts that name no session tell nothing of recall.
    """
    within, tokens, over = cut
    sessions: set[str] = set()
    foreign = 0
    for memory in within:
        sessions |= find_sources(memory, own)
        foreign += any(other.find(memory.text) for other in others) and not own.find(memory.text)
    is_known = not rewrites or any(memory.sources for memory in within)
    recall = written = stale = None
    if step.evidence and is_known:
        recall = _share_found(step.evidence, sessions)
        if recall == 1:
            written = 1.0
        elif (held := find_held()) is not None:
            written = _share_found(step.evidence, held)
    if step.related is not None and is_known:
        stale = len(step.related & sessions) / len(sessions) if sessions else 0.0
    return SearchScore(
        question_id=step.question_id,
        recall=recall,
        written=written,
        stale=stale,
        tokens=tokens,
        over=over,
        foreign=int(foreign),
        seconds=round(seconds, 4),
    )


def find_sources(memory: Memory, own: TextIndex) -> frozenset[str]:
    """Return the sessions that a text comes from: those it names, else those it repeats."""
    if memory.sources:
        return frozenset(name_whole(source) for source in memory.sources)
    return own.find(memory.text)


def _share_found(evidence: Sequence[Sequence[str]], sessions: Collection[str]) -> float:
    """Return the recall, the best over the choices of one session for each piece of evidence.

    Where every piece of evidence has one session, it is the share of these.
    """
    return recall_and_ndcg(sorted(sessions), evidence)[0]


def _list_runs(text: str) -> list[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    if len(words) < _RUN:
        return [tuple(words)] if words else []
    return [tuple(words[i : i + _RUN]) for i in range(len(words) - _RUN + 1)]
