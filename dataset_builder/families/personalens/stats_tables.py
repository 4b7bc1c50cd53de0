"""The tables that ``personamem stats`` prints."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from personamem.dataset_builder.reports.tables import TextTable
from personamem.loaders.personalens.diversity import Diversity
from personamem.loaders.personalens.statistics import LensStatistics, Spread

SHOWN_VALUES = 12
"""Of a field of demographics or situations; the others are counted."""


def make_tables(
    statistics: LensStatistics, diversity: Diversity, measured: str
) -> Iterator[TextTable]:
    """Yield all tables; ``measured`` names the texts whose diversity was measured."""
    yield _make_overview(statistics)
    yield TextTable(
        "Domains",
        ("domain", "tasks", "scenarios", "interested users", "share"),
        tuple(
            (
                each.domain,
                str(each.tasks),
                f"{each.scenarios:,}",
                f"{each.interested_users:,}",
                _percent(each.interested_users, statistics.users),
            )
            for each in statistics.domains
        ),
        "A task of several domains counts in each of them.",
    )
    ages = list(next(iter(statistics.interests_by_age.values()), {}))
    yield TextTable(
        "Interested users in percent, by age",
        ("domain", *ages),
        tuple(
            (domain, *(f"{100 * shares[age]:.0f}" for age in ages))
            for domain, shares in statistics.interests_by_age.items()
        ),
    )
    yield _make_types(statistics)
    for title, fields in (
        ("Demographics", statistics.demographics),
        ("Situations", statistics.situations),
    ):
        yield TextTable(title, ("value", "count", "share"), tuple(_list_values(fields)))
    yield _make_diversity(diversity, measured)
    if statistics.strays:
        rows = tuple((name, f"{count:,}") for name, count in statistics.strays.items())
        yield TextTable("Strays", ("what", "count"), rows)


def replace_nan(value: Any) -> Any:
    """Return plain values with None for NaN, which JSON does not have."""
    if isinstance(value, dict):
        return {key: replace_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [replace_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _make_overview(statistics: LensStatistics) -> TextTable:
    counts = statistics.scenarios
    rows = [
        ("users", f"{statistics.users:,}"),
        *((f"{kind} tasks", f"{count:,}") for kind, count in statistics.tasks.items()),
        *((f"{kind} scenarios", f"{count:,}") for kind, count in counts.items()),
        ("scenarios", f"{sum(counts.values()):,}"),
        *(
            (f"{kind} scenarios per user", _show_spread(spread))
            for kind, spread in statistics.scenarios_per_user.items()
        ),
        ("interests per user", _show_spread(statistics.interests_per_user)),
        ("values per user", _show_spread(statistics.values_per_user)),
        (
            "values per user in domains of interest",
            _show_spread(statistics.values_of_interest_per_user),
        ),
        ("words per history", _show_spread(statistics.history_words)),
        *(
            (f"mean evenness of {kind or 'all'} types", f"{value:.3f}")
            for kind, value in statistics.mean_evenness.items()
        ),
        *(
            (f"lists of {length}", f"{count:,}")
            for length, count in statistics.list_lengths.items()
        ),
    ]
    return TextTable("Overview", ("figure", "value"), tuple(rows))


def _make_types(statistics: LensStatistics) -> TextTable:
    head = (
        *("preference type", "kind", "form", "listed", "distinct", "distinct and listed"),
        *("generated", "evenness", "empty"),
    )
    return TextTable(
        "Preference types",
        head,
        tuple(
            (
                f"{each.domain}: {each.type}",
                each.kind or "-",
                each.form,
                str(each.listed),
                f"{each.distinct:,}",
                f"{each.distinct_listed:,}",
                f"{each.generated:,}",
                f"{each.evenness:.3f}",
                str(each.empty),
            )
            for each in statistics.types
        ),
        "Over all domains of all users, without the mask of interests.",
    )


def _make_diversity(diversity: Diversity, measured: str) -> TextTable:
    figures = {
        "Dist-1": diversity.dist_1,
        "Dist-2": diversity.dist_2,
        "Ent-4": diversity.ent_4,
        "Self-BLEU over characters": diversity.self_bleu_characters,
        "Self-BLEU over words": diversity.self_bleu_words,
    }
    return TextTable(
        f"Diversity of {measured}",
        ("measure", "value"),
        tuple(
            (name, "-" if math.isnan(value) else f"{value:.3f}") for name, value in figures.items()
        ),
        f"{diversity.messages:,} texts, {diversity.tokens:,} tokens.",
    )


def _list_values(fields: Mapping[str, Mapping[str, int]]) -> Iterator[tuple[str, str, str]]:
    for name, counts in fields.items():
        total = sum(counts.values())
        label = name.replace("_", " ")
        for value, count in list(counts.items())[:SHOWN_VALUES]:
            yield f"{label}: {value}", f"{count:,}", _percent(count, total)
        rest = list(counts.values())[SHOWN_VALUES:]
        if rest:
            others = f"{label}: {len(rest):,} others"
            yield others, f"{sum(rest):,}", _percent(sum(rest), total)


def _show_spread(spread: Spread) -> str:
    return f"{spread.smallest:,} to {spread.largest:,}, mean {spread.mean:,.1f}"


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.1f} %" if total else "-"
