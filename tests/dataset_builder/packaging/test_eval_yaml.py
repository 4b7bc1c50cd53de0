"""``eval.yaml`` and ``.eval_results``: what the Hub reads, and inspect-ai as the Hub runs it."""

from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("inspect_ai")
import pyarrow.parquet as pq
from calling import call
from huggingface_hub import parse_eval_result_entries
from inspect_ai._eval.task.hf import HFTask, task_create_from_hf
from inspect_ai.scorer import Target, pattern
from inspecting import read_scores, run_inspect, run_lm_eval

from personamem.dataset_builder.families.personamem.flat import FLAT_SCHEMA, READ_LETTER
from personamem.loaders.personamem.letters import read_letter

pytestmark = pytest.mark.system

FRAMEWORKS = ("inspect-ai", "harbor", "mteb", "nemo-evaluator")
"""Some of those that the Hub lists."""


@pytest.fixture(scope="module")
def described(tiny_dataset: Path) -> Any:
    return yaml.safe_load((tiny_dataset / "eval.yaml").read_text("utf-8"))


def test_it_has_the_keys_that_the_hub_and_inspect_read(described: Any, tiny_dataset: Path) -> None:
    assert list(described) == ["name", "description", "evaluation_framework", "tasks"]
    assert described["evaluation_framework"] in FRAMEWORKS
    tasks = [HFTask.model_validate(task) for task in described["tasks"]]
    assert [(task.id, task.config, task.split) for task in tasks] == [
        ("personamem_4k", "flat", "4k")
    ]
    spec = tasks[0].field_spec
    assert {spec.input, spec.target, *spec.metadata} <= set(FLAT_SCHEMA.names)
    card = yaml.safe_load((tiny_dataset / "README.md").read_text("utf-8").split("---")[1])
    assert "flat" in [config["config_name"] for config in card["configs"]]


def test_large_splits_have_no_flat_table(dataset: Path) -> None:
    from personamem.dataset_builder.families.personamem.tables import list_files

    assert [path.name for path in sorted((dataset / "flat").iterdir())] == [
        "32k.parquet",
        "4k.parquet",
    ]
    assert "flat/64k.parquet" not in list_files("64k")
    metadata = pq.read_metadata(dataset / "flat" / "32k.parquet")
    assert all(metadata.row_group(i).num_rows <= 16 for i in range(metadata.num_row_groups))


@pytest.mark.parametrize(
    "reply",
    [
        *("(b)", "(B)", "b", "B.", "**b**", "[b]", "The answer is (b) because.", "(a) or (b)"),
        *("(b), I say (b)", "The answer is: **d**", "Option c", "answer: a", "", "(e)", "bad"),
        *("a good idea", "The answer is a walk.", "(a) is wrong.\nThe answer is (c)", "A. A walk"),
    ],
)
@pytest.mark.anyio
async def test_the_pattern_reads_no_letter_that_our_reader_does_not(reply: str) -> None:
    class State:
        class output:
            completion = reply

    score = pattern(READ_LETTER)
    found = [
        letter
        for letter in "abcd"
        if (await score(State(), Target(letter))).value == "C"  # type: ignore[arg-type]
    ]
    assert len(found) <= 1
    ours = read_letter(reply)
    assert found in ([], [ours])
    if reply.startswith("(") or len(reply) < 6:
        assert found == ([] if ours is None or reply == "[b]" else [ours])


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_the_hub_and_lm_eval_ask_and_score_alike(
    tiny_dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As ``inspect eval hf/OWNER/NAME``, with the folder in the place of the repository."""
    (tmp_path / "owner").mkdir()
    (tmp_path / "owner" / "name").symlink_to(tiny_dataset)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(
        "huggingface_hub.hf_hub_download", lambda **_: str(tiny_dataset / "eval.yaml")
    )
    (log,), seen = run_inspect(task_create_from_hf("hf/owner/name"), tmp_path / "logs")
    scores, prompts = run_lm_eval(["personamem_4k"], dataset=str(tiny_dataset))
    assert len(seen) == 28
    assert sorted(seen) == sorted(prompts)
    accuracy = scores["personamem_4k"]["acc"]
    assert 0 < accuracy < 1
    assert read_scores(log)["accuracy"] == pytest.approx(accuracy)

    done = call(
        *("report", tmp_path / "logs", "--json", tmp_path / "report.json"),
        *("--eval-results", tmp_path / "models", "--dataset-id", "owner/name@v1.0.0"),
    )
    assert done.returncode == 0, done.stderr
    assert '"levels": {' in (tmp_path / "report.json").read_text("utf-8")
    (path,) = (tmp_path / "models").rglob("*.yaml")
    assert path.relative_to(tmp_path / "models").as_posix() == (
        "mockllm__model/.eval_results/owner__name.yaml"
    )
    (entry,) = parse_eval_result_entries(yaml.safe_load(path.read_text("utf-8")))
    assert (entry.dataset_id, entry.dataset_revision) == ("owner/name", "v1.0.0")
    assert (entry.task_id, entry.value) == ("personamem_4k", pytest.approx(accuracy, abs=1e-6))
    assert entry.notes == "accuracy, 28 questions"
    (path,) = (tmp_path / "logs").glob("*.eval")
    shown = call("show", tiny_dataset, "--samples", path)
    assert f"{accuracy * 28:.0f} of 28 right" in shown.stdout, shown.stderr
    refused = call("report", tmp_path / "logs", "--eval-results", tmp_path / "others")
    assert refused.returncode == 2
    assert "--dataset-id OWNER/NAME" in refused.stderr
