"""Agreement: of several judges with each other, and of people with each other and with a judge."""

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from personamem.dataset_builder.families.personalens.results.records import DIMENSIONS, LensRun
from personamem.loaders.formats.errors import InvalidInputError, unknown_choice
from personamem.tasks.personalens.dialogues.judging import read_verdict

COLUMNS = ("dialogue", "setting", "rater", "dimension", "value")
"""Of a file of annotations; a column ``model`` is needed where logs are of several."""

Ratings = Mapping[str, Mapping[object, int]]
"""What each rater gave, by what was rated."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """What one person gave to one dialogue in one dimension; ``model`` may be empty."""

    model: str
    setting: str
    dialogue_id: str
    rater: str
    dimension: str
    value: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """Kappas in one dimension, NaN where there are none.

    Args:
        fleiss: among raters, over the dialogues that all of them rated.
        cohen: of each rater with the judge (of judges: with each other), the mean; not weighted.
        raters: how many.
        total: dialogues behind ``fleiss``.
        compared: pairs of ratings behind ``cohen``.
    """

    dimension: str
    fleiss: float
    cohen: float
    raters: int
    total: int
    compared: int


def read_annotations(path: Path) -> list[Annotation]:
    """Read a CSV file with ``COLUMNS``; values are numbers of the scale, or True and False.

    Raises InvalidInputError.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            lacking = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
            if lacking:
                raise InvalidInputError(
                    f"{path} lacks the columns {', '.join(lacking)}. Accepted: a CSV file with "
                    f"{', '.join(COLUMNS)}."
                )
            found = [_read_row(row, f"{path}, line {rows.line_num}") for row in rows]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInputError(f"{path} cannot be read as CSV: {error}.") from error
    if not found:
        raise InvalidInputError(f"{path} holds no annotations.")
    seen: set[tuple[str, ...]] = set()
    for each in found:
        key = (each.model, each.setting, each.dialogue_id, each.rater, each.dimension)
        if key in seen:
            raise InvalidInputError(f"{path}: {', '.join(filter(None, key))} is rated twice.")
        seen.add(key)
    return found


def compare_with_people(
    runs: Sequence[LensRun], annotations: Sequence[Annotation]
) -> dict[str, list[Agreement]]:
    """Return kappas by judge, a row for each dimension that people rated.

    Raises InvalidInputError for a dialogue that is in no log, or in several.
    """
    placed = [(each, _find_run(runs, each)) for each in annotations]
    judges = dict.fromkeys(judge for run in runs for judge in run.judges)
    return {
        judge: [
            _measure_people([pair for pair in placed if pair[0].dimension == name], name, judge)
            for name in DIMENSIONS
            if any(each.dimension == name for each in annotations)
        ]
        for judge in judges
    }


def compare_judges(run: LensRun) -> list[Agreement]:
    """Return the agreement of the judges of a run, by dimension; nothing of a single judge."""
    if len(run.judges) < 2:
        return []
    return [_measure_judges(run, name) for name in DIMENSIONS]


def measure_fleiss(ratings: Ratings) -> tuple[float, int]:
    """Return Fleiss' kappa over what all raters rated, and how much that is."""
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    common = sorted(set.intersection(*(set(given) for given in ratings.values())), key=str)
    table = [[given[key] for given in ratings.values()] for key in common]
    if len(ratings) < 2 or len({value for row in table for value in row}) < 2:
        return math.nan, len(common)
    return float(fleiss_kappa(aggregate_raters(np.array(table))[0])), len(common)


def measure_cohen(one: Mapping[object, int], other: Mapping[object, int]) -> tuple[float, int]:
    """Return Cohen's kappa, not weighted, over what both rated, and how much that is."""
    from statsmodels.stats.inter_rater import cohens_kappa

    common = [key for key in one if key in other]
    values = sorted({given[key] for key in common for given in (one, other)})
    if len(values) < 2:
        return math.nan, len(common)
    places = {value: place for place, value in enumerate(values)}
    table = np.zeros((len(values), len(values)))
    for key in common:
        table[places[one[key]], places[other[key]]] += 1
    return float(cohens_kappa(table, return_results=False)), len(common)


