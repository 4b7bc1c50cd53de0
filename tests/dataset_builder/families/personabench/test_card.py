"""The part of the card that is about open questions."""

from copy import deepcopy
from typing import Any

import pytest
from card_manifest import make_file, make_manifest, render
from datasets.utils.metadata import MetadataConfigs
from huggingface_hub import DatasetCard

from personamem.loaders.formats.errors import DatasetError

RECORD = {
    "communities": 5,
    "people": 50,
    "relations": 110,
    "test_users": 15,
    "questions": 577,
    "question_types": {"Basic information": 275},
    "categories": {"basic": 275, "social_two_hop": 80},
    "attributes": 48,
    "outdated": 43,
    "splits": {
        "noise_05": {
            "noise": 0.5,
            "sessions": 1_688,
            "kinds": {"conversation": 1_111, "user_ai_interaction": 22},
        }
    },
}


@pytest.fixture
def manifest() -> dict[str, Any]:
    manifest = make_manifest()
    manifest["families"]["personabench"] = deepcopy(RECORD)
    for name in ("documents", "open_questions"):
        manifest["files"][f"{name}/noise_05.parquet"] = make_file(name)
    return manifest


def test_open_questions_are_two_further_configs(manifest: dict[str, Any]) -> None:
    card = render(manifest)
    configs = MetadataConfigs.from_dataset_card_data(DatasetCard(card).data)
    assert configs.get_default_config_name() == "benchmark"
    assert list(configs)[3:] == ["documents", "open_questions"]
    assert configs["documents"]["data_files"] == [
        {"split": "noise_05", "path": "documents/noise_05.parquet"}
    ]
    assert "| `noise_05` | 50.0 % | 1,688 | 1,111 | 22 | 0 |" in card
    assert "| `social_two_hop`: facts about somebody who is named by a relation | 80 |" in card
    assert "Of them 15 have documents and ask 577 questions" in card
    assert "43 of the questions have former values" in card


def test_a_dataset_of_open_questions_alone_has_a_card(manifest: dict[str, Any]) -> None:
    del manifest["families"]["personamem"]
    for name in [name for name in manifest["files"] if "noise" not in name]:
        del manifest["files"][name]
    card = render(manifest)
    configs = MetadataConfigs.from_dataset_card_data(DatasetCard(card).data)
    assert configs.get_default_config_name() == "documents"
    assert "Four-option" not in card
    assert "quad" not in card
    assert "personamem eval SOURCE --split noise_05" in card


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("splits", {}, r"personabench\.splits: "),
        ("communities", -1, r"personabench\.communities: .* \(found -1\)"),
        ("categories", {"basic": "x"}, r"personabench\.categories\.basic: "),
    ],
)
def test_a_record_that_cannot_be_is_one_error(
    manifest: dict[str, Any], key: str, value: object, words: str
) -> None:
    manifest["families"]["personabench"][key] = value
    with pytest.raises(DatasetError, match=rf"^manifest\.json: families\.{words}"):
        render(manifest)
