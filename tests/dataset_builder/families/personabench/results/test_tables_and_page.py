"""Tables, plots and the page of results."""

import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from result_files import write_retrieval, write_run

from personamem.dataset_builder.families.evaluations import read_evaluations
from personamem.dataset_builder.families.personabench.results.plots import draw_radar
from personamem.dataset_builder.families.personabench.results.reading import read_results
from personamem.dataset_builder.families.personabench.results.records import Results
from personamem.dataset_builder.families.personabench.results.report import describe_results
from personamem.dataset_builder.families.personabench.results.tables import make_radars, make_tables
from personamem.dataset_builder.reports.results import render_results
from personamem.loaders.personabench.radar import Radar


def read(*paths: Path) -> Results:
    return read_results(read_evaluations(paths))[0]


def render_page(results: Results) -> str:
    return render_results([describe_results(results)])


@pytest.fixture
def results(tmp_path: Path) -> Results:
    for model, low in (("good", 0.8), ("<bad>", 0.3)):
        write_run(tmp_path, noise="noise_0", model=model, score=low + 0.1)
        write_run(tmp_path, noise="noise_07", model=model, score=low / 2, missing=("social",))
    write_run(tmp_path, noise="noise_0", model="good", condition="oracle", score=1.0)
    return read(tmp_path, write_retrieval(tmp_path))


def test_a_system_has_a_table_with_columns_for_every_noise_level(results: Results) -> None:
    tables = {table.title: table for table in make_tables(results)}
    assert list(tables) == [
        *("<bad>, full", "good, full", "good, oracle", "Radar", "Radar, z-scores over systems"),
        "bm25, k = 5, json chunks",
    ]
    table = tables["good, full"]
    assert table.head[1:4] == ("recall 0.0", "F1 0.0", "list recall 0.0")
    rows = {row[0]: row[1:] for row in table.rows}
    assert table.rows[0] == ("overall", "0.900", "0.800", "0.900", "0.400", "0.300", "0.400")
    assert rows["social"] == ("0.900", "0.800", "0.900", "-", "-", "-")
    assert rows["unparsable"][0] == "0.250"
    assert rows["updating"] == ("0.900", "", "", "0.400", "", "")
    assert tables["bm25, k = 5, json chunks"].rows == (
        ("overall", "9", "0.800", "0.400", "0.400", "0.200"),
    )


def test_the_radar_leaves_gold_out_of_its_z_scores(results: Results) -> None:
    radars = make_radars(results)
    assert radars["good, full"].noise_robustness == pytest.approx(1 - (0.8 - 0.3))
    assert radars["good, full"].basic == pytest.approx(0.9)
    assert math.isnan(radars["good, oracle"].noise_robustness)
    scores = next(table for table in make_tables(results) if "z-scores" in table.title)
    assert [row[0] for row in scores.rows] == ["<bad>, full", "good, full"]
    assert scores.rows[1][2:4] == ("1.000", "1.000")


def test_one_system_has_no_z_scores(tmp_path: Path) -> None:
    write_run(tmp_path, noise="noise_0")
    titles = [table.title for table in make_tables(read(tmp_path))]
    assert titles == ["tiny, full", "Radar"]
    assert "z-scores" not in render_page(read(tmp_path))


def test_a_limited_run_says_so(results: Results, tmp_path: Path) -> None:
    path = write_run(tmp_path / "limited", noise="noise_05")
    path.write_text(path.read_text().replace('"effective": 8', '"effective": 3'))
    (table, _) = make_tables(read(path))
    assert table.note == "noise 0.5: 3 of 8 questions"


def read_points(element: ElementTree.Element) -> list[tuple[float, float]]:
    points = (point.split(",") for point in (element.get("points") or "").split())
    return [(float(x), float(y)) for x, y in points]


def test_the_outline_of_a_system_has_a_corner_for_each_score() -> None:
    whole, half = Radar(*[1.0] * 6), Radar(math.nan, *[0.5] * 5)
    svg = ElementTree.fromstring(draw_radar({"a": whole, "b": half}, 0.0, 1.0))
    outer, inner = (read_points(polygon) for polygon in svg.iter("polygon"))
    assert (len(outer), len(inner)) == (6, 5)
    centre = [sum(values) / 6 for values in zip(*outer, strict=True)]
    lengths = [math.dist(centre, corner) for corner in outer]
    assert lengths == pytest.approx([lengths[0]] * 6, rel=0.002)
    assert [math.dist(centre, corner) for corner in inner] == pytest.approx(
        [lengths[0] / 2] * 5, rel=0.005
    )
    assert draw_radar({}, 0, 1) == ""


def test_the_page_needs_nothing_beside_it_and_escapes(results: Results) -> None:
    page = render_page(results)
    assert page.count("<svg") == page.count("</svg>") > 0
    assert "&lt;bad&gt;, full" in page
    assert "<bad>" not in page
    assert "http" not in page
    for title in ("Recall against noise", "F1 against noise", "Radar, z-scores", "Recall of ret"):
        assert title in page
