"""A reader of a site in a real browser, who notes what the page asks for and what goes wrong."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from personamem.dataset_builder.families.registry import get_family
from personamem.dataset_builder.families.samples import read_sample_files
from personamem.dataset_builder.reports.site.pages import SitePage
from personamem.dataset_builder.reports.site.write import write_site
from personamem.dataset_builder.reports.tables import TextTable

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
OPTIONS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 800}
VIEWS = {
    "": ".contexts a",
    "view=questions&f0=0": ".question-row",
    "view=context&c=0&q=2": ".card.open",
    "view=context&c=0&tab=facts": ".fact .mark",
    "view=runs": "table",
    "view=reports": "table",
}
"""Routes, and what is there when they are drawn."""


def find_what_is_missing() -> str:
    """Return why no browser can be driven here; an empty text if one can."""
    try:
        import axe_playwright_python.base  # noqa: F401
        import playwright.sync_api  # noqa: F401
    except ImportError as error:
        return f"{error.name} is not installed: pip install '.[test]'"
    return "" if CHROMIUM else "no chromium: apt-get install chromium"


def make_site(source: Path, site: Path, *samples: Path) -> Path:
    """Write the site of a dataset of the first family."""
    site.mkdir(parents=True)
    splits = get_family("personamem").open_site(source, "", read_sample_files(samples))
    table = TextTable(
        "4k: findings", ("check", "verdict"), (("truth: solver", "failed"),), "A note."
    )
    write_site(site, "a title", splits, [SitePage("Audit", "", (table,))] if samples else [])
    return site


class Reader:
    """A page that notes what it asks for and what goes wrong."""

    def __init__(self, page: "Page", site: Path) -> None:
        self.page, self.site = page, site
        self.requests: list[str] = []
        self.faults: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda line: line.type == "error" and self.faults.append(line.text))

    def open(self, route: str = "") -> "Page":
        """Open the site anew at a route, and return when it is drawn."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.site.as_uri()}/index.html#{route}")
        self.page.locator("#main h1").first.wait_for(state="attached")
        return self.page

    def check(self) -> None:
        inside = (f"{self.site.as_uri()}/", "data:", "about:")
        assert [url for url in self.requests if not url.startswith(inside)] == []
        assert self.faults == []
