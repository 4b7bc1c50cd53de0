"""Lines, bars and pictures as SVG text."""

import math
import xml.etree.ElementTree as ElementTree

import pytest
from markupsafe import Markup

from personamem.dataset_builder.reports.bars import draw_bars
from personamem.dataset_builder.reports.lines import draw_lines
from personamem.dataset_builder.reports.svg import make_picture, read_figures


def read_points(element: ElementTree.Element) -> list[tuple[float, float]]:
    points = (point.split(",") for point in (element.get("points") or "").split())
    return [(float(x), float(y)) for x, y in points]


def test_lines_rise_with_the_score_and_follow_the_noise() -> None:
    lines = {"a": {0.0: 0.8, 0.5: 0.2, 0.7: 0.4}, "b&": {0.0: math.nan}}
    svg = ElementTree.fromstring(draw_lines(lines, "noise", 1.0))
    (first, second, third), none = (read_points(line) for line in svg.iter("polyline"))
    assert first[0] < second[0] < third[0]
    # Down is up in SVG: the differences in height are those of the scores.
    assert (second[1] - first[1]) / (second[1] - third[1]) == pytest.approx(3)
    assert (third[0] - first[0]) / (second[0] - first[0]) == pytest.approx(1.4)
    assert none == []
    assert "b&" in [text.text for text in svg.iter("text")]
    assert draw_lines({}, "noise") == ""


def test_one_point_and_large_numbers_have_their_places() -> None:
    svg = ElementTree.fromstring(draw_lines({"a": {4000.0: 0.5}, "b": {1000.0: 0.1}}, "tokens"))
    ticks = {text.text: float(text.get("x") or 0) for text in svg.iter("text")}
    assert ticks["1,000"] < ticks["4,000"]
    assert draw_lines({"a": {3.0: 0.5}}, "updates")


def test_bars_are_as_long_as_their_parts_and_totals() -> None:
    rows = {"a": {"x": 30, "y&": 10}, "b": {"x": 20, "y&": 0}}
    for whole, longest in ((False, 2), (True, 1)):
        svg = ElementTree.fromstring(draw_bars(rows, whole))
        widths = [float(part.get("width") or 0) for part in svg.iter("rect")]
        assert len(widths) == 3, "a part of nothing is not drawn"
        assert widths[0] == pytest.approx(3 * widths[1])
        assert widths[0] + widths[1] == pytest.approx(longest * widths[2])
        texts = [text.text for text in svg.iter("text")]
        assert texts == ["a", "40", "b", "20", "x", "y&"]
    assert draw_bars({}) == draw_bars({"a": {"x": 0}}) == ""


def test_a_picture_holds_its_plot_and_its_words() -> None:
    picture = make_picture("<T>", "n & m", draw_bars({"a": {"x": 1}}))
    svg = ElementTree.fromstring(picture)
    space = "{http://www.w3.org/2000/svg}"
    assert svg.findtext(f"{space}title") == "<T>"
    assert [text.text for text in svg.iter(f"{space}text")] == ["<T>", "n & m", "a", "1"]
    assert read_figures(picture) == ["a, x: 1 (100.0%)"]
    with pytest.raises(ValueError, match="make_svg"):
        make_picture("T", "n", Markup("<p>"))
