"""The site in a real browser, from the disk: Debian's chromium, driven by playwright.

Everything that the page asks for, and every fault of its scripts, is recorded and checked.
"""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from site_reader import DESK, PHONE, VIEWS, Reader, find_what_is_missing, make_site
from tiny_dataset import change_rows, write_official, write_ours

from personamem.loaders.personamem.dataset import PersonaMem

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MISSING = find_what_is_missing()
if not MISSING:
    from axe_playwright_python.base import AXE_SCRIPT
    from playwright.sync_api import expect

    # A busy machine is no fault.
    expect.set_options(timeout=30_000)

pytestmark = [pytest.mark.system, pytest.mark.skipif(bool(MISSING), reason=MISSING)]

TAG = "<img src=x onerror=\"document.title='pwned'\">"
HOSTILE = f"{TAG}</script><script>document.title='pwned'</script>\u202e"


def test_a_question_is_found_by_its_text_and_leads_to_its_evidence_and_back(
    reader: Reader, data: PersonaMem
) -> None:
    question = data.questions[9]
    annotation = data.evidence_for(question)
    assert annotation is not None
    page = reader.open()
    page.keyboard.press("/")
    page.keyboard.type(f'"{question.user_question_or_message}" ')
    page.keyboard.press("Enter")
    same = [
        q for q in data.questions if q.user_question_or_message == question.user_question_or_message
    ]
    expect(page.locator("#found")).to_have_text(f"{len(same)} of 28 questions")
    rows = page.locator(".question-row")
    expect(rows).to_have_count(len(same))
    # The four personas of a cohort are asked the same.
    rows.filter(has_text=f"Persona {question.persona_id} ").first.click()
    card = page.locator(".card.open")
    expect(card).to_contain_text(question.user_question_or_message)
    for option, role in zip(question.options, annotation.option_roles, strict=True):
        expect(card.locator(".option", has_text=option)).to_contain_text(role.replace("_", " "))
    gold = card.locator(".option.gold")
    expect(gold).to_have_count(1)
    expect(gold).to_contain_text(question.options[question.answer_index])
    first = min(annotation.evidence_message_indices)
    card.locator(".jump.evidence").first.click()
    message = page.locator(f".turn.evidence[data-message='{first}']")
    expect(message).to_be_in_viewport()
    content = data.context(question.shared_context_id)[first]["content"]
    assert message.locator(".text").text_content() == content
    message.get_by_role("link", name="back to question").click()
    expect(card).to_be_in_viewport()
    page.keyboard.press("e")
    expect(message).to_be_in_viewport()
    page.keyboard.press("b")
    expect(card).to_be_in_viewport()
    # A link to the question that is open leads back to it, wherever the reader has scrolled.
    page.locator(".chat").evaluate("chat => { chat.scrollTop = 0; }")
    expect(card).not_to_be_in_viewport()
    page.locator(".side-row.current").click()
    expect(card).to_be_in_viewport()


def test_the_skip_link_leads_to_the_content_of_the_view(reader: Reader) -> None:
    page = reader.open("view=questions")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    expect(page.locator("#found")).to_be_visible()


def test_questions_are_filtered_and_the_address_keeps_the_filters(
    reader: Reader, data: PersonaMem
) -> None:
    kind = data.questions[0].question_type
    level = next(
        a.level for q in data.questions if q.question_type == kind and (a := data.evidence_for(q))
    )
    both = [
        q
        for q in data.questions
        if q.question_type == kind and (a := data.evidence_for(q)) and a.level == level
    ]
    page = reader.open("view=questions")
    expect(page.locator("#found")).to_have_text("28 questions")
    page.get_by_role("checkbox", name=kind.replace("_", " ")).check()
    page.get_by_role("checkbox", name=level).check()
    expect(page.locator("#found")).to_have_text(f"{len(both)} of 28 questions")
    page.reload()
    expect(page.locator("#found")).to_have_text(f"{len(both)} of 28 questions")
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#found")).to_have_text("28 questions")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator(".card.open")).to_be_in_viewport()


