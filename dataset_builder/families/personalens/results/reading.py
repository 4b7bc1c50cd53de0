"""Reading the logs that inspect-ai wrote of dialogues."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalLog,
    EvalSample,
    list_eval_logs,
    read_eval_log,
    read_eval_log_samples,
)

from personamem.dataset_builder.families.personalens.results.records import (
    DIMENSIONS,
    FAILED,
    GivenVerdict,
    JudgedDialogue,
    LensRun,
)
from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.tasks.personalens.dialogues.conversation import RECORD
from personamem.tasks.personalens.dialogues.judging import BY_TURN

TASKS = ("personalens_sd", "personalens_md")
_UNUSED = {"events", "attachments", "timelines", "events_data", "output"}


def read_runs(paths: Sequence[Path]) -> list[LensRun]:
    """Read the logs of dialogues in some files and folders.

    Of several logs of one task, as retries leave them, the last one counts.

    Raises:
        InvalidInputError: a path that does not exist or holds no log of dialogues.
        DatasetError: a log that is damaged or of another version of the task.
    """
    chosen: dict[object, tuple[str, EvalLog]] = {}
    for path in dict.fromkeys(paths):
        found = list(_find_logs(path))
        if not found:
            raise InvalidInputError(
                f"{path} holds no log of dialogues. Accepted: .eval files of the tasks "
                f"{' and '.join(TASKS)}, as personamem lens and inspect eval write them."
            )
        for name, log in found:
            key = _identify(log)
            if key not in chosen or chosen[key][1].eval.created <= log.eval.created:
                chosen[key] = name, log
    runs = [_read_run(name, log) for name, log in chosen.values()]
    return sorted(runs, key=lambda run: (run.model, run.kind != "SD", run.label))


def _find_logs(path: Path) -> Iterator[tuple[str, EvalLog]]:
    if not path.exists():
        raise InvalidInputError(f"{path} does not exist. Accepted: logs, or folders with them.")
    names = [log.name for log in list_eval_logs(str(path))] if path.is_dir() else [str(path)]
    for name in sorted(names):
        try:
            log = read_eval_log(name, header_only=True)
        except Exception as error:  # Whatever a zip file or JSON may be damaged by.
            raise DatasetError(f"{name} cannot be read as a log: {error}.") from error
        if log.eval.task.rpartition("/")[2] in TASKS:
            yield name, log


def _identify(log: EvalLog) -> object:
    spec = log.eval
    return spec.model, str(sorted(spec.task_args.items(), key=str)), spec.task, _name_roles(log)


def _name_roles(log: EvalLog) -> tuple[str, tuple[str, ...]]:
    roles = log.eval.model_roles or {}

    def name(role: str) -> tuple[str, ...]:
        found = roles.get(role, [])
        return tuple(each.model for each in (found if isinstance(found, list) else [found]))

    return ", ".join(name("user")), name("judge")


def _read_run(name: str, log: EvalLog) -> LensRun:
    about = log.eval.metadata or {}
    user, judges = _name_roles(log)
    try:
        samples = read_eval_log_samples(
            name, all_samples_required=False, exclude_fields=set(_UNUSED)
        )
        dialogues = tuple(_read_dialogue(sample) for sample in samples)
        return LensRun(
            model=log.eval.model,
            setting=about["setting"],
            kind=about["kind"],
            user=user,
            judges=judges,
            source=about["source"],
            dialogues=dialogues,
        )
    except (LookupError, TypeError, ValueError) as error:
        raise DatasetError(
            f"{name} is damaged, or a log of another version of the task "
            f"({type(error).__name__}: {error})."
        ) from error


def _read_dialogue(sample: EvalSample) -> JudgedDialogue:
    record: Mapping[str, Any] = sample.store.get(RECORD) or {}
    verdicts = {
        name: _read_verdicts(score.metadata) for name, score in (sample.scores or {}).items()
    }
    limit = f"limit of {sample.limit.type}" if sample.limit else FAILED
    return JudgedDialogue(
        dialogue_id=str(sample.id),
        epoch=sample.epoch,
        user_id=sample.metadata["user_id"],
        domains=tuple(sample.metadata["domains"]),
        ended=FAILED if sample.error else record.get("ended") or limit,
        pairs=record.get("pairs", 0),
        messages=len(sample.messages) if record else 0,
        empty_replies=record.get("empty_replies", 0),
        stop_words=record.get("stop_words", 0),
        scores={
            name: sum(values) / len(values)
            for name in DIMENSIONS
            if (values := [v.value for v in verdicts.get(name, ()) if v.value is not None])
        },
        verdicts={name: verdicts[name] for name in DIMENSIONS if verdicts.get(name)},
        by_turn=verdicts.get(BY_TURN, ()),
        error=" ".join(sample.error.message.split()) if sample.error else "",
    )


def _read_verdicts(metadata: Mapping[str, Any] | None) -> tuple[GivenVerdict, ...]:
    return tuple(
        GivenVerdict(each["judge"], each["value"], each["reason"], tuple(each["turns"]))
        for each in (metadata or {}).get("opinions", ())
    )
