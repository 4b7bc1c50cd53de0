"""Take the pictures of the site that ``personamem page`` writes, for the guide to it.

    personamem page my-benchmark --out my-site --samples ... --results answers --audit audit.json
    python -m website.screenshots my-site

Writes docs/pictures/site-*.png. Needs chromium (a package of the system) and playwright, which the
extra ``test`` brings.
"""

import shutil
import sys
from pathlib import Path

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
WIDTH, HEIGHT = 1040, 650
VIEWS = {
    "overview": ("", ".contexts a"),
    "questions": ("view=questions&f0=0", ".question-row"),
    "question": ("view=context&c=0&q=3", ".card.open"),
    "facts": ("view=context&c=0&tab=facts", ".fact .mark"),
    "runs": ("view=runs", "table"),
    "reports": ("view=reports", "table"),
}
"""The route of each view, and what is there when it is drawn."""


def take_pictures(site: Path, folder: Path = PICTURES) -> None:
    """Write a picture of each view of a site. Raises FileNotFoundError without a browser."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    if program is None:
        raise FileNotFoundError("no chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT},
            color_scheme="light",
            reduced_motion="reduce",
        )
        for name, (route, drawn) in VIEWS.items():
            page.goto("about:blank")
            page.goto(f"{site.resolve().as_uri()}/index.html#{route}")
            page.locator(drawn).first.wait_for()
            page.screenshot(path=folder / f"site-{name}.png")
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m website.screenshots SITE")
    take_pictures(Path(sys.argv[1]))