def test_a_conversation_is_searched_and_only_what_is_near_is_in_the_page(
    reader: Reader, data: PersonaMem
) -> None:
    context_id = data.context_ids[0]
    messages = data.context(context_id)
    word = "friday"
    places = [i for i, m in enumerate(messages) if word in m["content"].lower()]
    assert places
    page = reader.open("view=context&c=0")
    page.keyboard.press("/")
    page.keyboard.type(word)
    expect(page.get_by_role("tab", name="Matches")).to_contain_text(str(len(places)))
    page.keyboard.press("Enter")
    first = page.locator(f".turn.hit[data-message='{places[0]}']")
    expect(first).to_be_in_viewport()
    assert first.locator("mark").first.inner_text().lower() == word
    page.keyboard.press("Escape")
    expect(page.get_by_role("tab", name="Matches")).to_have_count(0)


def test_the_timeline_leads_to_messages_and_questions(reader: Reader) -> None:
    page = reader.open("view=context&c=0&tab=facts")
    fact = page.locator(".fact").first
    fact.locator("summary").click()
    told = fact.get_by_role("link", name="told:").first
    number = str(told.get_attribute("href")).partition("m=")[2].partition("&")[0]
    told.click()
    expect(page.locator(f".turn[data-message='{number}']")).to_be_in_viewport()
    page.go_back()
    page.locator(".fact .mark.asked").first.click()
    expect(page.locator(".card.open")).to_be_in_viewport()
    page.get_by_role("link", name="Timeline of this fact").click()
    expect(page.locator(".fact.chosen")).to_be_in_viewport()


def test_two_runs_are_compared(reader: Reader) -> None:
    page = reader.open("view=runs")
    assert page.locator(".score-share").all_inner_texts() == ["100.0 %", "50.0 %"]
    outcomes = page.locator(".outcome-count").all_inner_texts()
    assert outcomes == ["14", "14", "0", "0"]
    page.get_by_role("link", name="only A right").click()
    expect(page.locator("#found")).to_have_text("14 of 28 questions")
    page.locator(".question-row").first.click()
    answers = page.locator(".card.open .answer")
    expect(answers).to_have_count(2)
    expect(answers.nth(0)).to_contain_text("right")
    expect(answers.nth(1)).to_contain_text("wrong")
    expect(answers.nth(0)).not_to_contain_text("memory:")
    role = page.locator(".card.open .option", has=page.locator(".chosen.v0")).locator(".role")
    expect(answers.nth(1)).to_contain_text(f"{role.inner_text()} · memory: not found")
    expect(page.locator(".card.open .chosen.v0")).to_contain_text("chosen by half")
    page.goto(f"{reader.site.as_uri()}/index.html#view=runs&a=1&b=0")
    expect(page.locator(".score-share").first).to_have_text("50.0 %")
    causes = page.get_by_role("region", name="Why answers from a memory are wrong")
    assert causes.locator("tbody tr").all_inner_texts() == ["not found\t14\t0"]
    page.goto(f"{reader.site.as_uri()}/index.html#view=questions&a=1&b=0")
    page.get_by_role("checkbox", name="not found").check()
    expect(page.locator("#found")).to_have_text("14 of 28 questions")


def test_the_theme_is_switched_and_kept(reader: Reader) -> None:
    page = reader.open()
    colours = set()
    for theme in ("light", "dark"):
        page.keyboard.press("d")
        assert page.locator("html").get_attribute("data-theme") == theme
        colours.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(colours) == 2
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Keys")).to_be_hidden()


