"""Planted faults: each is flagged by the check meant for it, and the good dataset by none."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from auditing import audit_split
from dataset_edits import DatasetEdit
from dataset_mutations import MUTATIONS, order_rows_by_letter
from text_mutations import Mutation, recount

from personamem.dataset_builder.audit.run import PartAudit
from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.personamem.flat import FLAT_SCHEMA
from personamem.dataset_builder.packaging.build import build_dataset

SPLIT = "4k"
FAST_BASELINES = ("longest", "shortest", "letter by row number", "letter by persona")


def build(folder: Path, personas: int) -> None:
    sections = {"personamem": {"sizes": (SPLIT,), "personas": personas}}
    build_dataset(make_config(families=sections), folder, workers=1)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good") / "dataset"
    # Two cohorts: the rows of one are too few to prove a leak at one error in 1,000 audits.
    build(folder, personas=8)
    return folder


def audit(folder: Path) -> PartAudit:
    return audit_split(folder, SPLIT, FAST_BASELINES)


def failed_checks(folder: Path) -> set[str]:
    return {finding.check for finding in audit(folder).failures}


def test_no_check_fires_on_the_good_dataset(good: Path) -> None:
    audited = audit_split(good, SPLIT)
    assert audited.failures == ()
    assert len({finding.check for finding in audited.findings}) > 80


@pytest.mark.parametrize(
    ("mutate", "check"), MUTATIONS.items(), ids=lambda x: getattr(x, "__name__", x)
)
def test_a_planted_fault_is_flagged(
    mutate: Mutation, check: str, good: Path, tmp_path: Path
) -> None:
    edit = DatasetEdit(good, tmp_path / "bad", SPLIT)
    mutate(edit)
    findings = {finding.check: finding for finding in audit(edit.save()).findings}
    assert findings[check].passed is False
    assert findings[check].rows or findings[check].figure


def test_an_order_of_rows_that_tells_the_letter_is_flagged(tmp_path: Path) -> None:
    # Eight quads prove nothing at one error in 1,000 audits; 32 do.
    build(tmp_path / "good", personas=16)
    edit = DatasetEdit(tmp_path / "good", tmp_path / "bad", SPLIT)
    order_rows_by_letter(edit)
    assert failed_checks(edit.save()) == {"letter by row number"}


def test_an_edit_without_a_change_passes(good: Path, tmp_path: Path) -> None:
    # So what the other tests see is the planted fault and not the way in which it was planted.
    edit = DatasetEdit(good, tmp_path / "same", SPLIT)
    recount(edit)
    edit.rename_contexts()
    assert failed_checks(edit.save()) == set()


def test_a_changed_file_is_flagged(good: Path, tmp_path: Path) -> None:
    edit = DatasetEdit(good, tmp_path / "bad", SPLIT)
    with (edit.folder / f"questions_{SPLIT}.csv").open("a") as stream:
        stream.write("\n")
    assert failed_checks(edit.folder) == {"files"}


def test_a_mirror_that_differs_is_flagged(good: Path, tmp_path: Path) -> None:
    edit = DatasetEdit(good, tmp_path / "bad", SPLIT)
    for name in (f"questions_{SPLIT}.csv", f"shared_contexts_{SPLIT}.jsonl"):
        path = edit.folder / name
        path.write_text(path.read_text("utf-8").replace(" you ", " thou ", 1), "utf-8")
    edit.refresh_manifest()
    assert failed_checks(edit.folder) == {"mirrors"}


def test_a_table_of_contexts_that_differs_from_its_ids_is_flagged(
    good: Path, tmp_path: Path
) -> None:
    edit = DatasetEdit(good, tmp_path / "bad", SPLIT)
    lines = (edit.folder / f"shared_contexts_{SPLIT}.jsonl").read_bytes()
    messages = edit.contexts[0]["messages"]
    messages[2], messages[4] = messages[4], messages[2]
    edit.save()
    (edit.folder / f"shared_contexts_{SPLIT}.jsonl").write_bytes(lines)
    edit.refresh_manifest()
    assert "mirrors" in failed_checks(edit.folder)


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("splits", SPLIT, "questions"), 999_999),
        (("splits", SPLIT, "contexts"), -3),
        (("splits", SPLIT, "tokens"), 5),
        (("splits", SPLIT, "topics", "bees"), 5),
        (("checks", SPLIT, "solver_agrees"), 31),
        (("checks", SPLIT, "invented"), True),
        (("checks", "another"), {}),
        (("invented",), 1),
    ],
)
def test_facts_of_the_manifest_that_do_not_hold_are_flagged(
    keys: tuple[str, ...], value: object, good: Path, tmp_path: Path
) -> None:
    edit = DatasetEdit(good, tmp_path / "bad", SPLIT)
    path = edit.folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    place = manifest["families"]["personamem"]
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    path.write_text(json.dumps(manifest), "utf-8")
    assert failed_checks(edit.folder) == {"manifest"}


@pytest.mark.parametrize("kind", [pa.string(), None])
def test_other_columns_are_flagged(kind: Any, good: Path, tmp_path: Path) -> None:
    edit = DatasetEdit(good, tmp_path / "bad", SPLIT)
    for row in edit.benchmark:
        row["persona_id"] = str(row["persona_id"])

    def change(name: str, found: pa.Schema) -> pa.Schema:
        index = found.get_field_index("persona_id")
        if name != "benchmark":
            return found
        field = pa.field("persona_id" if kind else "person", pa.string())
        return found.set(index, field)

    assert "columns" in failed_checks(edit.save(change))


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[0]["input"][-1].update(content="Something else?"),
        lambda rows: rows[0]["input"].pop(1),
        lambda rows: rows[0].update(target="e"),
        lambda rows: rows.pop(),
    ],
)
def test_a_flat_table_that_tells_something_else_is_flagged(
    change: Any, good: Path, tmp_path: Path
) -> None:
    edit = DatasetEdit(good, tmp_path / "bad", SPLIT)
    rows = pq.read_table(edit.path("flat")).to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, FLAT_SCHEMA), edit.path("flat"))
    edit.refresh_manifest()
    assert "mirrors" in failed_checks(edit.folder)
