"""The card of a published dataset: its audit, its scores, its address, and whose text it is."""

import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from card_manifest import HOSTILE, make_file, make_manifest, render, splits_of, strip_code
from datasets.utils.metadata import MetadataConfigs
from huggingface_hub import DatasetCard, DatasetCardData, metadata_load, parse_eval_result_entries

from personamem.cards import Score, is_as_rendered

REPO = "own/bench"
SCORE = Score("owner/model", "personamem_32k", 0.3125, 0.0191, 592, "2026-01-31")


def make_row(policy: str, accuracy: float, question_type: str = "overall") -> dict[str, Any]:
    return {
        "policy": policy,
        "question_type": question_type,
        "questions": 592,
        "accuracy": accuracy,
        "interval_95": [accuracy - 0.03, accuracy + 0.04],
        "passed": True,
    }


def make_audit() -> dict[str, Any]:
    findings = [
        {"section": "structure", "check": "files", "passed": True},
        {"section": "structure", "check": "letters", "passed": True},
        {"section": "blind", "check": "longest", "passed": False},
        {"section": "text", "check": "words", "passed": None},
    ]
    baselines = {
        "blind": [
            make_row("longest", 0.25),
            make_row("shortest", 0.26),
            make_row("shortest", 0.9, "suggest_new_ideas"),
            make_row("lm:SmolLM2", 0.24),
        ],
        "shallow": [make_row("highest BM25", 0.33)],
    }
    parts = {
        part: {"findings": deepcopy(findings), "baselines": deepcopy(baselines)}
        for part in ("32k", "1M")
    }
    return {
        "source": "My benchmark 1.2.0",
        "manifest_sha256": "0" * 64,
        "personamem": "0.1.0",
        "passed": True,
        "parts": parts,
        "content_sha256": "1" * 64,
    }


@pytest.fixture
def manifest() -> dict[str, Any]:
    return make_manifest()


@pytest.fixture
def audit() -> dict[str, Any]:
    return make_audit()


def test_the_metadata_is_valid_for_the_hubs_client(
    manifest: dict[str, Any], audit: dict[str, Any], tmp_path: Path
) -> None:
    card = render(manifest, audit, REPO, [SCORE])
    (tmp_path / "README.md").write_text(card, encoding="utf-8")
    loaded = metadata_load(tmp_path / "README.md")
    assert loaded is not None
    strict = DatasetCard(card, ignore_metadata_errors=False)
    assert strict.data.to_dict() == loaded == DatasetCardData(**loaded).to_dict()
    assert loaded["license"] == "mit"
    assert list(MetadataConfigs.from_dataset_card_data(strict.data)) == [
        "benchmark",
        "contexts",
        "annotations",
    ]


def test_measured_scores_are_entries_that_the_hub_reads(
    manifest: dict[str, Any], audit: dict[str, Any]
) -> None:
    data = DatasetCard(render(manifest, audit, REPO, [SCORE])).data.to_dict()
    entries = parse_eval_result_entries(data["eval_results"])
    assert {entry.dataset_id for entry in entries} == {REPO}
    assert {entry.dataset_revision for entry in entries} == {"v1.2.0"}
    assert (entries[0].task_id, entries[0].value, entries[0].date) == (
        "personamem_32k",
        0.3125,
        "2026-01-31",
    )
    assert entries[0].notes == "accuracy of owner/model, 592 questions"
    of_32k = [(e.task_id, e.value) for e in entries[1:] if e.task_id.startswith("personamem_32k")]
    assert of_32k == [
        ("personamem_32k_nocontext", 0.24),
        ("personamem_32k_nocontext", 0.26),
        ("personamem_32k", 0.33),
    ]


def test_without_an_address_there_is_nothing_for_the_hub(
    manifest: dict[str, Any], audit: dict[str, Any]
) -> None:
    data = DatasetCard(render(manifest, audit)).data.to_dict()
    assert "eval_results" not in data
    assert "eval_results" not in DatasetCard(render(manifest, None, REPO)).data.to_dict()


