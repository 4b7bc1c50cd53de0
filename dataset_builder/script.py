"""The script of a dataset: what of its text a model has written, and how that went.

All pieces that a model is to write are laid out first, then written in rounds. What comes out goes
to the workers of a build as text, so these need neither a store nor a server.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from personamem.dataset_builder.answers import (
    FREE,
    AnswerStore,
    Estimate,
    Prices,
    Progress,
    Server,
)
from personamem.dataset_builder.community.briefs import brief_documents
from personamem.dataset_builder.config import BuildConfig, ModelSettings
from personamem.dataset_builder.contexts import brief_sessions
from personamem.dataset_builder.errors import InvalidInputError
from personamem.dataset_builder.open_schema import Utterance
from personamem.dataset_builder.planning import plan_split
from personamem.dataset_builder.schema import COHORT_SIZE
from personamem.dataset_builder.sessions import WrittenSession
from personamem.dataset_builder.world.cohort import build_cohort
from personamem.dataset_builder.writers.model import (
    Conclusion,
    DocumentPiece,
    Piece,
    SessionPiece,
    estimate_pieces,
    hash_prompts,
    write_pieces,
)
from personamem.dataset_builder.writers.model.foreign import list_candidates

Place = tuple[str, int, int] | str
"""Where a piece belongs: size, group and persona of the group of a session; id of a document."""


@dataclass(frozen=True, slots=True)
class Script:
    """Written sessions by (size, group, persona of the group), None for those that fell back.

    ``documents`` are messages of private documents by id, without those that fell back.
    ``summary`` is what the manifest says of the writer.
    """

    sessions: Mapping[tuple[str, int, int], tuple[WrittenSession | None, ...]] = field(
        default_factory=dict
    )
    documents: Mapping[str, tuple[Utterance, ...]] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)

    def of(self, size: str, group: int, k: int) -> tuple[WrittenSession | None, ...]:
        """Return the sessions of one context; empty if all are the embedded writer's."""
        return self.sessions.get((size, group, k), ())


def write_script(
    config: BuildConfig,
    store: AnswerStore,
    server: Server | None = None,
    *,
    prices: Prices = FREE,
    budget: float | None = None,
    report: Callable[[int, Progress], None] = lambda attempt, progress: None,
) -> Script:
    """Have all of ``config`` written that a model writes; see ``write_pieces`` for the errors."""
    settings = _settings_of(config)
    laid_out = list(lay_out(config))
    pieces = [piece for _, piece in laid_out]
    done = write_pieces(pieces, store, server, prices=prices, budget=budget, report=report)
    sessions: dict[tuple[str, int, int], list[WrittenSession | None]] = {}
    documents: dict[str, tuple[Utterance, ...]] = {}
    for (place, _), conclusion in zip(laid_out, done, strict=True):
        if not isinstance(place, str):
            sessions.setdefault(place, []).append(conclusion.written)
        elif conclusion.written is not None:
            documents[place] = conclusion.written
    summary = {
        "name": config.writer,
        "model": settings.name,
        "prompts_sha256": hash_prompts(),
        **_summarise(pieces, done),
    }
    return Script(
        {place: tuple(written) for place, written in sessions.items()}, documents, summary
    )


def estimate_script(config: BuildConfig, store: AnswerStore, prices: Prices) -> Estimate:
    """Return what the next round of ``write_script`` takes, without asking anybody."""
    return estimate_pieces([piece for _, piece in lay_out(config)], prices, store)


def lay_out(config: BuildConfig) -> Iterator[tuple[Place, SessionPiece | DocumentPiece]]:
    """Yield what a model is to write, each with its place: sessions, then documents."""
    settings = _settings_of(config)
    for size in config.sizes:
        for plan in plan_split(config, size):
            cohort = build_cohort(config.seed, plan.cohort)
            candidates = list_candidates(plan, cohort)
            for k in range(COHORT_SIZE):
                for brief in brief_sessions(config, plan, cohort, k, candidates):
                    yield (size, plan.group, k), SessionPiece(brief, settings)
    for number in range(config.communities):
        for document in brief_documents(config.seed, number):
            yield document.session_id, DocumentPiece(document, settings)


def _summarise(pieces: Sequence[Piece], done: Sequence[Conclusion]) -> dict[str, dict[str, Any]]:
    """Return, for each kind of piece, how many were written, rewritten, and why not."""
    kinds: dict[str, list[Conclusion]] = {}
    for piece, conclusion in zip(pieces, done, strict=True):
        kinds.setdefault(piece.kind, []).append(conclusion)
    return {kind: _count(conclusions) for kind, conclusions in kinds.items()}


def _count(conclusions: Sequence[Conclusion]) -> dict[str, Any]:
    """Return counts of pieces; refusals are counted by attempt, fallbacks by the last attempt."""
    written = [conclusion for conclusion in conclusions if conclusion.written is not None]
    fallen = [conclusion for conclusion in conclusions if conclusion.written is None]
    refusals = Counter(str(flaw) for each in conclusions for flaw in each.refusals)
    fallbacks = Counter(str(each.refusals[-1]) for each in fallen)
    return {
        "total": len(conclusions),
        "written": len(written),
        "rewritten": sum(bool(conclusion.refusals) for conclusion in written),
        "fallbacks": len(fallen),
        "fallbacks_by_reason": dict(sorted(fallbacks.items())),
        "refusals_by_reason": dict(sorted(refusals.items())),
    }


def _settings_of(config: BuildConfig) -> ModelSettings:
    if config.model is None:
        raise InvalidInputError("model: the openai writer needs the name of a model.")
    return config.model
