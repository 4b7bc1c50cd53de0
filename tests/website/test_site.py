"""The documentation site: it builds without a warning, and holds what is generated."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from personamem import loaders
from personamem.dataset_builder.cli.app import app

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def site(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as ``make docs`` writes it: a warning, as of a link that leads nowhere, ends it."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=project_root,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    # With --quiet, --strict would see no warning.
    assert "Documentation built" in done.stderr
    return folder


def test_every_command_has_its_section(site: Path) -> None:
    page = (site / "reference" / "cli.html").read_text("utf-8")
    commands = typer.main.get_command(app).commands
    assert len(commands) > 15
    for name, command in commands.items():
        assert f'id="personamem-{name}"' in page, name
        for option in (each for param in command.params for each in param.opts):
            if option.startswith("--") and name != "eval":
                assert option in page, (name, option)
    # The options of eval are not typer's.
    assert "--loglikelihood" in page
    assert "--price-cached" in page


def test_what_the_loaders_offer_is_in_the_reference(site: Path) -> None:
    anchors = {
        anchor
        for path in (site / "reference").glob("*.html")
        for anchor in re.findall(r'id="(personamem\.[\w.]+)"', path.read_text("utf-8"))
    }
    for name in loaders.__all__:
        place = f"personamem.loaders.{loaders._MODULES[name]}.{name}"
        assert place in anchors, place


def test_drawings_are_in_the_pages_and_follow_the_colours_of_the_reader(
    site: Path, project_root: Path
) -> None:
    drawings = sorted(path.stem for path in (project_root / "docs/pictures").glob("*.svg"))
    assert len(drawings) == 4
    pages = "".join(path.read_text("utf-8") for path in site.glob("*.html"))
    for title in re.findall(r"<title>([^<]*)</title>\n<style>", pages):
        assert title
    assert pages.count('<svg class="figure"') == len(drawings) + 1  # The quad is on two pages.
    assert ".svg)" not in pages
    style = (site / "style.css").read_text("utf-8")
    for scheme in ("default", "slate"):
        assert f'[data-md-color-scheme="{scheme}"] .figure' in style


def test_the_site_needs_no_other_server(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text("utf-8")
        loaded = re.findall(r'<(?:script|img|link)[^>]+(?:src|href)="(https?://[^"]+)"', text)
        assert not loaded, (path.name, loaded)


def test_pictures_are_small(project_root: Path) -> None:
    pictures = sorted((project_root / "docs" / "pictures").glob("*.png"))
    assert 1 <= len(pictures) <= 6
    assert all(path.stat().st_size < 150_000 for path in pictures)
