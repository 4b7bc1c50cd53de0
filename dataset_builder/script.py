"""The script of a dataset: what of its text a model has written, and how that went.

All pieces that a model is to write are laid out first, then written in rounds. What comes out goes
to the workers of a build as text, so these need neither a store nor a server.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from personamem.dataset_builder.config import BuildConfig, ModelSettings
from personamem.dataset_builder.contexts import brief_sessions
from personamem.dataset_builder.errors import InvalidInputError
from personamem.dataset_builder.planning import plan_split
from personamem.dataset_builder.questions.briefs import brief_options
from personamem.dataset_builder.questions.quads import name_wording
from personamem.dataset_builder.schema import COHORT_SIZE
from personamem.dataset_builder.sessions import WrittenSession
from personamem.dataset_builder.world.cohort import build_cohort
from personamem.dataset_builder.writers.model import (
    Conclusion,
    OptionsPiece,
    Piece,
    SessionPiece,
    estimate_pieces,
    hash_prompts,
    write_pieces,
)
from personamem.dataset_builder.writers.model.foreign import list_candidates


@dataclass(frozen=True, slots=True)
class Script:
    """Written sessions by (size, group, persona of the group), None for those that fell back.

    ``options`` are written options by (size, group) and quad, in the order of the quad, without
    those that fell back. ``summary`` is what the manifest says of the writer.
    """

    sessions: Mapping[tuple[str, int, int], tuple[WrittenSession | None, ...]] = field(
        default_factory=dict
    )
    options: Mapping[tuple[str, int], Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)

    def of(self, size: str, group: int, k: int) -> tuple[WrittenSession | None, ...]:
        """Return the sessions of one context; empty if all are the embedded writer's."""
        return self.sessions.get((size, group, k), ())

    def options_of(self, size: str, group: int) -> Mapping[str, tuple[str, ...]]:
        """Return the options of a group by quad; those not there are the embedded writer's."""
        return self.options.get((size, group), {})


@dataclass(frozen=True, slots=True)
class Quads:
    """The quads of a group that share a wording: one, or the two of a pair."""

    size: str
    group: int
    quad_ids: tuple[str, ...]


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
    laid_out, options_laid_out = list(lay_out(config)), list(lay_out_options(config))
    pieces = _list_pieces(laid_out, options_laid_out)
    done = write_pieces(pieces, store, server, prices=prices, budget=budget, report=report)
    sessions: dict[tuple[str, int, int], list[WrittenSession | None]] = {}
    for (place, _), conclusion in zip(laid_out, done, strict=False):
        sessions.setdefault(place, []).append(conclusion.written)
    options: dict[tuple[str, int], dict[str, tuple[str, ...]]] = {}
    for (quads, _), conclusion in zip(options_laid_out, done[len(laid_out) :], strict=True):
        if conclusion.written is not None:
            of_group = options.setdefault((quads.size, quads.group), {})
            of_group.update(dict.fromkeys(quads.quad_ids, conclusion.written))
    summary = {
        "name": config.writer,
        "model": settings.name,
        "prompts_sha256": hash_prompts(),
        **_summarise(pieces, done),
    }
    return Script({place: tuple(written) for place, written in sessions.items()}, options, summary)


def estimate_script(config: BuildConfig, store: AnswerStore, prices: Prices) -> Estimate:
    """Return what the next round of ``write_script`` takes, without asking anybody."""
    return estimate_pieces(_list_pieces(lay_out(config), lay_out_options(config)), prices, store)


def lay_out(config: BuildConfig) -> Iterator[tuple[tuple[str, int, int], SessionPiece]]:
    """Yield the sessions to write, each with its place: size, group, persona of the group."""
    settings = _settings_of(config)
    for size in config.sizes:
        for plan in plan_split(config, size):
            cohort = build_cohort(config.seed, plan.cohort)
            candidates = list_candidates(plan, cohort)
            for k in range(COHORT_SIZE):
                for brief in brief_sessions(config, plan, cohort, k, candidates):
                    yield (size, plan.group, k), SessionPiece(brief, settings)


def lay_out_options(config: BuildConfig) -> Iterator[tuple[Quads, OptionsPiece]]:
    """Yield the options to write, each once for all who share it: four personas, and a pair."""
    settings = _settings_of(config)
    for size in config.sizes:
        for plan in plan_split(config, size):
            briefs = brief_options(config, plan, build_cohort(config.seed, plan.cohort))
            quad_ids: dict[str, list[str]] = {}
            for quad in plan.quads:
                quad_ids.setdefault(name_wording(quad), []).append(quad.quad_id)
            for ids in quad_ids.values():
                yield Quads(size, plan.group, tuple(ids)), OptionsPiece(briefs[ids[0]], settings)


def _list_pieces(
    sessions: Iterable[tuple[object, SessionPiece]], options: Iterable[tuple[object, OptionsPiece]]
) -> list[Piece]:
    return [*(piece for _, piece in sessions), *(piece for _, piece in options)]


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
