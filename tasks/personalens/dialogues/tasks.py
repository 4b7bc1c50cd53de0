"""The tasks ``personamem/personalens_sd`` and ``personamem/personalens_md`` of inspect-ai.

    inspect eval personamem/personalens_sd --model openai/A --model-role user=openai/B \\
        --model-role judge=openai/C -T setting=all -T source=FOLDER

``--model`` is the assistant under test.
"""

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer

from personamem.loaders.formats.errors import unknown_choice
from personamem.loaders.personalens import OFFICIAL_SOURCE
from personamem.loaders.personalens.schema import TaskKind
from personamem.tasks.personalens.dialogues.conversation import hold_dialogue
from personamem.tasks.personalens.dialogues.judging import SCORERS, personalization_by_turn
from personamem.tasks.personalens.dialogues.scenes import SampleChoice, make_dataset
from personamem.tasks.personalens.dialogues.settings import MAX_REPLY_TOKENS, SETTINGS

VERSION = 1
"""Of prompts, limits and scorers: results of different versions are not compared."""


@task
def personalens_sd(
    source: str = OFFICIAL_SOURCE,
    sample: SampleChoice = None,
    setting: str = "base",
    turn_level: bool = False,
    max_pairs: int | None = None,
    max_tokens: int | None = None,
    run: str = "",
) -> Task:
    """Dialogues about tasks of one domain.

    Args:
        source: folder or Hub id of a dataset of ours or of the official release.
        sample: "all" users, 20, 30, 50 or 100 of them, or their ids. Default: 50, or all of fewer.
        setting: what the assistant is told, of ``SETTINGS``.
        turn_level: also have personalization graded after each reply.
        max_pairs: the most pairs of messages. Default: 20, as published.
        max_tokens: the most tokens of a reply. Default, as published: 800, of a judge 4000.
        run: a name under which every reply is kept in the cache of inspect-ai, so that a run of
            the same name that was killed pays nothing twice. By default nothing is kept.
    """
    return _make_task("SD", source, sample, setting, turn_level, max_pairs, max_tokens, run)


@task
def personalens_md(
    source: str = OFFICIAL_SOURCE,
    sample: SampleChoice = None,
    setting: str = "base",
    turn_level: bool = False,
    max_pairs: int | None = None,
    max_tokens: int | None = None,
    run: str = "",
) -> Task:
    """Dialogues about tasks of several domains; arguments as of ``personalens_sd``, limit 30."""
    return _make_task("MD", source, sample, setting, turn_level, max_pairs, max_tokens, run)


def _make_task(
    kind: TaskKind,
    source: str,
    sample: SampleChoice,
    setting: str,
    turn_level: bool,
    max_pairs: int | None,
    max_tokens: int | None,
    run: str,
) -> Task:
    if setting not in SETTINGS:
        raise unknown_choice("setting", setting, SETTINGS)
    scorers: list[Scorer] = [make(source, max_tokens, run) for make in SCORERS]
    if turn_level:
        scorers.append(personalization_by_turn(source, max_tokens, run))
    return Task(
        dataset=make_dataset(source, sample, kind, setting),
        solver=hold_dialogue(source, setting, max_pairs, max_tokens, run),
        scorer=scorers,
        # Of the model under test, unless the command line has other values.
        config=GenerateConfig(temperature=0.0, max_tokens=max_tokens or MAX_REPLY_TOKENS),
        # An error of one dialogue ends no other; a log with errors can be retried.
        continue_on_fail=True,
        version=VERSION,
        metadata={"setting": setting, "kind": kind, "source": source},
    )
