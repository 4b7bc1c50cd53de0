"""Pictures of a release: what controls reach in the audit, and models in their results."""

from collections.abc import Iterator, Sequence

from personamem.cards import PICTURES, Picture, Score
from personamem.dataset_builder.core.error_rate import CHANCE
from personamem.dataset_builder.reports.dots import Dot, draw_dots
from personamem.dataset_builder.reports.svg import make_picture
from personamem.loaders.formats.audit_record import OVERALL, AuditRecord, ScoreRecord

CONTROLS, MODELS = "controls", "models"
"""Names of the two pictures."""

_LEVEL = "level "
_NORMAL_95 = 1.96
_KINDS = {
    "blind": "question and options alone",
    "metadata": "other columns, order of rows",
    "shallow": "words of the conversation",
}


def draw_measured(audit: AuditRecord, scores: Sequence[Score]) -> list[Picture]:
    """Return pictures of the audit's baselines and of models' scores; none of what is not there."""
    drawn = [
        (
            CONTROLS,
            "What controls without understanding reach",
            "Of each kind the policy with the highest accuracy, with its interval of 95 %. Dashed: "
            "chance.",
            draw_dots(list(_list_controls(audit)), CHANCE),
        ),
        (
            MODELS,
            "What models reach",
            "Accuracy on all questions, with its interval of 95 % where known, and by level. "
            "Dashed: chance.",
            draw_dots(list(_list_models(scores, _list_levels(audit))), CHANCE),
        ),
    ]
    return [
        Picture(f"{PICTURES}/{name}.svg", f"{title}. {note}", make_picture(title, note, plot))
        for name, title, note, plot in drawn
        if plot
    ]


def _list_controls(audit: AuditRecord) -> Iterator[Dot]:
    """Yield the highest baseline of each kind, part and group of questions."""
    levels = _list_levels(audit)
    for name, part in audit.parts.items():
        for kind, rows in part.baselines.items():
            for group in (OVERALL, *(f"{_LEVEL}{level}" for level in levels)):
                found = [row for row in rows if row.question_type == group and row.questions]
                if found:
                    best = max(found, key=lambda row: row.accuracy)
                    yield _make_dot(f"{name}, {_KINDS.get(kind, kind)}", group, best)


def _make_dot(row: str, group: str, best: ScoreRecord) -> Dot:
    low, high = best.interval_95
    return Dot(row, group.removeprefix(_LEVEL), best.accuracy, low, high, best.questions)


def _list_levels(audit: AuditRecord) -> list[str]:
    """Return the levels of evidence that the audit tells apart, as it orders them."""
    groups = dict.fromkeys(
        row.question_type
        for part in audit.parts.values()
        for rows in part.baselines.values()
        for row in rows
    )
    return [group.removeprefix(_LEVEL) for group in groups if group.startswith(_LEVEL)]


def _list_models(scores: Sequence[Score], levels: Sequence[str]) -> Iterator[Dot]:
    for score in scores:
        row = f"{score.model}, {score.task}"
        margin = _NORMAL_95 * (score.standard_error or 0)
        low, high = max(0.0, score.accuracy - margin), min(1.0, score.accuracy + margin)
        yield Dot(row, OVERALL, score.accuracy, low, high, score.questions)
        for level in levels:
            share = score.groups.get(level)
            if share is not None:
                yield Dot(row, level, share, share, share, score.questions)