def test_the_audit_is_told_by_section_and_by_policy(
    manifest: dict[str, Any], audit: dict[str, Any]
) -> None:
    card = render(manifest, audit, REPO, [SCORE])
    assert "## Audit" in card
    assert "| structure | 2 of 2 | 2 of 2 | ids" in card
    assert "| blind | 0 of 1 | 0 of 1 |" in card
    assert "| text | - | - |" in card
    assert "| `shortest` | 26.0 % (23.0 % to 30.0 %) | 26.0 % (23.0 % to 30.0 %) |" in card
    assert "90.0 %" not in card
    assert "| `owner/model` | `personamem_32k` | 592 | 31.2 % | 1.9 % |" in card
    plain = render(manifest)
    assert "## Audit" not in plain
    assert "## Scores" not in plain


def test_commands_name_the_address_and_pin_the_version(
    manifest: dict[str, Any], audit: dict[str, Any]
) -> None:
    card = render(manifest, audit, REPO)
    assert 'load_dataset("own/bench", "contexts", split="32k", revision="v1.2.0")' in card
    assert 'load_personamem("own/bench@v1.2.0", "32k")' in card
    assert "personamem eval own/bench@v1.2.0 --split 32k --model hf" in card
    assert """--metadata '{"dataset": "own/bench@v1.2.0"}'""" in card
    assert "personamem diff own/bench@v1.2.0 OTHER_VERSION" in card
    assert "SOURCE" not in card
    assert 'load_dataset("SOURCE", "contexts", split="32k")' in render(manifest)


def test_a_config_without_files_is_not_promised(manifest: dict[str, Any]) -> None:
    for name in [name for name in manifest["files"] if name.startswith("annotations/")]:
        del manifest["files"][name]
    del manifest["files"]["contexts/1M.parquet"]
    card = render(manifest)
    configs = DatasetCard(card).data.to_dict()["configs"]
    assert [config["config_name"] for config in configs] == ["benchmark", "contexts"]
    assert [file["split"] for file in configs[1]["data_files"]] == ["32k"]
    assert "### `annotations`" not in card


def test_splits_are_listed_in_the_order_of_the_manifest(manifest: dict[str, Any]) -> None:
    manifest["files"]["contexts/2M.parquet"] = make_file("2M")
    splits_of(manifest)["2M"] = splits_of(manifest)["1M"]
    configs = DatasetCard(render(manifest)).data.to_dict()["configs"]
    assert [file["split"] for file in configs[0]["data_files"]] == ["32k", "1M"]
    assert [file["split"] for file in configs[1]["data_files"]] == ["32k", "1M", "2M"]


def test_the_build_checks_of_each_split_are_rows(manifest: dict[str, Any]) -> None:
    checks = {"32k": {"solver_agrees": 592, "ratio": 1.2}}
    manifest["families"]["personamem"]["checks"] = checks
    card = render(manifest)
    assert "| `32k` | `solver_agrees` | `592` | questions for which a solver that" in card
    assert "| `32k` | `ratio` | `1.2` |  |" in card


@pytest.mark.parametrize("place", ["policy", "section", "family", "model", "task"])
def test_hostile_text_stays_text(
    manifest: dict[str, Any], audit: dict[str, Any], place: str
) -> None:
    score = SCORE
    if place == "policy":
        for split in audit["parts"].values():
            split["baselines"]["blind"][0]["policy"] = HOSTILE
    elif place == "section":
        for split in audit["parts"].values():
            split["findings"][0] = {"section": HOSTILE, "check": "x", "passed": True}
    elif place == "family":
        for split in audit["parts"].values():
            split["baselines"][HOSTILE] = [make_row("x", 0.2)]
    else:
        words = {"model": "owner/model", "task": "personamem_32k", place: HOSTILE}
        score = Score(words["model"], words["task"], 0.3, None, 592, "2026-01-31")
    card = render(manifest, audit, REPO, [score])
    header, body = card.split("\n---\n", 1)
    data = yaml.safe_load(header.removeprefix("---\n"))
    assert data["license"] == "mit"
    assert len(data["configs"]) == 3
    assert "49" not in re.sub(r"49\d|[0-9a-f]{64}", "", body)
    outside_code = strip_code(body)
    assert "<script>" not in outside_code
    assert "[x](" not in outside_code.replace(r"\[x\](", "")


def test_a_card_knows_whether_it_was_edited(
    manifest: dict[str, Any], audit: dict[str, Any]
) -> None:
    for card in (render(manifest), render(manifest, audit, REPO, [SCORE])):
        assert is_as_rendered(card)
        assert not is_as_rendered(card + "More.\n")
        assert not is_as_rendered(card.replace("invented", "real"))
        assert not is_as_rendered(card[: card.rindex("<!--")])
    assert not is_as_rendered("")
