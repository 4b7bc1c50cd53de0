"""A stored audit stands in for a new one if it is whole, and of this dataset by this version."""

import hashlib
import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from personamem.dataset_builder.audit.stored import find_gap, make_report, name_failures
from personamem.dataset_builder.families.personamem.audit.run import audit_split


@pytest.fixture(scope="module")
def report(tiny_dataset: Path) -> dict[str, Any]:
    audits = [audit_split(str(tiny_dataset), "4k")]
    return json.loads(json.dumps(make_report(str(tiny_dataset), audits)))


@pytest.fixture
def digest(tiny_dataset: Path) -> str:
    return hashlib.sha256((tiny_dataset / "manifest.json").read_bytes()).hexdigest()


def test_a_whole_audit_has_no_gap(report: dict[str, Any], digest: str) -> None:
    assert find_gap(report, digest, ["4k"]) is None
    assert report["passed"] is True
    assert name_failures(report) == []


def test_failed_checks_are_named(report: dict[str, Any]) -> None:
    failed = deepcopy(report)
    failed["splits"]["4k"]["findings"][0]["passed"] = False
    assert name_failures(failed) == ["4k: files"]


def test_gaps_are_told(report: dict[str, Any], digest: str) -> None:
    assert find_gap([], digest, []) == "it is not what `personamem audit --json` writes"
    assert find_gap(report, "0" * 64, ["4k"]) == "it is about another dataset"
    assert find_gap(report, digest, ["4k", "8k"]) == "it leaves out 8k"
    assert "personamem 0.0.1" in str(find_gap({**report, "personamem": "0.0.1"}, digest, ["4k"]))
    partial = deepcopy(report)
    rows = partial["splits"]["4k"]["baselines"]["blind"]
    partial["splits"]["4k"]["baselines"]["blind"] = [r for r in rows if r["policy"] != "longest"]
    assert find_gap(partial, digest, ["4k"]) == "it leaves out baselines of 4k"


def test_a_source_without_a_manifest_has_no_digest(report: dict[str, Any]) -> None:
    assert make_report("own/bench", [])["manifest_sha256"] is None
