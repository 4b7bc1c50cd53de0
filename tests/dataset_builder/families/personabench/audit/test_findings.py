"""The audit of open questions: figures that documents must not be needed for, and whole files."""

import json
import shutil
from pathlib import Path
from statistics import mean
from typing import Any

import pyarrow.parquet as pq
import pytest

from personamem.dataset_builder.audit.parts import AuditSource
from personamem.dataset_builder.audit.run import PartAudit
from personamem.dataset_builder.core.findings import GateError
from personamem.dataset_builder.families.personabench.asking import plan_asks
from personamem.dataset_builder.families.personabench.attributes import attribute_packs
from personamem.dataset_builder.families.personabench.audit.findings import (
    judge_figures,
    require_sound,
    score_best_constant,
    score_majority,
)
from personamem.dataset_builder.families.personabench.config import PersonaBenchConfig
from personamem.dataset_builder.families.personabench.graph import build_community
from personamem.dataset_builder.families.personabench.profiles import draw_profiles
from personamem.dataset_builder.families.personabench.rows import (
    OpenTables,
    make_question_fields,
    make_tables,
)
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.personabench.schema import NOISE_SPLITS

Row = dict[str, Any]


def audit(folder: Path) -> PartAudit:
    return AuditSource(folder).audit_part("communities", ["communities"])


def ask(answer: object, attribute: str = "a") -> Row:
    return {"answer": json.dumps(answer), "attribute": attribute}


def make_questions(seed: int) -> list[Row]:
    packs = attribute_packs()
    rows = []
    for number in range(5):
        community = build_community(seed, number)
        profiles = draw_profiles(community, packs, seed)
        for asks in plan_asks(community, profiles, packs, seed):
            rows += [
                make_question_fields(community, one) | {"question_id": "", "gold": []}
                for one in asks
            ]
    return rows


def test_the_best_constant_may_be_a_set_of_common_words() -> None:
    rows = [ask(["tea", "milk"]), ask(["tea", "rum"]), ask(39)]
    assert mean(score_best_constant(rows)[0]) == pytest.approx((2 / 3 + 2 / 3 + 2 / 5) / 3)
    assert score_best_constant([ask("red wine"), ask("red wine")])[0] == [1.0, 1.0]


def test_the_majority_is_that_of_the_others() -> None:
    assert score_majority([ask("blue"), ask("blue"), ask("red")]) == ([1.0, 1.0, 0.0], 1)
    assert score_majority([ask("blue", "a"), ask("blue", "b")])[0] == [0.0, 0.0]
    # The path of a relation holds the answer, so all relations are one group.
    relations = [ask(w, f"Social_relationship.{w}") for w in ("friend", *["sister"] * 3)]
    assert mean(score_majority(relations)[0]) == pytest.approx(3 / 4)


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_had_without_documents(seed: int) -> None:
    rows = make_questions(seed)
    questions = dict.fromkeys(NOISE_SPLITS, rows)
    figures = judge_figures(5, OpenTables([], {s: [] for s in NOISE_SPLITS}, questions))
    limited = [finding for finding in figures if finding.threshold.startswith("at most 0.20")]
    assert len(limited) == 6
    assert all(finding.passed for finding in limited)
    proportions = next(finding for finding in figures if finding.check == "proportions")
    assert proportions.passed


def test_fewer_communities_are_told_not_judged() -> None:
    rows = make_questions(0)[:30]
    questions = dict.fromkeys(NOISE_SPLITS, rows)
    tables = OpenTables([], {s: [] for s in NOISE_SPLITS}, questions)
    verdicts = {f.check: f.passed for f in judge_figures(1, tables)}
    assert verdicts["proportions"] is None
    assert {f.check: f.passed for f in judge_figures(5, tables)}["proportions"] is False


@pytest.fixture(scope="module")
def one() -> OpenTables:
    return make_tables(0, 1)


def test_the_gate_gives_figures_or_refuses(one: OpenTables) -> None:
    config = PersonaBenchConfig(communities=1, seed=0)
    figures = require_sound(config, one)
    assert figures["answers_found"] == len(one.questions["noise_0"])
    other = PersonaBenchConfig(communities=1, seed=5)
    with pytest.raises(GateError, match='communities, check "people are the world\'s": 2'):
        require_sound(other, one)


def test_an_audit_reads_the_files(dataset: Path) -> None:
    assert "communities" in AuditSource(dataset).parts
    audited = audit(dataset)
    assert audited.failures == ()
    assert audited.part == "communities"
    assert audited.questions > 30
    assert {finding.section.value for finding in audited.findings} == {
        "structure",
        "truth",
        "blind",
    }


@pytest.fixture
def copied(dataset: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(dataset, tmp_path / "copy"))


def failed(folder: Path) -> set[str]:
    return {finding.check for finding in audit(folder).failures}


def test_a_changed_document_is_found(copied: Path) -> None:
    path = copied / "documents" / "noise_03.parquet"
    table = pq.read_table(path)
    pq.write_table(table.slice(1), path)
    assert failed(copied) >= {"files", "noise levels"}


def test_a_missing_column_is_found(copied: Path) -> None:
    path = copied / "open_questions" / "noise_03.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["hops"]), path)
    assert failed(copied) >= {"files", "columns"}


def test_a_missing_file_is_a_clear_error(copied: Path) -> None:
    (copied / "documents" / "noise_05.parquet").unlink()
    with pytest.raises(DatasetError, match=r"noise_05\.parquet"):
        audit(copied)


def test_without_communities_there_is_nothing_to_audit(copied: Path) -> None:
    path = copied / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    del manifest["families"]["personabench"]
    path.write_text(json.dumps(manifest), "utf-8")
    assert "communities" not in AuditSource(copied).parts


def test_a_figure_over_the_limit_fails_only_beyond_chance() -> None:
    def judge(rows: list[Row]) -> bool | None:
        kind = {"question_type": "Preference", "difficulty": "easy", "hops": 1, "gold": []}
        full = [kind | row for row in rows]
        questions = dict.fromkeys(NOISE_SPLITS, full)
        tables = OpenTables([], {split: [] for split in NOISE_SPLITS}, questions)
        found = {finding.check: finding for finding in judge_figures(5, tables)}
        return found["majority answer, preference_easy"].passed

    def answer(person: int, number: int, text: str) -> Row:
        where = {"community": "c", "person": str(person), "question_id": f"{person}-{number}"}
        return ask(text, f"a{number}") | where

    distinct = [answer(person, 0, f"x{person}") for person in range(15)]
    assert judge(distinct) is True
    a_few_alike = [answer(person, 0, "x" if person < 4 else f"x{person}") for person in range(15)]
    assert judge(a_few_alike) is None
    all_alike = [answer(person, number, "x") for person in range(15) for number in range(4)]
    assert judge(all_alike) is False
