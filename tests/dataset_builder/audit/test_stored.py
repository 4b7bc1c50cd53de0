"""A stored audit stands in for a new one if it is whole, unedited, and of this dataset."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from personamem.dataset_builder.audit.parts import AuditSource
from personamem.dataset_builder.audit.stored import DIGEST, digest_report, find_gap, make_report
from personamem.loaders.formats.audit_record import parse_audit
from personamem.loaders.formats.manifest import hash_file


@pytest.fixture(scope="module")
def report(tiny_dataset: Path) -> dict[str, Any]:
    audits = [AuditSource(str(tiny_dataset)).audit_part("4k", ["4k"])]
    return json.loads(json.dumps(make_report(str(tiny_dataset), audits)))


@pytest.fixture
def manifest_sha256(tiny_dataset: Path) -> str:
    return hash_file(tiny_dataset / "manifest.json")


def seal(report: dict[str, Any]) -> dict[str, Any]:
    """Return the report with the digest of what it holds now, as somebody could who forges it."""
    return {**report, DIGEST: digest_report(report)}


def test_a_whole_audit_has_no_gap(report: dict[str, Any], manifest_sha256: str) -> None:
    assert find_gap(report, manifest_sha256, ["4k"]) is None
    assert report["passed"] is True
    assert parse_audit(report).list_failures() == []


def test_failed_checks_are_named(report: dict[str, Any]) -> None:
    failed = deepcopy(report)
    failed["parts"]["4k"]["findings"][0]["passed"] = False
    assert parse_audit(failed).list_failures() == ["4k: files"]


@pytest.mark.parametrize("place", ["verdict", "figure", "score", "passed"])
def test_an_edited_audit_is_found_by_its_digest(
    report: dict[str, Any], manifest_sha256: str, place: str
) -> None:
    edited = deepcopy(report)
    part = edited["parts"]["4k"]
    if place == "verdict":
        part["findings"][0]["passed"] = None
    elif place == "figure":
        part["findings"][0]["figure"] = 0.5
    elif place == "score":
        part["baselines"]["blind"][0]["accuracy"] = 0.26
    else:
        edited["passed"] = False
    gap = find_gap(edited, manifest_sha256, ["4k"])
    assert gap == "it was edited: its content does not match its digest"
    # The digest is no signature.
    assert find_gap(seal(edited), manifest_sha256, ["4k"]) is None


def test_the_place_of_the_dataset_is_not_part_of_the_digest(
    report: dict[str, Any], manifest_sha256: str
) -> None:
    assert find_gap({**report, "source": "personamem 1.0.0"}, manifest_sha256, ["4k"]) is None


def test_gaps_are_named(report: dict[str, Any], manifest_sha256: str) -> None:
    for other in ([], {}, {"parts": []}, {**report, "parts": {"4k": {"findings": [{}]}}}):
        gap = find_gap(other, manifest_sha256, [])
        assert str(gap).startswith("it is not what `personamem audit --json` writes")
    assert find_gap(report, "0" * 64, ["4k"]) == "it is about another dataset"
    assert find_gap(report, manifest_sha256, ["4k", "8k"]) == "it leaves out 8k"
    older = seal({**report, "personamem": "0.0.1"})
    assert "personamem 0.0.1" in str(find_gap(older, manifest_sha256, ["4k"]))
    partial = deepcopy(report)
    rows = partial["parts"]["4k"]["baselines"]["blind"]
    partial["parts"]["4k"]["baselines"]["blind"] = [r for r in rows if r["policy"] != "longest"]
    gap = find_gap(seal(partial), manifest_sha256, ["4k"])
    assert gap == "it leaves out baselines of 4k"


def test_a_source_without_a_manifest_has_no_digest_of_one() -> None:
    assert make_report("own/bench", [])["manifest_sha256"] is None
