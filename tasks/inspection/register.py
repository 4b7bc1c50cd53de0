"""Tasks of inspect-ai, made from the table of a family: ``inspect eval personamem/TASK``."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver

from personamem.loaders.formats.errors import PersonamemError, unknown_choice
from personamem.tasks.families import Mode, TaskFamily
from personamem.tasks.inspection.opening import Settings, open_task
from personamem.tasks.inspection.scoring import list_metrics, score_reply
from personamem.tasks.inspection.solving import answer_question, show_conversation

if TYPE_CHECKING:
    from personamem.tasks.models.prompting import PromptingTask

MakeTask = Callable[..., Task]

NO_LIKELIHOODS = (
    "compares the likelihoods of the four letters, which the providers of inspect-ai do not give. "
    "Accepted: lm_eval --tasks {name}, or inspect eval personamem/{without}, which has the letter "
    "generated."
)
"""Why tasks of log-likelihoods are no tasks of inspect-ai."""


@dataclass(frozen=True, slots=True)
class Grading:
    """Scorers with metrics of their own, and what is to be checked before a model is asked."""

    scorers: list[Scorer]
    setup: list[Solver]


MakeGrading = Callable[[str, str, Settings], Grading]
"""Makes the grading of a task, of its family, its name and its settings."""


def register_tasks(
    family: TaskFamily,
    mode: Mode,
    settings: Collection[str],
    make_grading: MakeGrading | None = None,
) -> Mapping[str, MakeTask]:
    """Register a task of inspect-ai for every split and condition; return them by name.

    They have the names, prompts, replies and scores of the lm-eval tasks of ``mode``, whose first
    group score is the headline. ``-T`` takes ``dataset`` and ``settings``: what those take as
    ``--metadata``. The task that shows everything also takes ``condition``. With ``make_grading``,
    something else than the lm-eval task scores.
    """
    made = {}
    for split in family.splits:
        for condition in family.conditions:
            name = family.name_task(split, condition, mode)
            accepted = ("dataset", *settings)
            if condition not in family.controls:
                accepted = ("condition", *accepted)
            made[name] = task(name=name)(
                _define(family, mode, split, condition, accepted, make_grading)
            )
    return made


def refuse_tasks(family: TaskFamily, mode: Mode, reason: str) -> Mapping[str, MakeTask]:
    """Register the tasks of a mode that inspect-ai cannot run; asked for, they say why.

    ``reason`` follows the name of the task, and may have ``{without}`` for its name without the
    suffix of the mode.
    """
    made = {}
    for split in family.splits:
        for condition in family.conditions:
            name = family.name_task(split, condition, mode)
            without = name.removesuffix(f"_{mode.suffix}")
            error = f"{name} {reason.format(name=name, without=without)}"
            made[name] = task(name=name)(_define_refusal(error))
    return made


def _define_refusal(error: str) -> MakeTask:
    def refuse(**settings: Any) -> Task:
        raise _explain(PersonamemError(error))

    return refuse


def _define(
    family: TaskFamily,
    mode: Mode,
    split: str,
    condition: str,
    accepted: Collection[str],
    make_grading: MakeGrading | None,
) -> MakeTask:
    def make(**settings: Any) -> Task:
        for setting in settings:
            if setting not in accepted:
                raise _explain(unknown_choice("setting of -T", setting, accepted))
        chosen = settings.pop("condition", condition)
        if chosen not in family.conditions:
            raise _explain(unknown_choice("condition", chosen, family.conditions))
        return _make(family, mode, family.name_task(split, chosen, mode), settings, make_grading)

    return make


def _make(
    family: TaskFamily,
    mode: Mode,
    name: str,
    settings: Mapping[str, Any],
    make_grading: MakeGrading | None,
) -> Task:
    try:
        opened = open_task(family.name, name, settings)
    except PersonamemError as error:
        raise _explain(error) from error
    place, headline = (family.name, name, dict(settings)), mode.group_scores[0]
    generation = opened.config.generation_kwargs
    grading = make_grading(*place) if make_grading else None
    return Task(
        dataset=MemoryDataset(
            _list_samples(opened), name=name, location=str(opened.config.dataset_path)
        ),
        setup=[*(grading.setup if grading else ()), show_conversation(*place)],
        solver=answer_question(),
        scorer=grading.scorers if grading else score_reply(*place, headline),
        metrics=None if grading else list_metrics(*place, headline),
        config=GenerateConfig(
            temperature=generation["temperature"], max_tokens=generation["max_gen_toks"]
        ),
        version=str(opened.VERSION),
        metadata={
            "lm_eval_task": name,
            "dataset": str(opened.config.dataset_path),
            "split": str(opened.config.test_split),
            "condition": str(opened.config.dataset_kwargs["condition"]),
            "settings": dict(settings),
        },
    )


def _list_samples(opened: "PromptingTask") -> list[Sample]:
    """Return the questions, those of a context in a row; the solver adds what they see."""
    return [
        Sample(
            id=doc["question_id"],
            input=opened.make_turn(doc),
            target=str(opened.doc_to_target(doc)),
            metadata=doc,
        )
        for doc in opened.test_docs()
    ]


def _explain(error: PersonamemError) -> Exception:
    """Return the error that inspect-ai prints without a trace of calls."""
    from inspect_ai._util.error import PrerequisiteError

    return PrerequisiteError(str(error))
