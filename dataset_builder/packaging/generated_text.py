"""The script of a dataset: what of its text a model has written, and how that went.

All pieces that a model is to write are laid out first, then written. What comes out goes to the
workers of a build as text, so these need neither a store nor a server.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from personamem.dataset_builder.core.config import BuildConfig, ModelSettings
from personamem.dataset_builder.families.personabench.briefs import brief_documents
from personamem.dataset_builder.families.personamem.contexts import brief_sessions
from personamem.dataset_builder.families.personamem.planning import plan_split
from personamem.dataset_builder.families.personamem.questions.briefs import brief_options
from personamem.dataset_builder.families.personamem.questions.quads import name_wording
from personamem.dataset_builder.families.personamem.sessions import WrittenSession
from personamem.dataset_builder.families.personamem.world.cohort import build_cohort
from personamem.dataset_builder.families.personamem.writers.model.forbidden_terms import (
    list_candidates,
)
from personamem.dataset_builder.llm import (
    FREE,
    AnswerStore,
    Estimate,
    Fill,
    Prices,
    Progress,
)
from personamem.dataset_builder.packaging.writer_model import (
    Conclusion,
    DocumentItem,
    GenerationItem,
    OptionsItem,
    SessionItem,
    ValidationIssue,
    estimate_items,
    fold_message,
    hash_prompts,
    write_items,
)
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import COHORT_SIZE
from personamem.loaders.personabench.schema import Utterance

Place = tuple[str, int, int]
"""Of a session: size, group, persona of the group."""


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """Written sessions by place, None for those that fell back.

    ``options`` are written options by (size, group) and quad, in the order of the quad, and
    ``documents`` messages of private documents by id, both without those that fell back.
    ``summary`` is what the manifest says of the writer.
    """

    sessions: Mapping[Place, tuple[WrittenSession | None, ...]] = field(default_factory=dict)
    options: Mapping[tuple[str, int], Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    documents: Mapping[str, tuple[Utterance, ...]] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)

    def sessions_of(
        self, size: str, group: int, persona_index: int
    ) -> tuple[WrittenSession | None, ...]:
        """Return the sessions of one context; empty if all are the embedded writer's."""
        return self.sessions.get((size, group, persona_index), ())

    def options_of(self, size: str, group: int) -> Mapping[str, tuple[str, ...]]:
        """Return the options of a group by quad; those not there are the embedded writer's."""
        return self.options.get((size, group), {})


@dataclass(frozen=True, slots=True)
class Quads:
    """The quads of a group that share a wording: one, or the two of a pair."""

    size: str
    group: int
    quad_ids: tuple[str, ...]


def generate_text(
    config: BuildConfig,
    store: AnswerStore,
    fill: Fill | None = None,
    *,
    prices: Prices = FREE,
    budget: float | None = None,
    report: Callable[[int, Progress], None] = lambda attempt, progress: None,
) -> GeneratedText:
    """Have all of ``config`` written that a model writes; see ``write_items`` for the errors."""
    settings = _settings_of(config)
    laid_out = _lay_out(config)
    pieces = laid_out.list_items()
    found = write_items(pieces, store, fill, prices=prices, budget=budget, report=report)
    done = _drop_repeats(laid_out.sessions, found)
    texts = iter([conclusion.written for conclusion in done])
    sessions: dict[Place, list[WrittenSession | None]] = {}
    for place, _ in laid_out.sessions:
        sessions.setdefault(place, []).append(next(texts))
    options: dict[tuple[str, int], dict[str, tuple[str, ...]]] = {}
    for quads, _ in laid_out.options:
        if (four := next(texts)) is not None:
            of_group = options.setdefault((quads.size, quads.group), {})
            of_group.update(dict.fromkeys(quads.quad_ids, four))
    documents = {name: next(texts) for name, _ in laid_out.documents}
    return GeneratedText(
        {place: tuple(written) for place, written in sessions.items()},
        options,
        {name: messages for name, messages in documents.items() if messages is not None},
        {
            "name": config.writer,
            "model": settings.name,
            "prompts_sha256": hash_prompts(),
            **_summarise(pieces, done),
        },
    )


def estimate_text(config: BuildConfig, store: AnswerStore, prices: Prices) -> Estimate:
    """Return what the next round of ``generate_text`` takes, without asking anybody."""
    return estimate_items(list_items(config), prices, store)


def list_items(config: BuildConfig) -> list[GenerationItem]:
    """Return all that a model is to write: sessions, options, documents."""
    return _lay_out(config).list_items()


def lay_out_sessions(config: BuildConfig) -> Iterator[tuple[Place, SessionItem]]:
    """Yield the sessions to write, each with its place."""
    settings = _settings_of(config)
    for size in config.sizes:
        for plan in plan_split(config, size):
            cohort = build_cohort(config.seed, plan.cohort)
            candidates = list_candidates(plan, cohort)
            for persona_index in range(COHORT_SIZE):
                for brief in brief_sessions(config, plan, cohort, persona_index, candidates):
                    yield (size, plan.group, persona_index), SessionItem(brief, settings)


def lay_out_options(config: BuildConfig) -> Iterator[tuple[Quads, OptionsItem]]:
    """Yield the options to write, each once for all who share it: four personas, and a pair."""
    settings = _settings_of(config)
    for size in config.sizes:
        for plan in plan_split(config, size):
            briefs = brief_options(config, plan, build_cohort(config.seed, plan.cohort))
            quad_ids: dict[str, list[str]] = {}
            for quad in plan.quads:
                quad_ids.setdefault(name_wording(quad), []).append(quad.quad_id)
            for ids in quad_ids.values():
                yield Quads(size, plan.group, tuple(ids)), OptionsItem(briefs[ids[0]], settings)


def lay_out_documents(config: BuildConfig) -> Iterator[tuple[str, DocumentItem]]:
    """Yield the private documents to write, each with its id."""
    settings = _settings_of(config)
    for number in range(config.communities):
        for document in brief_documents(config.seed, number):
            yield document.session_id, DocumentItem(document, settings)


@dataclass(frozen=True, slots=True)
class _LaidOut:
    sessions: Sequence[tuple[Place, SessionItem]]
    options: Sequence[tuple[Quads, OptionsItem]]
    documents: Sequence[tuple[str, DocumentItem]]

    def list_items(self) -> list[GenerationItem]:
        pieces: list[GenerationItem] = [piece for _, piece in self.sessions]
        pieces += [piece for _, piece in self.options]
        pieces += [piece for _, piece in self.documents]
        return pieces


def _lay_out(config: BuildConfig) -> _LaidOut:
    return _LaidOut(
        list(lay_out_sessions(config)),
        list(lay_out_options(config)),
        list(lay_out_documents(config)),
    )


def _drop_repeats(
    sessions: Sequence[tuple[Place, SessionItem]], found: Sequence[Conclusion]
) -> list[Conclusion]:
    """Leave to the embedded writer what says a message of an earlier session of its context again.

    Sessions are written without a look at each other, and stock phrases are what they share.
    """
    done = list(found)
    said: dict[Place, set[str]] = {}
    for number, (place, _) in enumerate(sessions):
        written = done[number].written
        if written is None:
            continue
        # The first message is the embedded writer's.
        messages = {fold_message(message) for message in written.messages[1:]}
        before = said.setdefault(place, set())
        if messages & before:
            done[number] = Conclusion(None, (*done[number].refusals, ValidationIssue.REPEATED))
        before |= messages
    return done


def _summarise(
    pieces: Sequence[GenerationItem], done: Sequence[Conclusion]
) -> dict[str, dict[str, Any]]:
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
