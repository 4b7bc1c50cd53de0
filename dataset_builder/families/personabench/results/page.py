"""The page: all tables and plots of some results in one HTML file that needs nothing beside it."""

import math
from dataclasses import astuple
from pathlib import Path

from personamem.dataset_builder.families.personabench.results.plots import (
    draw_against_noise,
    draw_radar,
)
from personamem.dataset_builder.families.personabench.results.records import Results, label_systems
from personamem.dataset_builder.families.personabench.results.tables import make_radars, make_tables
from personamem.dataset_builder.reports import load_template
from personamem.loaders.personabench.radar import Radar, standardise_radars

_TEMPLATE = Path(__file__).with_name("page.html.jinja")


def render_page(results: Results) -> str:
    """Return the page. Whatever comes from the results is escaped."""
    labels = label_systems(list(results.systems))
    by_label = {labels[system]: runs for system, runs in results.systems.items()}
    lines = {
        statistic: {
            name: {
                noise: getattr(run.words.group("overall"), statistic) for noise, run in runs.items()
            }
            for name, runs in by_label.items()
        }
        for statistic in ("recall", "f1")
    }
    retrieved = {
        run.label: {
            noise: groups["overall"].recall
            for noise, groups in run.scores.items()
            if "overall" in groups
        }
        for run in results.retrievals
    }
    return load_template(_TEMPLATE).render(
        tables=list(make_tables(results)),
        recall=draw_against_noise(lines["recall"]),
        f1=draw_against_noise(lines["f1"]),
        retrieved=draw_against_noise(retrieved),
        radar=draw_radar(make_radars(results), 0.0, 1.0),
        standardised=_draw_standardised(results),
    )


def _draw_standardised(results: Results) -> str:
    scores = standardise_radars(make_radars(results, with_gold=False))
    known = [value for radar in scores.values() for value in _known(radar)]
    reach = math.ceil(2 * max(map(abs, known), default=0.0)) / 2 or 1.0
    return draw_radar(scores, -reach, reach)


def _known(radar: Radar) -> list[float]:
    return [value for value in astuple(radar) if not math.isnan(value)]
