"""lm-eval's own kinds of tasks, from local files, on ``hf`` and ``hf-shared``; and killed runs."""

import json
import random
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lm_eval
import pytest
from evaluation_process import start_evaluation
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager
from preloaded_programs import kill_run
from tiny_models import WORDS

from personamem.tasks.models.hf_shared import SharedHFLM

ENDINGS = """
task: endings
dataset_path: json
dataset_kwargs: {{data_files: {{test: {folder}/endings.jsonl}}}}
test_split: test
output_type: multiple_choice
num_fewshot: 0
doc_to_text: "{{{{context}}}}"
doc_to_choice: endings
doc_to_target: label
metric_list: [{{metric: acc}}, {{metric: acc_norm}}]
"""
REPLIES = """
task: replies
dataset_path: json
dataset_kwargs: {{data_files: {{test: {folder}/endings.jsonl}}}}
test_split: test
output_type: generate_until
num_fewshot: 0
doc_to_text: "{{{{context}}}}\\nThen:"
doc_to_target: reply
generation_kwargs: {{until: ["\\n", "tea"], max_gen_toks: 8}}
metric_list: [{{metric: exact_match}}]
"""
KILLS = 3


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two tasks over 24 documents that come in fours with one beginning."""
    folder = tmp_path_factory.mktemp("tasks")
    draw = random.Random(0)

    def write(words: int) -> str:
        return " ".join(draw.choice(WORDS) for _ in range(words))

    documents = []
    for _ in range(6):
        story = write(40)
        for _ in range(4):
            endings = [write(draw.randrange(1, 9)) for _ in range(4)]
            document = {"context": f"{story} {write(6)}", "endings": endings}
            documents.append({**document, "label": draw.randrange(4), "reply": " cat"})
    draw.shuffle(documents)
    lines = "".join(f"{json.dumps(document)}\n" for document in documents)
    (folder / "endings.jsonl").write_text(lines, "utf-8")
    (folder / "endings.yaml").write_text(ENDINGS.format(folder=folder), "utf-8")
    (folder / "replies.yaml").write_text(REPLIES.format(folder=folder), "utf-8")
    return folder


def test_scores_of_other_tasks_are_those_of_hf(
    make_weights: Callable[[str], Any], tokenizer: Any, tasks: Path
) -> None:
    reports = []
    for kind in (HFLM, SharedHFLM):
        model = kind(pretrained=make_weights("sliding window"), tokenizer=tokenizer)
        manager = TaskManager(include_path=str(tasks), include_defaults=False)
        reports.append(
            lm_eval.simple_evaluate(
                model, tasks=["endings", "replies"], task_manager=manager, bootstrap_iters=0
            )
        )
    assert reports[0]["results"] == reports[1]["results"]
    expected, found = (
        {sample["doc_id"]: sample["filtered_resps"] for sample in report["samples"]["replies"]}
        for report in reports
    )
    assert found == expected
    assert model.stats.computed < model.stats.naive / 2


@pytest.fixture(scope="module")
def saved_model(
    make_weights: Callable[[str], Any], tokenizer: Any, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("saved")
    make_weights("full attention").save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def start_run(model: Path, tasks: Path, folder: Path) -> Any:
    return start_evaluation(
        [
            *("--model", "hf-shared", "--device", "cpu", "--model_args", f"pretrained={model}"),
            *("--include_path", str(tasks), "--tasks", "endings,replies"),
            *("--use_cache", str(folder / "answers")),
            *("--output_path", str(folder / "out"), "--log_samples"),
        ],
        folder / "log.txt",
    )


def read_run(folder: Path) -> tuple[Any, dict[Any, list[Any]]]:
    """Return the results, and the answers of every document."""
    (path,) = (folder / "out").rglob("results_*.json")
    answers: dict[Any, list[Any]] = {}
    for log in (folder / "out").rglob("samples_*.jsonl"):
        for line in log.read_text("utf-8").splitlines():
            sample = json.loads(line)
            answers[log.name.split("_")[1], sample["doc_id"]] = sample["filtered_resps"]
    return json.loads(path.read_text("utf-8"))["results"], answers


def count_answers(folder: Path) -> int:
    paths = list(folder.glob("answers*.db"))
    if not paths:
        return 0
    try:
        with sqlite3.connect(paths[0]) as connection:
            return int(connection.execute("select count(*) from unnamed").fetchone()[0])
    except sqlite3.OperationalError:  # Being made, or being written.
        return 0


def test_a_run_killed_again_and_again_ends_like_one_that_was_not(
    saved_model: Path, tasks: Path, tmp_path: Path
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for folder in (whole, killed):
        folder.mkdir()
    run = start_run(saved_model, tasks, whole)
    assert run.wait(300) == 0, (whole / "log.txt").read_text()
    draw = random.Random()
    answered = [0]
    for _ in range(KILLS):
        run = start_run(saved_model, tasks, killed)
        while run.poll() is None and count_answers(killed) <= answered[-1]:
            time.sleep(0.005)
        time.sleep(draw.random() * 0.1)
        kill_run(run)
        answered.append(count_answers(killed))
    # What was answered before a kill is there after it.
    assert answered == sorted(answered)
    assert 0 < answered[1] < answered[2]
    if not list(killed.rglob("results_*.json")):
        run = start_run(saved_model, tasks, killed)
        assert run.wait(300) == 0, (killed / "log.txt").read_text()
    results, answers = read_run(killed)
    expected_results, expected_answers = read_run(whole)
    assert results == expected_results
    assert answers.keys() == expected_answers.keys()
    for document, expected in expected_answers.items():
        for found, answer in zip(answers[document], expected, strict=True):
            if isinstance(answer, str):
                assert found == answer
            else:
                # What is left is read in other pieces, which changes how sums are rounded.
                assert float(found[0]) == pytest.approx(float(answer[0]), abs=1e-4)
                assert found[1] == answer[1]
