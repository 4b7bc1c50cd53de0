"""Holding dialogues under several settings: an eval set of inspect-ai in one folder."""

import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from inspect_ai import Task, eval_set
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, get_model

from personamem.loaders.personalens.schema import TaskKind
from personamem.tasks.inspection.chat_server import PROVIDER
from personamem.tasks.personalens.dialogues.models import JUDGE_ROLE, USER_ROLE
from personamem.tasks.personalens.dialogues.scenes import SampleChoice
from personamem.tasks.personalens.dialogues.tasks import personalens_md, personalens_sd

COLLECT_AFTER = (100_000, 50, 100)
"""Objects and rounds after which Python looks for garbage; by default 700, 10 and 10."""

RUN = "lens"
"""The name under which replies are kept; the folder of the cache belongs to one run."""


@dataclass(frozen=True, slots=True)
class LensJob:
    """What is to be held; ``base_url`` is of a server that has all models, else empty."""

    source: str
    sample: SampleChoice
    kinds: Sequence[TaskKind]
    settings: Sequence[str]
    model: str
    user: str
    judges: Sequence[str]
    base_url: str
    turn_level: bool
    max_pairs: int | None
    max_tokens: int | None
    limit: int | None
    concurrency: int
    retries: int
    timeout: int
    folder: Path


def make_tasks(job: LensJob) -> list[Task]:
    """Return a task for each kind and setting. Raises InvalidInputError and DatasetError."""
    return [
        (personalens_sd if kind == "SD" else personalens_md)(
            source=job.source,
            sample=job.sample,
            setting=setting,
            turn_level=job.turn_level,
            max_pairs=job.max_pairs,
            max_tokens=job.max_tokens,
            run=RUN,
        )
        for kind in job.kinds
        for setting in job.settings
    ]


def hold_dialogues(job: LensJob) -> list[EvalLog]:
    """Hold all dialogues that the folder has not yet, and return the logs, those of failures too.

    Every reply is stored in the folder's cache when it comes, and dialogues are taken from its logs
    as they are done, so a run that was killed pays nothing twice.
    """
    os.environ["INSPECT_CACHE_DIR"] = str(job.folder / "cache")
    with _collect_rarely():
        return _run(job)


@contextmanager
def _collect_rarely() -> Iterator[None]:
    """Have Python look for cycles of garbage less often.

    Logs hold hundreds of objects a reply that stay, and looking through them again and again takes
    a fifth of a run's processor time.
    """
    thresholds = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


def _run(job: LensJob) -> list[EvalLog]:
    _, logs = eval_set(
        make_tasks(job),
        log_dir=str(job.folder / "logs"),
        model=_find_model(job.model, job.base_url),
        model_roles={
            USER_ROLE: _find_model(job.user, job.base_url),
            JUDGE_ROLE: [_find_model(name, job.base_url) for name in job.judges],
        },
        limit=job.limit,
        max_tasks=len(job.kinds) * len(job.settings),
        max_samples=job.concurrency,
        max_connections=job.concurrency,
        max_retries=job.retries,
        timeout=job.timeout,
        # The same command retries; a server that is gone would be waited for in vain.
        retry_attempts=0,
        retry_immediate=False,
        # The cache holds what an unfinished log would; both cost time at every call.
        log_realtime=False,
        log_model_api=False,
        display="plain",
    )
    return logs


def _find_model(name: str, base_url: str) -> Model:
    if not base_url:
        return get_model(name, memoize=False)
    return get_model(f"{PROVIDER}/{name}", base_url=base_url, memoize=False)