def _measure_people(
    placed: Sequence[tuple[Annotation, LensRun]], dimension: str, judge: str
) -> Agreement:
    people: dict[str, dict[object, int]] = {}
    judged: dict[object, int] = {}
    for annotation, run in placed:
        key = (run.label, annotation.dialogue_id)
        people.setdefault(annotation.rater, {})[key] = annotation.value
        given = run.by_key[annotation.dialogue_id, 1].verdicts.get(dimension, ())
        values = [each.value for each in given if each.judge == judge]
        if values and values[0] is not None:
            judged[key] = values[0]
    fleiss, total = measure_fleiss(people)
    cohens = [measure_cohen(given, judged) for given in people.values()]
    return Agreement(dimension, fleiss, *_average(cohens, len(people), total))


def _measure_judges(run: LensRun, dimension: str) -> Agreement:
    # By place: the same model may judge twice.
    ratings: dict[str, dict[object, int]] = {str(n): {} for n in range(len(run.judges))}
    for dialogue in run.dialogues:
        for place, given in enumerate(dialogue.verdicts.get(dimension, ())):
            if given.value is not None:
                ratings[str(place)][dialogue.key] = given.value
    fleiss, total = measure_fleiss(ratings)
    cohens = [measure_cohen(one, other) for one, other in combinations(ratings.values(), 2)]
    return Agreement(dimension, fleiss, *_average(cohens, len(ratings), total))


def _average(
    cohens: Sequence[tuple[float, int]], raters: int, total: int
) -> tuple[float, int, int, int]:
    known = [kappa for kappa, _ in cohens if not math.isnan(kappa)]
    mean = math.fsum(known) / len(known) if known else math.nan
    return mean, raters, total, sum(count for _, count in cohens)


def _read_row(row: Mapping[str, str | None], where: str) -> Annotation:
    cells = {name: (row.get(name) or "").strip() for name in (*COLUMNS, "model")}
    for name in COLUMNS:
        if not cells[name]:
            raise InvalidInputError(f"{where}: {name} is empty.")
    if cells["dimension"] not in DIMENSIONS:
        raise unknown_choice(f"dimension in {where}", cells["dimension"], DIMENSIONS)
    value = _read_value(cells["value"], cells["dimension"])
    if value is None:
        raise InvalidInputError(
            f"{where}: value is {cells['value']!r}. Accepted: True or False of task_completion, "
            "1 to 4 of personalization, else 1 to 5."
        )
    return Annotation(
        cells["model"],
        cells["setting"],
        cells["dialogue"],
        cells["rater"],
        cells["dimension"],
        value,
    )


def _read_value(text: str, dimension: str) -> int | None:
    if dimension == "task_completion" and text in ("0", "1"):
        return int(text)
    return read_verdict(text, dimension).value


def _find_run(runs: Sequence[LensRun], annotation: Annotation) -> LensRun:
    found = [
        run
        for run in runs
        if run.setting == annotation.setting
        and annotation.model in ("", run.model)
        and (annotation.dialogue_id, 1) in run.by_key
    ]
    what = f"{annotation.dialogue_id} under {annotation.setting}"
    if not found:
        raise InvalidInputError(f"The annotated dialogue {what} is in no log.")
    if len(found) > 1:
        names = ", ".join(_name_models(found))
        raise InvalidInputError(
            f"The annotated dialogue {what} is in logs of {names}. Accepted: annotations with a "
            "column model that says which."
        )
    return found[0]


def _name_models(runs: Sequence[LensRun]) -> Iterator[str]:
    return (f"{run.model} ({run.user})" for run in runs)
