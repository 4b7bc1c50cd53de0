"""Pages of tables: an audit as it is stored, and a report on results."""

import json
from pathlib import Path
from typing import Any

import pytest

from personamem.dataset_builder.reports.results import ResultsReport
from personamem.dataset_builder.reports.site.pages import make_report_page, read_audit_page
from personamem.dataset_builder.reports.tables import TextTable
from personamem.loaders.formats.errors import InvalidInputError


def write_audit(path: Path, **changes: Any) -> Path:
    finding = {"section": "truth", "check": "solver", "passed": True, "figure": 0}
    failed = {"section": "blind", "check": "longest", "passed": False, "figure": 0.4471}
    score = {
        "policy": "longest",
        "question_type": "overall",
        "questions": 64,
        "accuracy": 0.4471,
        "interval_95": [0.4, 0.5],
    }
    by_type = {**score, "question_type": "recall"}
    audit = {
        "source": "data",
        "manifest_sha256": "digest",
        "personamem": "0.2.0",
        "content_sha256": "",
        "parts": {
            "4k": {
                "findings": [
                    {**finding, "what": "A check.", "threshold": "0"},
                    {**failed, "threshold": "chance"},
                ],
                "baselines": {"blind": [score, by_type]},
            }
        },
        **changes,
    }
    path.write_text(json.dumps(audit))
    return path


def test_an_audit_is_a_table_of_findings_and_one_of_baselines(tmp_path: Path) -> None:
    page = read_audit_page(write_audit(tmp_path / "audit.json"), "digest")
    assert page.title == "Audit"
    assert page.note == "Failed: 4k: longest. Checked with personamem 0.2.0."
    findings, baselines = page.tables
    assert findings.rows == (
        ("truth: solver", "ok", "0", "0", "A check."),
        ("blind: longest", "failed", "0.4471", "chance", ""),
    )
    assert baselines.rows == (("longest", "0.447", "0.400-0.500", "64"),)


@pytest.mark.parametrize("content", ["{}", "[1]", "no JSON", "[" * 100_000])
def test_what_is_no_audit_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "audit.json"
    path.write_text(content)
    with pytest.raises(InvalidInputError, match="is not what `personamem audit --json` writes"):
        read_audit_page(path, "digest")
    with pytest.raises(InvalidInputError, match="missing"):
        read_audit_page(tmp_path / "missing.json", "digest")


def test_an_audit_of_another_dataset_is_refused(tmp_path: Path) -> None:
    path = write_audit(tmp_path / "audit.json")
    with pytest.raises(InvalidInputError, match="is about another dataset"):
        read_audit_page(path, "another")


def test_a_report_keeps_its_tables() -> None:
    table = TextTable("Accuracy", ("run", "accuracy"), (("one", "0.500"),), "A note.")
    page = make_report_page(ResultsReport("PersonaMem", [table], [], {}, {}, note="Chance."))
    assert (page.title, page.note, page.tables) == ("Results: PersonaMem", "Chance.", (table,))
