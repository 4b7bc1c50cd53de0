"""The checks of ``personamem doctor``: what works here, what does not, and what mends it.

Nothing is changed, no network is used, and no secret is shown.
"""

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from personamem.dataset_builder.cli.requirements import EXTRAS, PACKAGE, find_faults
from personamem.loaders.formats.errors import PersonamemError

State = Literal["ok", "absent", "broken"]
"""``absent`` is what somebody may do without, ``broken`` what keeps something from working."""

SCARCE_DISK = 5 * 2**30
"""Bytes: the default scale of all sizes and one small model take about as much."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One check: what was looked at, how it is, and the command that mends it, or ""."""

    name: str
    state: State
    what: str
    mend: str = ""


def diagnose() -> Iterator[Diagnosis]:
    """Yield all checks."""
    yield _check_package()
    yield _check_python()
    yield from (_check_extra(extra, purpose) for extra, purpose in EXTRAS.items())
    yield _check_links()
    yield _check_machine()
    yield from _check_disks()
    yield _check_models()
    yield _check_hub()


def _check_package() -> Diagnosis:
    mend = f"pip install --upgrade {PACKAGE}"
    try:
        found, faults = version(PACKAGE), find_faults(PACKAGE)
    except PackageNotFoundError:
        return Diagnosis(PACKAGE, "broken", "not installed, only importable", 'pip install "."')
    if faults:
        return Diagnosis(PACKAGE, "broken", f"{found}, but needs {_join(faults)}", mend)
    return Diagnosis(PACKAGE, "ok", f"{found}, with all packages that it requires")


def _check_python() -> Diagnosis:
    what = f"{platform.python_version()}, {sys.executable}"
    return Diagnosis("python", "ok", what)


def _check_extra(extra: str, purpose: str) -> Diagnosis:
    name = f"extra {extra}"
    try:
        faults = find_faults(PACKAGE, extra)
    except PackageNotFoundError:
        faults = []
    if not faults:
        return Diagnosis(name, "ok", purpose)
    mend = f'pip install "{PACKAGE}[{extra}]"'
    # What is there in a version that does not fit breaks what uses it; what is missing does not.
    state: State = "absent" if all(fault.found is None for fault in faults) else "broken"
    return Diagnosis(name, state, f"{purpose}: needs {_join(faults)}", mend)


def _join(faults: Sequence[object]) -> str:
    return ", ".join(map(str, faults))


def _check_links() -> Diagnosis:
    from personamem.tasks.linking import are_linked, find_links_folder

    name, mend = "lm_eval tasks", "personamem link-tasks"
    try:
        folder = find_links_folder()
    except PersonamemError as error:
        return Diagnosis(name, "broken", str(error), "pip install lm-eval")
    if are_linked(folder):
        return Diagnosis(name, "ok", "plain lm_eval --tasks personamem_32k works")
    if folder.exists():
        return Diagnosis(name, "broken", f"links in {folder} are out of date", mend)
    what = "not linked: personamem eval works, plain lm_eval --tasks does not"
    return Diagnosis(name, "absent", what, mend)


def _check_machine() -> Diagnosis:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    accelerator = "with nvidia-smi" if shutil.which("nvidia-smi") else "no nvidia-smi"
    what = f"{os.cpu_count()} cores, {memory / 2**30:,.0f} GiB of memory, {accelerator}"
    return Diagnosis("machine", "ok", what)


def _check_disks() -> Iterator[Diagnosis]:
    from huggingface_hub.constants import HF_HUB_CACHE

    places = (("here", Path.cwd()), ("temporary", Path(tempfile.gettempdir())))
    for name, place in (*places, ("model cache", Path(HF_HUB_CACHE))):
        folder = next(each for each in (place, *place.parents) if each.is_dir())
        free = shutil.disk_usage(folder).free
        what = f"{free / 2**30:,.1f} GiB free at {place}"
        if not os.access(folder, os.W_OK):
            mend = "export HF_HOME=FOLDER" if name == "model cache" else f"chmod u+w {folder}"
            yield Diagnosis(f"disk {name}", "broken", f"{what}, not writable", mend)
        elif free < SCARCE_DISK:
            mend = "hf cache prune" if name == "model cache" else f"du -sh {folder}/*"
            yield Diagnosis(f"disk {name}", "absent", f"{what}: little", mend)
        else:
            yield Diagnosis(f"disk {name}", "ok", what)


def _check_models() -> Diagnosis:
    from huggingface_hub import scan_cache_dir
    from huggingface_hub.errors import CacheNotFound

    mend = "hf download HuggingFaceTB/SmolLM2-135M-Instruct"
    try:
        cache = scan_cache_dir()
    except CacheNotFound:
        return Diagnosis("models", "absent", "none in the cache of the Hub", mend)
    models = sorted(repo.repo_id for repo in cache.repos if repo.repo_type == "model")
    if not models:
        return Diagnosis("models", "absent", "none in the cache of the Hub", mend)
    shown = ", ".join(models[:3]) + (f" and {len(models) - 3} more" if len(models) > 3 else "")
    return Diagnosis("models", "ok", f"{shown}; {cache.size_on_disk / 2**30:,.1f} GiB in all")


def _check_hub() -> Diagnosis:
    from huggingface_hub import get_token
    from huggingface_hub.constants import is_offline_mode

    if is_offline_mode():
        return Diagnosis(
            "hub", "absent", "offline: only what is cached is read", "unset HF_HUB_OFFLINE"
        )
    if get_token() is None:
        what = "no token: public datasets are read, nothing can be published"
        return Diagnosis("hub", "absent", what, "hf auth login")
    return Diagnosis("hub", "ok", "a token is set; it was not tried")
