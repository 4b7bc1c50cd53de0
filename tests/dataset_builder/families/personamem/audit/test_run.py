"""Audits of other releases and of data that is hardly there: figures or findings, never a crash."""

import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from auditing import audit_split
from preloaded_programs import find_programs
from version2_release import write_release

from personamem.dataset_builder.audit.report import render_page
from personamem.dataset_builder.audit.run import PartAudit
from personamem.dataset_builder.core.findings import Finding
from personamem.loaders.formats.errors import DatasetError, InvalidInputError

pytestmark = pytest.mark.system

Row = dict[str, str]


def find(audited: PartAudit, check: str) -> Finding:
    return next(finding for finding in audited.findings if finding.check == check)


def run_audit(*arguments: object) -> subprocess.CompletedProcess[str]:
    words = [find_programs() / "personamem", "audit", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=300)


@pytest.fixture
def official(tiny_dataset: Path, tmp_path: Path) -> Path:
    """The same dataset as a release without a manifest."""
    folder = tmp_path / "official"
    folder.mkdir()
    for name in ("questions_4k.csv", "shared_contexts_4k.jsonl"):
        (folder / name).write_bytes((tiny_dataset / name).read_bytes())
    return folder


def change_csv(folder: Path, change: Callable[[list[Row]], list[Row]]) -> None:
    path = folder / "questions_4k.csv"
    csv.field_size_limit(2**31 - 1)
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    header = list(rows[0])
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, header)
        writer.writeheader()
        writer.writerows(change(rows))


def test_the_published_defect_of_version_2_is_found(tmp_path: Path) -> None:
    rows = 501
    release = write_release(tmp_path / "release", rows, longest_share=224 / rows)
    audited = audit_split(release, "32k", ["longest"])
    assert find(audited, "longest").figure == pytest.approx(0.447, abs=5e-4)
    assert find(audited, "longest").passed is False
    assert {finding.check for finding in audited.failures} == {"longest"}


def test_a_release_without_a_manifest_is_told_what_is_not_asked_of_it(official: Path) -> None:
    audited = audit_split(official, "4k", ["longest", "highest BM25"])
    assert audited.failures == ()
    assert find(audited, "option lengths").passed is None
    assert find(audited, "highest BM25").passed is None
    assert not any(finding.section.value == "truth" for finding in audited.findings)


def test_a_leak_is_exit_code_1(official: Path) -> None:
    def always_b(rows: list[Row]) -> list[Row]:
        return [{**row, "correct_answer": "(b)"} for row in rows]

    change_csv(official, always_b)
    done = run_audit(official, "--baseline", "letter prior")
    assert done.returncode == 1, done.stderr
    assert "fails the audit" in done.stderr
    assert "letters" in done.stderr


@pytest.mark.parametrize("kept", [0, 1])
def test_an_empty_split_and_a_single_question(official: Path, kept: int) -> None:
    change_csv(official, lambda rows: rows[:kept])
    audited = audit_split(official, "4k")
    assert find(audited, "rows").passed is (kept > 0)
    assert find(audited, "questions of contexts").passed is False
    assert render_page(str(official), [audited])


def test_a_type_with_one_row(official: Path) -> None:
    def single_out(rows: list[Row]) -> list[Row]:
        return [{**rows[0], "question_type": "only_once"}, *rows[1:]]

    change_csv(official, single_out)
    assert audit_split(official, "4k").failures == ()


def test_options_that_do_not_parse_are_a_finding(official: Path) -> None:
    def break_one(rows: list[Row]) -> list[Row]:
        return [{**rows[0], "all_options": "(a) this (b) that"}, *rows[1:]]

    change_csv(official, break_one)
    audited = audit_split(official, "4k", ["longest"])
    finding = find(audited, "rows")
    assert finding.passed is False
    assert "row 1" in finding.rows[0]
    assert "all_options" in finding.rows[0]
    assert audited.questions == 27


def test_bytes_that_are_not_utf8_are_exit_code_2(official: Path) -> None:
    path = official / "questions_4k.csv"
    path.write_bytes(path.read_bytes() + b"\xff\xfe")
    with pytest.raises(DatasetError, match="not UTF-8"):
        audit_split(official, "4k")
    done = run_audit(official)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_huge_cell_is_read(official: Path) -> None:
    def swell(rows: list[Row]) -> list[Row]:
        return [{**rows[0], "user_question_or_message": "honey " * 8_500_000}, *rows[1:]]

    change_csv(official, swell)
    audited = audit_split(official, "4k", ["longest"])
    assert audited.questions == 28


def test_a_context_of_one_message(official: Path) -> None:
    lines = (official / "shared_contexts_4k.jsonl").read_text("utf-8").splitlines()
    context_id = next(iter(json.loads(lines[0])))
    lines[0] = json.dumps({context_id: [{"role": "system", "content": "Hello."}]})
    (official / "shared_contexts_4k.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    audited = audit_split(official, "4k", ["longest", "highest BM25"])
    assert find(audited, "end indices").passed is False
    assert find(audited, "budget").figure == 1


def test_unknown_baselines_are_named(official: Path) -> None:
    with pytest.raises(InvalidInputError, match="Did you mean 'longest'"):
        audit_split(official, "4k", ["longes"])


def test_the_page_is_whole_and_escapes_the_data(official: Path, tmp_path: Path) -> None:
    def inject(rows: list[Row]) -> list[Row]:
        evil = "<script>alert(1)</script>"
        first = {**rows[0], "question_type": evil, "all_options": evil}
        return [first, *rows[1:-1], {**rows[-1], "question_type": evil}]

    change_csv(official, inject)
    page = tmp_path / "audit.html"
    done = run_audit(official, "--html", page, "--json", tmp_path / "audit.json")
    assert done.returncode == 1
    text = page.read_text("utf-8")
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert text.count("<svg") >= 6
    assert "http://" not in text
    assert "https://" not in text
    report = json.loads((tmp_path / "audit.json").read_text("utf-8"))
    assert report["passed"] is False
    assert set(report["parts"]) == {"4k"}
