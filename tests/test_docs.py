"""Every block of the documentation runs, or says what it needs that a test has not.

A command runs here, in one folder for all pages, unless it stands word for word in the README,
whose commands ``test_readme.py`` runs. Of a block that needs a network, a server or a GPU, the
options are read as the command would read them, and of a command in a sentence the names are looked
up. Commands run in this process: what they need is a
dataset and the answers of a run, not a start-up each.
"""

import glob
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from answer_files import make_row, write_run
from calling import call
from markdown_blocks import Block, extract_blocks
from site_files import write_samples

from personamem.dataset_builder.cli.app import app
from personamem.dataset_builder.cli.eval_arguments import parse_evaluation
from personamem.loaders.personamem.dataset import load_personamem

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))
BLOCKS = [
    pytest.param(block, id=f"{page.stem}-line{block.line}")
    for page in PAGES
    for block in extract_blocks(page.read_text("utf-8"))
]
NEEDS = ("needs a network", "needs a server", "needs a GPU")
PROSE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "tasks" / "README.md", *PAGES]
SENTENCES = sorted(
    {
        command
        for page in PROSE
        for command in re.findall(
            r"`((?:personamem|inspect eval|make|python|pip install) [^`]*)`",
            re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL),
        )
        if "\n" not in command
    }
)
EXAMPLES = [
    example
    for command in app.registered_commands
    for example in re.findall(r"Example: (personamem .*)", str(command.callback.__doc__))
]
README_COMMANDS = {
    command
    for block in extract_blocks((ROOT / "README.md").read_text("utf-8"))
    if block.language == "bash"
    for command in block.commands
}


@pytest.fixture(scope="module")
def scratch(
    tmp_path_factory: pytest.TempPathFactory, tiny_dataset: Path, tiny_of_every_family: Path
) -> Iterator[Path]:
    """A folder with what the README's commands leave, in small; commands run in it."""
    folder = tmp_path_factory.mktemp("docs")
    shutil.copytree(tiny_dataset, folder / "my-benchmark")
    shutil.copytree(tiny_of_every_family, folder / "my-users")
    write_run(folder / "answers" / "tiny", [make_row(n, "ab"[n % 2]) for n in range(32)])
    questions = load_personamem(tiny_dataset, "4k").questions
    write_samples(folder / "answers" / "tiny", questions, lambda question: question.answer_index)
    before = Path.cwd()
    os.chdir(folder)
    yield folder
    os.chdir(before)


@pytest.mark.system
@pytest.mark.parametrize("block", BLOCKS)
def test_block_runs(block: Block, scratch: Path) -> None:
    if block.title in NEEDS:
        assert block.language == "bash"
        for command in block.commands:
            check_options(shlex.split(command))
    elif block.title:
        (scratch / block.title).write_text(block.text, "utf-8")
    elif block.language == "bash":
        for command in block.commands:
            if command not in README_COMMANDS:
                run_command(shlex.split(command))
    elif block.language == "python":
        exec(compile(block.text, f"line {block.line}", "exec"), {})
    elif block.text.startswith("--8<--"):
        included = shlex.split(block.text)[1]
        assert (ROOT / included).is_file()
    else:
        assert block.language == "text"


def run_command(words: list[str]) -> None:
    """Run ``personamem`` here, with one worker and with wildcards as a shell expands them."""
    program, *arguments = (each for word in words for each in sorted(glob.glob(word)) or [word])
    assert program == "personamem", words
    if arguments[0] == "build":
        arguments += ["--workers", "1"]
    done = call(*arguments)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"


def check_options(words: list[str]) -> None:
    """Read a command's options as the command does, and run nothing."""
    if words[0] == "python":
        assert (ROOT / words[1]).is_file()
    elif words[:2] == ["personamem", "eval"]:
        parse_evaluation(words[2:])
    elif words[:2] == ["inspect", "eval"]:
        check_names(words)
    elif words[0] == "personamem":
        # Options are read before the help is printed.
        done = call(*words[1:], "--help")
        assert done.returncode == 0, done.stderr
    else:
        assert words[:2] == ["pip", "install"]


@pytest.mark.parametrize(
    "command",
    [
        "personamem eval --split 4k --modle hf",
        "personamem memory data --split 4k --system bm25 --bugdet 3",
        "python examples/none.py",
        "curl example.com",
    ],
)
def test_options_that_do_not_exist_are_found(command: str) -> None:
    with pytest.raises((ValueError, AssertionError)):
        check_options(shlex.split(command))


@pytest.mark.system
@pytest.mark.parametrize("command", SENTENCES)
def test_a_command_in_a_sentence_exists_with_its_options(command: str) -> None:
    words = [word.strip("'") for word in command.split()]
    check_names(words)


@pytest.mark.system
@pytest.mark.parametrize("example", EXAMPLES)
def test_the_example_of_a_command_has_options_that_exist(example: str) -> None:
    """Of the reference, which is made from the help of the commands."""
    check_names(example.split())


def check_names(words: list[str]) -> None:
    """Check that a command exists, and each option that is named; values are not looked at."""
    options = [word.partition("=")[0] for word in words if word.startswith("--")]
    if words[0] == "personamem":
        named = [word for word in words[1:2] if not word.startswith("--")]
        done = call(*named, "--help", env={"COLUMNS": "400"})
        assert done.returncode == 0, done.stderr
        for option in options:
            assert re.search(rf"{option}(?![\w-])", done.stdout), f"{words}: {option}"
    elif words[:2] == ["inspect", "eval"]:
        source, _, task = (words[2] if len(words) > 2 else "").partition("/")
        if source == "personamem":
            from inspect_ai._util.registry import registry_find

            import personamem.tasks.inspect_tasks.registered  # noqa: F401

            def is_named(info: Any) -> bool:
                # Under the name of our package, or under none where it was imported before.
                return info.type == "task" and info.name.rpartition("/")[2] == task

            assert registry_find(is_named), task
    elif words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    elif words[:2] == ["python", "-m"]:
        file = ROOT / words[2].replace(".", "/")
        assert file.is_dir() or file.with_suffix(".py").is_file() or is_package(words[2]), words
    else:
        assert words[0] == "pip" or (ROOT / words[1]).is_file()


def is_package(name: str) -> bool:
    """Return whether a module of a package that is installed has this name."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize(
    "command",
    [
        "personamem memroy --out",
        "personamem memory --uot",
        "inspect eval personamem/personamem_5k",
        "make coffee",
        "python -m personamem.nothing",
        "python nothing.py",
    ],
)
def test_what_no_sentence_may_name(command: str) -> None:
    with pytest.raises(AssertionError):
        check_names(command.split())


def test_links_of_guides_to_files_of_the_project_lead_somewhere() -> None:
    for page in PAGES:
        for word in page.read_text("utf-8").split("`"):
            if word.startswith(("examples/", "bench/")) and " " not in word:
                assert (ROOT / word).exists(), f"{page.name}: {word}"