@pytest.mark.parametrize(
    ("size", "scheme"), [(DESK, "light"), (PHONE, "dark")], ids=["desk", "phone"]
)
def test_axe_finds_no_serious_fault_and_a_phone_needs_no_sideways_scrolling(
    browser: "Browser", site: Path, size: dict[str, int], scheme: str
) -> None:
    context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
    reader = Reader(context.new_page(), site)
    for route, drawn in VIEWS.items():
        page = reader.open(route)
        page.locator(drawn).first.wait_for()
        page.evaluate(AXE_SCRIPT)
        found: dict[str, Any] = page.evaluate("axe.run({preload: false})")
        assert len(found["passes"]) > 5
        serious = [
            each for each in found["violations"] if each["impact"] in ("serious", "critical")
        ]
        assert [(route, each["id"], each["nodes"][0]["html"]) for each in serious] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    reader.check()
    context.close()


def test_texts_that_look_like_markup_are_shown_as_texts(browser: "Browser", tmp_path: Path) -> None:
    folder = write_ours(tmp_path / HOSTILE.replace("/", "").replace('"', "")[:40])

    def spoil_question(row: dict[str, Any]) -> None:
        row["user_question_or_message"] = HOSTILE
        row["question_type"] = row["topic"] = HOSTILE
        row["options"] = [f"{HOSTILE} {name}" for name in "abcd"]
        lettered = [f"({text[-1]}) {text}" for text in row["options"]]
        row["all_options"] = json.dumps(lettered, ensure_ascii=False)

    def spoil_context(row: dict[str, Any]) -> None:
        row["session_topics"] = row["session_dates"] = [HOSTILE, HOSTILE]
        for message in row["messages"]:
            message["content"] = HOSTILE

    def spoil_annotation(row: dict[str, Any]) -> None:
        row["option_roles"] = row["option_keys"] = [HOSTILE] * 4
        row["thread_id"] = row["asked_on"] = HOSTILE

    change_rows(folder, "contexts", lambda rows: [spoil_context(row) for row in rows])
    change_rows(folder, "benchmark", lambda rows: [spoil_question(row) for row in rows])
    change_rows(folder, "annotations", lambda rows: [spoil_annotation(row) for row in rows])
    reader = Reader(browser.new_page(), make_site(folder, tmp_path / "site"))
    shown = HOSTILE.replace("\u202e", "\\u202e")
    for route, drawn in VIEWS.items():
        if route in ("view=runs", "view=reports"):
            continue
        page = reader.open(route)
        page.locator(drawn).first.wait_for()
        assert shown in page.locator("body").inner_text()
        assert "\u202e" not in page.locator("body").inner_text()
        assert page.title() == "a title \u00b7 personamem"
        assert page.locator("img").count() == 0
    reader.open("view=context&c=0&q=0")
    assert reader.page.locator(".turn .text").nth(1).inner_text() == shown
    reader.check()
    reader.page.close()


def test_what_a_release_does_not_state_is_said(browser: "Browser", tmp_path: Path) -> None:
    site = make_site(write_official(tmp_path / "data"), tmp_path / "site")
    reader = Reader(browser.new_page(), site)
    expect(reader.open().locator(".notes")).to_contain_text("No annotations")
    expect(reader.open("view=context&c=0&tab=facts").locator(".facts")).to_contain_text(
        "This dataset has no annotations"
    )
    expect(reader.open("view=runs").locator(".runs")).to_contain_text("--samples FILE")
    expect(reader.open("view=reports").locator(".reports")).to_contain_text("--audit FILE")
    reader.check()
    reader.page.close()


def test_a_damaged_site_says_which_file_is_missing(
    browser: "Browser", site: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(site, tmp_path / "site"))
    (folder / "data" / "s0" / "c0.js").unlink()
    page = browser.new_page()
    page.goto(f"{folder.as_uri()}/index.html#view=context&c=0")
    expect(page.get_by_role("alert")).to_contain_text("data/s0/c0.js is missing")
    page.close()


def test_a_browser_without_scripts_shows_a_sentence(browser: "Browser", site: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.as_uri()}/index.html")
    expect(page.locator(".no-scripts")).to_be_visible()
    context.close()
