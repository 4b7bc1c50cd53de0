"""The dataset card: a header that tools can read, real counts, and text that stays text."""

import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
import yaml
from card_manifest import (
    HOSTILE,
    digest,
    make_manifest,
    make_split,
    render,
    splits_of,
    strip_code,
)
from datasets import load_dataset
from datasets.utils.metadata import MetadataConfigs
from huggingface_hub import DatasetCard

from personamem.cards.family import Field, describe_columns
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.schema import (
    QUESTION_TYPES,
)


@pytest.fixture
def manifest() -> dict[str, Any]:
    return make_manifest()


def test_header_is_read_by_the_hub_library(manifest: dict[str, Any]) -> None:
    data = DatasetCard(render(manifest)).data.to_dict()
    assert data["license"] == "mit"
    assert data["language"] == ["en"]
    assert data["size_categories"] == ["1K<n<10K"]
    assert data["pretty_name"] == "My benchmark 1.2.0"


def test_header_points_every_config_and_split_at_one_parquet_file(manifest: dict[str, Any]) -> None:
    configs = MetadataConfigs.from_dataset_card_data(DatasetCard(render(manifest)).data)
    assert configs.get_default_config_name() == "benchmark"
    assert list(configs) == ["benchmark", "contexts", "annotations"]
    for name, config in configs.items():
        assert config["data_files"] == [
            {"split": split, "path": f"{name}/{split}.parquet"} for split in ("32k", "1M")
        ]


@pytest.mark.parametrize(
    ("questions", "category"),
    [(999, "n<1K"), (1_000, "1K<n<10K"), (10_000, "10K<n<100K"), (5_000_000, "1M<n<10M")],
)
def test_size_category_counts_the_questions(
    manifest: dict[str, Any], questions: int, category: str
) -> None:
    manifest["families"]["personamem"]["splits"] = {"32k": make_split(40, questions)}
    assert DatasetCard(render(manifest)).data.to_dict()["size_categories"] == [category]


def test_counts_of_the_manifest_appear(manifest: dict[str, Any]) -> None:
    card = render(manifest)
    assert "| `32k` | 32,768 | 40 | 592 | 148 | 20 | 28,001 to 32,760 | 1,234,567 |" in card
    assert "The dataset has 3,268 questions over 60 contexts, in\n2 splits" in card
    assert "| `therapy` | 592 | 2,676 |" in card
    assert "| `c` | 148 | 669 |" in card
    assert "| Version of `bpe-openai` | `0.1.4` |" in card
    assert "| `personamem` | `blind_accuracy` | `0.25` |" in card
    assert 'revision="v1.2.0"' in card
    assert "\n\n\n" not in card
    assert not re.search(r"^\|.*\n[^|\n]", card, re.MULTILINE), "an empty line ends each table"


def test_a_type_absent_from_a_split_counts_zero(manifest: dict[str, Any]) -> None:
    splits_of(manifest)["1M"]["question_types"] = {"suggest_new_ideas": 2_676}
    line = next(x for x in render(manifest).splitlines() if "recall_user_shared" in x)
    assert line.endswith("| 499 | 0 |")


def test_columns_are_described_in_full_and_in_their_order() -> None:
    schema = pa.schema([("name", pa.string()), ("days", pa.list_(pa.int64()))])
    assert describe_columns(schema, name="Who.", days="When.") == (
        Field("name", "string", "Who."),
        Field("days", "list<int64>", "When."),
    )
    for wrong in ({"name": "Who."}, {"days": "When.", "name": "Who."}, {"nam": "", "days": ""}):
        with pytest.raises(ValueError, match="not the columns name, days"):
            describe_columns(schema, **wrong)


def test_every_question_type_is_explained(manifest: dict[str, Any]) -> None:
    splits_of(manifest)["32k"]["question_types"] = {name: 1 for name in QUESTION_TYPES}
    card = render(manifest)
    for name in QUESTION_TYPES:
        assert f"| `{name}`: " in card


@pytest.mark.parametrize(
    "place", ["name", "tokenizer", "made_with", "topic", "check", "writer", "model"]
)
def test_hostile_text_stays_text(manifest: dict[str, Any], place: str) -> None:
    clean = render(deepcopy(manifest))
    if place == "topic":
        splits_of(manifest)["32k"]["topics"] = {HOSTILE: 592}
    elif place == "check":
        manifest["families"]["personamem"]["checks"] = {HOSTILE: HOSTILE}
    elif place == "made_with":
        manifest["made_with"] = {HOSTILE: HOSTILE}
    elif place == "writer":
        manifest["writer"] = {"name": HOSTILE, "model": HOSTILE}
    elif place == "model":
        add_model(manifest, HOSTILE)
    else:
        manifest[place] = HOSTILE
    card = render(manifest)
    data = DatasetCard(card).data.to_dict()
    expected = DatasetCard(clean).data.to_dict()
    if place == "name":
        assert HOSTILE in data.pop("pretty_name")
        expected.pop("pretty_name")
    assert data == expected
    body = card.split("\n---\n", 1)[1]
    assert "49" not in re.sub(r"499|[0-9a-f]{64}", "", body)
    outside_code = strip_code(body)
    assert "<script>" not in outside_code
    assert "[x](" not in outside_code.replace(r"\[x\](", "")
    # Not one line more than without it: nothing broke out of its table cell or code block.
    if place not in {"writer", "model"}:
        assert body.count("\n```") == clean.count("\n```")
    for line in body.splitlines():
        if line.startswith("| `"):
            assert "|" not in strip_code(line).replace("| ", "").strip(" |")


