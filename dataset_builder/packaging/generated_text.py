"""The text of a dataset that a model writes, over all families, made before the build."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from personamem.dataset_builder.core.config import BuildConfig
from personamem.dataset_builder.families.registry import get_family
from personamem.dataset_builder.llm import (
    FREE,
    AnswerStore,
    Estimate,
    Fill,
    Prices,
    Progress,
)
from personamem.dataset_builder.llm.writing.rounds import (
    Conclusion,
    GenerationItem,
    estimate_items,
    write_items,
)
from personamem.loaders.formats.manifest import ItemCounts, WriterRecord


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """What a model wrote, by family, and how that went.

    ``texts[name]`` is what the family's ``WritingPlan.collect`` returned.
    """

    texts: Mapping[str, Any] = field(default_factory=dict)
    writer: WriterRecord = field(default_factory=lambda: WriterRecord(name="template"))


def generate_text(
    config: BuildConfig,
    store: AnswerStore,
    fill: Fill | None = None,
    *,
    prices: Prices = FREE,
    budget: float | None = None,
    report: Callable[[int, Progress], None] = lambda attempt, progress: None,
) -> GeneratedText:
    """Have a model write every item of ``config``; see ``write_items`` for errors."""
    plans = {name: get_family(name).plan_writing(config) for name in config.families}
    items = [item for plan in plans.values() for item in plan.items]
    found = write_items(items, store, fill, prices=prices, budget=budget, report=report)
    texts: dict[str, Any] = {}
    done: list[Conclusion] = []
    at = 0
    for name, plan in plans.items():
        texts[name], conclusions = plan.collect(found[at : at + len(plan.items)])
        done.extend(conclusions)
        at += len(plan.items)
    writer = WriterRecord(
        name=config.writer,
        model=config.model.name if config.model else None,
        prompts_sha256={
            name: sha256
            for name in plans
            if (sha256 := get_family(name).hash_prompts()) is not None
        },
        items=_count_items(items, done),
    )
    return GeneratedText(texts, writer)


def estimate_text(config: BuildConfig, store: AnswerStore, prices: Prices) -> Estimate:
    """Return what the next round of ``generate_text`` takes, without sending a request."""
    return estimate_items(list_items(config), prices, store)


def list_items(config: BuildConfig) -> list[GenerationItem]:
    """Return everything that a model is to write."""
    return [
        item for name in config.families for item in get_family(name).plan_writing(config).items
    ]


def _count_items(
    items: Sequence[GenerationItem], done: Sequence[Conclusion]
) -> dict[str, ItemCounts]:
    """Return, for each kind of item, how many were written, rewritten, and why not."""
    kinds: dict[str, list[Conclusion]] = {}
    for item, conclusion in zip(items, done, strict=True):
        kinds.setdefault(item.kind, []).append(conclusion)
    return {kind: _count(conclusions) for kind, conclusions in kinds.items()}


def _count(conclusions: Sequence[Conclusion]) -> ItemCounts:
    written = [conclusion for conclusion in conclusions if conclusion.written is not None]
    fallen = [conclusion for conclusion in conclusions if conclusion.written is None]
    refusals = Counter(str(issue) for each in conclusions for issue in each.refusals)
    fallbacks = Counter(str(each.refusals[-1]) for each in fallen)
    return ItemCounts(
        total=len(conclusions),
        written=len(written),
        rewritten=sum(bool(conclusion.refusals) for conclusion in written),
        fallbacks=len(fallen),
        fallbacks_by_reason=dict(sorted(fallbacks.items())),
        refusals_by_reason=dict(sorted(refusals.items())),
    )
