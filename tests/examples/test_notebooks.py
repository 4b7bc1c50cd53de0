"""The notebooks run from top to bottom, and print what is stored in them.

Cells tagged ``varies`` print what depends on the model, the machine or the clock. Where texts of
datasets were changed, STORE_OUTPUTS=1 in the environment stores what the notebooks print now.
"""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from preloaded_programs import find_programs

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "notebooks"


def run_notebook(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **variables: str) -> Any:
    """Run a notebook in ``folder``; an error in a cell is raised."""
    import nbclient
    import nbformat

    for key, value in variables.items():
        monkeypatch.setenv(key, value)
    # Their commands are those of this environment; they only start otherwise.
    folders = [find_programs(), Path(sys.executable).parent, os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(map(os.fspath, folders)))
    monkeypatch.setenv("IPYTHONDIR", str(folder / "ipython"))
    notebook = nbformat.read(FOLDER / name, as_version=4)
    stored = [read_output(cell) for cell in notebook.cells]
    client = nbclient.NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    if os.environ.get("STORE_OUTPUTS"):
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
            for output in cell.get("outputs", []):
                if "text" in output and "DATASET" in variables:
                    output["text"] = output["text"].replace(variables["DATASET"], "my-benchmark")
        nbformat.write(notebook, FOLDER / name)
        return notebook
    for cell, before in zip(notebook.cells, stored, strict=True):
        if "varies" not in cell.metadata.get("tags", []):
            assert read_output(cell) == before, cell.source
        elif cell.cell_type == "code":
            assert before, f"no output is stored: {cell.source}"
    return notebook


def read_output(cell: Any) -> str:
    return "".join(output.get("text", "") for output in cell.get("outputs", []))


@pytest.mark.system
def test_a_memory_is_tested(
    tiny_dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = run_notebook("test_a_memory.ipynb", tmp_path, monkeypatch, DATASET=str(tiny_dataset))
    printed = "".join(map(read_output, notebook.cells))
    assert printed.count("│ oracle │") == 3
    assert "FAIL" not in printed


@pytest.mark.model
def test_a_model_is_evaluated(
    tiny_dataset: Path, short_model_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = run_notebook(
        "evaluate_a_model.ipynb",
        tmp_path,
        monkeypatch,
        DATASET=str(tiny_dataset),
        MODEL=os.fspath(short_model_dir),
        LIMIT="4",
    )
    assert "4 answers," in read_output(notebook.cells[-2])
    assert (tmp_path / "figures.json").is_file()
