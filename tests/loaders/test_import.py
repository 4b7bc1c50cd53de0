"""The names of ``personamem.loaders``: imported when they are used, and nothing heavy with them."""

import subprocess
import sys
from pathlib import Path

import pytest
from tiny_dataset import write_ours

from personamem import loaders

HEAVY = ("datasets", "evaluate", "huggingface_hub", "httpx2", "lm_eval", "pandas", "rich", "torch")


def test_every_name_is_there_and_no_other() -> None:
    assert set(loaders.__all__) == set(loaders._MODULES)
    for name in loaders.__all__:
        assert getattr(loaders, name) is not None
    with pytest.raises(AttributeError, match=r"'personamem\.loaders' has no attribute 'lod'"):
        _ = loaders.lod


def test_loading_from_a_folder_imports_no_client_and_no_framework(tmp_path: Path) -> None:
    folder = write_ours(tmp_path / "data")
    script = (
        "import sys\n"
        "from personamem.loaders import load_personamem\n"
        f"list(load_personamem({str(folder)!r}, '4k').pairs())\n"
        f"print(*(name for name in {HEAVY!r} if name in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
