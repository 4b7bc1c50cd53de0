"""The script of a dataset: which of its sessions a model has written, and how that went.

All sessions that questions need are laid out first, then written in rounds. What comes out goes to
the workers of a build as text, so these need neither a store nor a server.
"""

from collections.abc import Callable, Iterator, Mapping
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
from personamem.dataset_builder.schema import COHORT_SIZE
from personamem.dataset_builder.sessions import Brief, WrittenSession
from personamem.dataset_builder.world.cohort import build_cohort
from personamem.dataset_builder.writers.model import (
    estimate_sessions,
    hash_prompts,
    write_sessions,
)
from personamem.dataset_builder.writers.model.foreign import list_candidates


@dataclass(frozen=True, slots=True)
class Script:
    """Written sessions by (size, group, persona of the group), None for those that fell back.

    ``summary`` is what the manifest says of the writer.
    """

    sessions: Mapping[tuple[str, int, int], tuple[WrittenSession | None, ...]] = field(
        default_factory=dict
    )
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
    """Have all sessions of ``config`` written; see ``write_sessions`` for the errors."""
    settings = _settings_of(config)
    places, briefs = _lay_out(config)
    done = write_sessions(
        briefs, settings, store, server, prices=prices, budget=budget, report=report
    )
    sessions: dict[tuple[str, int, int], list[WrittenSession | None]] = {}
    for place, written in zip(places, done.written, strict=True):
        sessions.setdefault(place, []).append(written)
    fallbacks = sum(done.fallbacks.values())
    summary = {
        "name": config.writer,
        "model": settings.name,
        "prompts_sha256": hash_prompts(),
        "sessions": len(briefs),
        "written": len(briefs) - fallbacks,
        "rewritten": done.rewritten,
        "fallbacks": fallbacks,
        "fallbacks_by_reason": dict(done.fallbacks),
        "refusals_by_reason": dict(done.refusals),
    }
    return Script({place: tuple(written) for place, written in sessions.items()}, summary)


def estimate_script(config: BuildConfig, store: AnswerStore, prices: Prices) -> Estimate:
    """Return what the next round of ``write_script`` takes, without asking anybody."""
    return estimate_sessions(_lay_out(config)[1], _settings_of(config), prices, store)


def _settings_of(config: BuildConfig) -> ModelSettings:
    if config.model is None:
        raise InvalidInputError("model: the openai writer needs the name of a model.")
    return config.model


def _lay_out(config: BuildConfig) -> tuple[list[tuple[str, int, int]], list[Brief]]:
    pairs = [(place, brief) for place, brief in _brief_all(config)]
    return [place for place, _ in pairs], [brief for _, brief in pairs]


def _brief_all(config: BuildConfig) -> Iterator[tuple[tuple[str, int, int], Brief]]:
    for size in config.sizes:
        for plan in plan_split(config, size):
            cohort = build_cohort(config.seed, plan.cohort)
            candidates = list_candidates(plan, cohort)
            for k in range(COHORT_SIZE):
                for brief in brief_sessions(config, plan, cohort, k, candidates):
                    yield (size, plan.group, k), brief
