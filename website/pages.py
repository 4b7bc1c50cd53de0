"""Pages of the documentation that are generated: commands, the API, notebooks, pictures in place.

A hook of MkDocs (``hooks`` in mkdocs.yml). The text of a reference page is the help of the commands
and the docstrings of the code, so it cannot disagree with them.
"""

import contextlib
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from nbconvert import MarkdownExporter
from typer.cli import get_docs_for_click

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "examples" / "notebooks"

_PICTURE = re.compile(r"^!\[([^\]]*)\]\((pictures/[\w-]+\.svg)\)$", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are generated."""
    for place, text in _list_pages(config.extra["reference"]):
        files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put drawings into the page itself, where they follow its light or dark colours."""
    folder = Path(config.docs_dir)

    def draw(match: re.Match[str]) -> str:
        drawing = (folder / match[2]).read_text("utf-8").strip()
        return f'<figure role="img" aria-label="{match[1]}">\n{drawing}\n</figure>'

    return _PICTURE.sub(draw, markdown)


def _list_pages(reference: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    yield "reference/cli.md", describe_commands()
    for name, page in reference.items():
        # mkdocstrings reads the modules.
        parts = [f"# {page['title']}", page["text"], *(f"::: {name}" for name in page["modules"])]
        yield f"reference/{name}.md", "\n\n".join(parts) + "\n"
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        yield f"notebooks/{path.stem}.md", MarkdownExporter().from_filename(str(path))[0]


def describe_commands() -> str:
    """Return the page of all commands: what ``--help`` prints, as Markdown."""
    from personamem.dataset_builder.cli.app import app

    command = typer.main.get_command(app)
    context = typer.Context(command, info_name="personamem")
    text = get_docs_for_click(obj=command, ctx=context, name="personamem", title="Commands")
    # A line of an example would flow into the paragraph before it.
    text = re.sub(r"^Example: (.*(?:\n(?! *$).*)*)", r"    $ \1", text, flags=re.MULTILINE)
    marker = "$ personamem eval [OPTIONS]\n```\n"
    if marker not in text:
        raise RuntimeError("the page of commands has no section on personamem eval")
    return text.replace(marker, f"{marker}\n{_describe_evaluation()}\n")


def _describe_evaluation() -> str:
    """Return the help of ``eval``, less the options that are lm-eval's."""
    from personamem.dataset_builder.cli.eval_arguments import parse_evaluation

    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.suppress(SystemExit):
        parse_evaluation(["--help"])
    head, _, rest = printed.getvalue().partition("\noptions:\n")
    _, _, ours = rest.partition("\npersonamem:\n")
    if not ours:
        raise RuntimeError("the help of personamem eval has no options of personamem")
    return f"```text\n{head}\n\noptions of lm-eval, and:\n{ours}```"