def add_model(manifest: dict[str, Any], text: str) -> None:
    counts = {"total": 1_028, "written": 1_003, "rewritten": 17, "fallbacks": 25}
    kind = text if text == HOSTILE else "sessions"
    manifest["writer"] = {
        "name": "openai",
        "model": text,
        "prompts_sha256": {"personamem": "ab" * 32},
        "items": {kind: {**counts, "fallbacks_by_reason": {text: 25}}},
    }
    settings = {"name": text, "temperature": 0.7, "seed": None, "max_tokens": None}
    manifest["config"]["model"] = settings | ({text: text} if text == HOSTILE else {})


def test_the_card_says_who_wrote_the_text(manifest: dict[str, Any]) -> None:
    plain = render(manifest)
    assert "no language model" in plain
    assert "Text from a language model" not in plain
    add_model(manifest, "own/writer-7B")
    card = render(manifest)
    assert "| Writer | `openai`, model `own/writer-7B` |" in card
    assert "| `sessions` | 1,028 | 1,003 | 17 | 25 |" in card
    assert f"| `SHA-256 of the prompts of personamem` | `{'ab' * 32}` |" in card
    assert "| `temperature` | `0.7` |" in card
    assert "`max_tokens`" not in card
    assert "and the same store of replies" in card
    assert "without a language model" not in card


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        ("splits", {}, r"families\.personamem\.splits: "),
        (
            "splits",
            {"4k": {}},
            r"families\.personamem\.splits\.4k\.budget_tokens: Field required\.",
        ),
        ("questions", -3, r"splits\.32k\.questions: .* \(found -3\)"),
        ("tokens", 1.5, r"splits\.32k\.tokens: .* \(found 1\.5\)"),
        ("topics", None, r"splits\.32k\.topics: .* \(found None\)"),
        ("colour", 1, r"splits\.32k\.colour: Extra inputs are not permitted"),
    ],
)
def test_a_record_that_cannot_be_is_one_error(
    manifest: dict[str, Any], place: str, value: object, words: str
) -> None:
    record = manifest["families"]["personamem"]
    (record if place == "splits" else record["splits"]["32k"])[place] = value
    with pytest.raises(DatasetError, match=rf"^manifest\.json: .*{words}"):
        render(manifest)


def test_header_survives_a_second_reading(manifest: dict[str, Any]) -> None:
    header = render(manifest).split("---\n")[1]
    assert yaml.safe_load(header)["configs"][0]["default"] is True


def test_datasets_loads_every_config_and_split_by_the_card(
    manifest: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "README.md").write_text(render(manifest), encoding="utf-8")
    # A file that no config names must not be taken for data.
    (tmp_path / "questions_32k.csv").write_text("a\n1\n", encoding="utf-8")
    for config in ("benchmark", "contexts", "annotations"):
        for split in ("32k", "1M"):
            file = tmp_path / config / f"{split}.parquet"
            file.parent.mkdir(exist_ok=True)
            parquet.write_table(pa.table({"is": [f"{config} {split}"]}), file)
    for config in ("benchmark", "contexts", "annotations"):
        for split in ("32k", "1M"):
            loaded = load_dataset(str(tmp_path), config, split=split)
            assert loaded[:] == {"is": [f"{config} {split}"]}
    assert load_dataset(str(tmp_path), split="1M")["is"] == ["benchmark 1M"]


def test_datasets_never_answers_with_another_dataset(
    manifest: dict[str, Any], tmp_path: Path
) -> None:
    """Equal names and counts, other rows: in another folder, and built anew in the same one."""
    for place, rows in (("a/data", "first"), ("b/data", "second"), ("a/data", "third")):
        for name in manifest["files"]:
            manifest["files"][name]["sha256"] = digest(f"{rows} {name}")
            file = tmp_path / place / name
            file.parent.mkdir(parents=True, exist_ok=True)
            parquet.write_table(pa.table({"is": [rows]}), file)
        (tmp_path / place / "README.md").write_text(render(manifest), encoding="utf-8")
        for config in ("benchmark", "contexts", "annotations"):
            assert load_dataset(str(tmp_path / place), config, split="32k")["is"] == [rows]
