"""The files of a site: parts small enough to load, texts as they were, an index that finds all."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from site_files import read_data

from personamem.dataset_builder.reports.site.records import (
    Answer,
    Fact,
    Lane,
    Mark,
    Option,
    Proof,
    Run,
    Session,
    SiteContext,
    SiteQuestion,
    SiteSplit,
    Turn,
    shorten,
)
from personamem.dataset_builder.reports.site.write import (
    PART_LETTERS,
    PART_MESSAGES,
    SiteSize,
    write_site,
)


def make_context(turns: Sequence[Turn], questions: Sequence[SiteQuestion] = ()) -> SiteContext:
    session = Session(0, "2024-05-01", "topic", "hello")
    fact = Fact("f", "A fact", "topic", "", (Lane("a", (), (Mark("told", "2024-05-01", "t", 0),)),))
    return SiteContext("c", "Persona 0", turns, [session], questions, [fact])


def make_question(number: int, *facets: str, answers: Sequence[Answer] = ()) -> SiteQuestion:
    return SiteQuestion(
        f"q{number}",
        "Which?",
        1,
        "",
        facets,
        options=(Option("one", "current", True), Option("two", "", False)),
        proofs=(Proof("", (0,)),),
        answers=tuple(answers),
    )


def make_split(
    contexts: Sequence[SiteContext], facets: tuple[str, ...] = (), runs: tuple[Run, ...] = ()
) -> SiteSplit:
    def read() -> Iterator[SiteContext]:
        return iter(contexts)

    return SiteSplit("4k", "PersonaMem", facets, ("A note.",), runs, read)


def write(folder: Path, *splits: SiteSplit) -> SiteSize:
    folder.mkdir()
    return write_site(folder, "A title", splits)


def test_messages_are_cut_into_parts_without_loss(tmp_path: Path) -> None:
    turns = [Turn("user", "user", str(number)) for number in range(2 * PART_MESSAGES + 5)]
    write(tmp_path / "site", make_split([make_context(turns)]))
    head = read_data(tmp_path / "site", "s0/c0")
    assert [part[:2] for part in head["parts"]] == [
        [0, PART_MESSAGES],
        [PART_MESSAGES, PART_MESSAGES],
        [2 * PART_MESSAGES, 5],
    ]
    rows = [row for n in range(3) for row in read_data(tmp_path / "site", f"s0/c0-p{n}")]
    assert [text for _, _, text in rows] == [turn.text for turn in turns]


def test_a_long_message_has_a_part_of_its_own(tmp_path: Path) -> None:
    texts = ["a", "b" * (PART_LETTERS + 1), "c"]
    turns = [Turn("assistant", "assistant", text) for text in texts]
    write(tmp_path / "site", make_split([make_context(turns)]))
    parts = read_data(tmp_path / "site", "s0/c0")["parts"]
    assert parts == [[0, 1, 1], [1, 1, PART_LETTERS + 1], [2, 1, 1]]


@pytest.mark.parametrize(
    "text",
    ["</script><b>&amp;", 'quote " and \\ and \n', "\u2028 \U0001f34f é", "half \ud83d of one"],
)
def test_every_text_arrives_as_it_was(tmp_path: Path, text: str) -> None:
    write(tmp_path / "site", make_split([make_context([Turn("user", text, text)])]))
    assert read_data(tmp_path / "site", "s0/c0-p0") == [[1, text, text]]


def test_the_index_has_facets_by_number_and_verdicts_by_run(tmp_path: Path) -> None:
    runs = (Run("one", Path("a"), ""), Run("two", Path("b"), "memory"))
    answer = Answer(1, "(b)", "wrong", 1, "former", "not found")
    questions = [
        make_question(0, "recall", "named", answers=[answer]),
        make_question(1, "ideas", "named", answers=[Answer(0, "(a)", "right", 0)]),
    ]
    contexts = [make_context([Turn("user", "user", "hi")], [each]) for each in questions]
    size = write(tmp_path / "site", make_split(contexts, ("type", "level"), runs))
    assert size == SiteSize(contexts=2, questions=2)
    assert read_data(tmp_path / "site", "s0/questions") == {
        "values": [["recall", "ideas"], ["named"]],
        "rows": [
            ["q0", "Which?", 0, 0, [0, 0], [None, 0], ["", "former"], ["", "not found"]],
            ["q1", "Which?", 1, 0, [1, 0], [2, None], ["", ""], ["", ""]],
        ],
    }
    (split,) = read_data(tmp_path / "site", "index")["splits"]
    assert split["runs"] == [
        {"name": "one", "condition": ""},
        {"name": "two", "condition": "memory"},
    ]
    assert split["notes"] == ["A note."]
    assert [context["questions"] for context in split["contexts"]] == [1, 1]


def test_the_page_loads_all_of_its_own_files_and_no_others(tmp_path: Path) -> None:
    site = tmp_path / "site"
    write(site, make_split([make_context([Turn("user", "user", "hi")])]))
    page = (site / "index.html").read_text("utf-8")
    for path in [*site.glob("app/*.js"), *site.glob("style/*.css")]:
        assert f'"{path.relative_to(site).as_posix()}"' in page
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https:" not in page


def test_a_split_of_several_is_kept_apart(tmp_path: Path) -> None:
    splits = [make_split([make_context([Turn("user", "user", name)])]) for name in "ab"]
    write(tmp_path / "site", *splits)
    assert [read_data(tmp_path / "site", f"s{n}/c0-p0")[0][2] for n in range(2)] == ["a", "b"]


def test_titles_are_cut_at_words() -> None:
    assert shorten("one\n two", 20) == "one two"
    assert shorten("one two three", 9) == "one two\u2026"
