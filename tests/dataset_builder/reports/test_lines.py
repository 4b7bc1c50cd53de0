"""Lines as SVG text."""

import math
import xml.etree.ElementTree as ElementTree

import pytest

from personamem.dataset_builder.reports.lines import draw_lines


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
