"""A site with two runs, a browser, and a reader of the site in it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from answer_files import make_note
from site_files import write_samples
from site_reader import CHROMIUM, DESK, OPTIONS, Reader, make_site

from personamem.loaders.personamem.dataset import PersonaMem, load_personamem

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def data(tiny_dataset: Path) -> PersonaMem:
    return load_personamem(tiny_dataset, "4k")


@pytest.fixture(scope="module")
def site(tiny_dataset: Path, data: PersonaMem, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of 28 questions with two runs: one is always right, one in every second question,
    from a memory that keeps all evidence and does not find all of it."""
    folder = tmp_path_factory.mktemp("site")
    half = {question.question_id for question in data.questions[::2]}
    samples = (
        write_samples(folder / "right", data.questions, lambda q: q.answer_index),
        write_samples(
            folder / "half",
            data.questions,
            lambda q: (q.answer_index + (q.question_id not in half)) % 4,
            make_note("mem0", 0.5, 1.0),
        ),
    )
    return make_site(tiny_dataset, folder / "site", *samples)


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)


@pytest.fixture
def reader(browser: "Browser", site: Path) -> Iterator[Reader]:
    """A reader of the site; at the end, nothing was asked of others and no script failed."""
    context = browser.new_context(viewport=DESK, reduced_motion="reduce")
    reader = Reader(context.new_page(), site)
    yield reader
    reader.check()
    context.close()
