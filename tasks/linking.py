"""Links to the task files in lm-eval's own folder of tasks, so that ``lm_eval --tasks`` finds them.

lm-eval 0.4.13 looks for tasks in its folder and in ``--include_path`` only. Nothing of ours is
installed there: a wheel with files below ``lm_eval/tasks`` makes an editable lm-eval unimportable.
The links are made on request instead, into the lm-eval that Python imports, wheel or editable.

They are links to files, all in one folder, since lm-eval's index follows no linked folder. A record
in the folder lists their names. It is written before the first link is made, so that whatever was
made, even by a run that was killed, can be told from files of others and be removed again.
"""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

from personamem.loaders.formats.errors import InvalidInputError, PersonamemError
from personamem.tasks.registry import TASKS_FOLDER, list_task_families

FOLDER_NAME = "personamem"
RECORD_NAME = ".personamem-links.json"
INSTEAD = (
    'Without links these work: lm_eval --include_path "$(personamem tasks-path)", personamem eval.'
)


def find_links_folder() -> Path:
    """Return the folder that holds the links, or would: in the tasks of the active lm-eval.

    Raises:
        InvalidInputError: Python finds no lm-eval, or one that is incomplete.
    """
    return locate_links(find_spec("lm_eval"))


def locate_links(lm_eval: ModuleSpec | None) -> Path:
    """Return where the links belong, given what Python finds under the name of lm-eval.

    Raises:
        InvalidInputError: it is nothing, or no package. Links that an uninstalled lm-eval left
            behind are such a thing, and keep Python from finding an editable lm-eval.
    """
    if lm_eval is None:
        raise InvalidInputError("lm-eval is not installed here. Accepted: pip install lm-eval.")
    if lm_eval.origin is None:
        folders = [Path(place) for place in lm_eval.submodule_search_locations or ()]
        raise InvalidInputError(
            f"{' and '.join(map(str, folders))} is not lm-eval, only a folder of that name. If an "
            "lm-eval was uninstalled that had links: personamem link-tasks --remove. Accepted: "
            "pip install lm-eval."
        )
    return Path(lm_eval.origin).parent / "tasks" / FOLDER_NAME


def find_made_folders() -> list[Path]:
    """Return the folders of links that exist in whatever Python finds under lm-eval's name."""
    spec = find_spec("lm_eval")
    places = (spec.submodule_search_locations if spec else None) or ()
    folders = [Path(place) / "tasks" / FOLDER_NAME for place in places]
    return [folder for folder in folders if folder.exists()]


def list_targets() -> dict[str, Path]:
    """Return the files that lm-eval needs, of all families, by the names of their links.

    These are the YAML files, what they include, and the modules whose functions they name.
    """
    patterns = ("*.yaml", "_*_yaml", "*_task.py")
    return {
        path.name: path
        for family in list_task_families()
        for pattern in patterns
        for path in sorted((TASKS_FOLDER / family.name).glob(pattern))
    }


def are_linked(folder: Path) -> bool:
    """Return whether ``folder`` holds a link to each of the present files."""
    return all(_points_to(folder / name, target) for name, target in list_targets().items())


def link_tasks(folder: Path) -> int:
    """Make ``folder`` hold links to the present files and no stale ones; return their number.

    Raises:
        InvalidInputError: the folder, or a file that bears the name of a link, is of others.
        PersonamemError: the folder cannot be written.
    """
    targets = list_targets()
    recorded = _read_record(folder)
    for name in targets:
        _check_is_free(folder / name, ours=name in recorded)
    try:
        folder.mkdir(exist_ok=True)
        _write_record(folder, recorded | targets.keys())
        for name, target in targets.items():
            if not _points_to(folder / name, target):
                (folder / name).unlink(missing_ok=True)
                (folder / name).symlink_to(target)
        for name in recorded - targets.keys():
            _remove_link(folder / name)
        _write_record(folder, targets)
    except OSError as error:
        raise _explain(folder, error) from error
    return len(targets)


def unlink_tasks(folder: Path) -> int:
    """Remove the links that ``link_tasks`` made, and the folders that are empty then.

    What others put into the folder stays. Returns the number of links that were there.

    Raises:
        InvalidInputError: the folder is of others.
        PersonamemError: the folder cannot be written.
    """
    recorded = _read_record(folder)
    try:
        removed = sum(_remove_link(folder / name) for name in recorded)
        (folder / RECORD_NAME).unlink(missing_ok=True)
    except OSError as error:
        raise _explain(folder, error) from error
    with suppress(OSError):  # A folder that is not empty ends this. lm-eval's own never are.
        for empty in (folder, folder.parent, folder.parent.parent):
            empty.rmdir()
    return removed


def _read_record(folder: Path) -> set[str]:
    """Return the names of the links that were made in ``folder``."""
    if not os.path.lexists(folder):
        return set()
    if folder.is_symlink() or not folder.is_dir():
        raise _refuse(folder)
    path = folder / RECORD_NAME
    try:
        return set(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        if any(each.name != _beside(path).name for each in folder.iterdir()):
            raise _refuse(folder) from None
        return set()
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"{path} cannot be read ({error}): remove {folder}.") from error


def _write_record(folder: Path, names: Iterable[str]) -> None:
    path = folder / RECORD_NAME
    _beside(path).write_text(json.dumps(sorted(names), indent=1) + "\n", encoding="utf-8")
    _beside(path).replace(path)


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.new")


def _points_to(link: Path, target: Path) -> bool:
    return link.is_symlink() and os.readlink(link) == str(target)


def _check_is_free(path: Path, ours: bool) -> None:
    if os.path.lexists(path) and not (ours and path.is_symlink()):
        raise InvalidInputError(
            f"{path} is in the place of a link, and personamem link-tasks did not make it: move "
            f"it away. {INSTEAD}"
        )


def _remove_link(path: Path) -> bool:
    if not path.is_symlink():
        return False
    path.unlink()
    return True


def _refuse(folder: Path) -> InvalidInputError:
    return InvalidInputError(
        f"{folder} exists, and personamem link-tasks did not make it: move it away. {INSTEAD}"
    )


def _explain(folder: Path, error: OSError) -> PersonamemError:
    return PersonamemError(f"{folder} cannot be written: {error.strerror}. {INSTEAD}")
