"""Results of evaluations as a report: tables and figures, whatever the family."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markupsafe import Markup

from personamem.dataset_builder.reports.eval_results import ModelScore
from personamem.dataset_builder.reports.tables import TextTable
from personamem.dataset_builder.reports.template import load_template

_TEMPLATE = Path(__file__).with_name("results.html.jinja")


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot with its title; an empty plot is not shown, and ``caption`` may be empty."""

    title: str
    plot: Markup
    caption: str = ""


@dataclass(frozen=True, slots=True)
class ResultsReport:
    """What a report says of the results of one family.

    ``scores`` has the main score of each run, from 0 to 1, by its label. ``data`` is all of it as
    plain values. ``compared`` names the runs that a baseline has answers to the same questions for,
    and ``worse`` those of them that lie below it by more than chance.
    ``model_scores`` are those that the Hub shows.
    """

    title: str
    tables: Sequence[TextTable]
    figures: Sequence[Figure]
    scores: Mapping[str, float]
    data: Mapping[str, Any]
    note: str = ""
    compared: Sequence[str] = ()
    worse: Sequence[str] = ()
    model_scores: Sequence[ModelScore] = ()
    used: frozenset[Path] = field(default_factory=frozenset)


def render_results(reports: Sequence[ResultsReport]) -> str:
    """Return the page of all reports, one file. Whatever comes from results is escaped."""
    return load_template(_TEMPLATE).render(reports=reports)
