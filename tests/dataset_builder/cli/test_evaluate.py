"""``personamem eval``: which words it takes, what lm-eval gets, and joining samples again."""

import json
from pathlib import Path

import pytest
from calling import call
from evaluating import call_apart, parse, run_dummy

from personamem.dataset_builder.cli.evaluate import included_tasks
from personamem.loaders.formats.errors import InvalidInputError


def test_a_split_and_its_conditions_name_the_tasks() -> None:
    found = parse("data", "--split", "4k", "--split", "1M", "--condition", "oracle")
    assert found.tasks == (
        *("personamem_4k", "personamem_4k_oracle"),
        *("personamem_1M", "personamem_1M_oracle"),
    )
    assert found.metadata["dataset"] == "data"
    assert found.arguments.apply_chat_template is True
    (task,) = parse("data", "--split", "4k", "--loglikelihood").tasks
    assert task == "personamem_4k_ll"


def test_tasks_may_be_named_as_lm_eval_names_them(tmp_path: Path) -> None:
    words = ["--model", "dummy", "--tasks", "personamem_1M,personamem_32k_ll", "hellaswag"]
    found = parse(*words, "--metadata", json.dumps({"dataset": str(tmp_path), "key": 1}))
    assert found.tasks == ("personamem_1M", "personamem_32k_ll", "hellaswag")
    assert found.metadata == {"dataset": str(tmp_path), "key": 1}
    assert not hasattr(found.arguments, "apply_chat_template")
    assert parse("data", *words).metadata == {"dataset": "data"}
    assert parse(*words).metadata == {}


def test_flags_of_lm_eval_reach_it_in_both_forms(tmp_path: Path) -> None:
    words = ["data", "--split", "4k", "-M", "hf", "-a", "pretrained=x", "dtype=float32", "-L", "5"]
    words += ["-b", "auto", "-o", str(tmp_path), "-s", "-c", "file", "--seed", "7"]
    found = parse(*words).arguments
    assert found.model_args == {"pretrained": "x", "dtype": "float32"}
    assert (found.limit, found.batch_size, found.use_cache) == (5.0, "auto", "file")
    assert (found.output_path, found.log_samples) == (str(tmp_path), True)
    assert not {"source", "split", "plan"} & set(vars(found))


def test_a_configuration_file_of_lm_eval_is_read(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("model: dummy\ntasks: [personamem_4k]\nmetadata: {dataset: there}\n")
    found = parse("--config", str(path))
    assert found.tasks == ("personamem_4k",)
    assert (found.config.model, found.metadata["dataset"]) == ("dummy", "there")
    assert not hasattr(found.arguments, "apply_chat_template")


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["data"], ["--split", "--tasks"]),
        (["data", "--split", "4k", "--tasks", "personamem_4k"], ["one way or the other"]),
        (["data", "--tasks", "personamem_4k", "--condition", "oracle"], ["one way or the other"]),
        (["data", "--tasks", "personamem_4k_l"], ["'personamem_4k_l'", "personamem_4k_ll"]),
        (["data", "--split", "noise_5"], ["'noise_5'", "noise_05", "32k"]),
        (["data", "--split", "noise_05", "--loglikelihood"], ["open", "Accepted with it: 4k"]),
        (["data", "--split", "noise_05", "--condition", "gt"], ["'gt'", "oracle"]),
        (["data", "--split", "4k", "--condition", "full"], ["'full'", "oracle"]),
        (["data", "--split", "4k", "--metadata", "dataset=other"], ["'data'", "'other'"]),
        (["data", "--split", "4k", "--price-input", "1", "--price-output", "1"], ["--plan"]),
        (["data", "--split", "4k", "--plan", "--price-output", "1"], ["--price-input"]),
        (["data", "--split", "4k", "--plan", "--price-input=-1"], ["--price-input is -1"]),
        (["data", "--split", "4k", "--limit", "0"], ["--limit is 0"]),
        (["data", "--split", "4k", "--limit", "some"], ["--limit", "some", "--help"]),
        (["data", "--split", "4k", "--colour", "red"], ["--colour"]),
        (["data", "--split", "4k", "--log_samples"], ["--output_path"]),
        (["data", "more", "--split", "4k"], ["more"]),
        (
            ["data", "--split", "4k", "--no_chat_template", "--apply_chat_template"],
            ["exclude each other"],
        ),
    ],
)
def test_words_that_make_no_sense_are_one_error(words: list[str], parts: list[str]) -> None:
    with pytest.raises(InvalidInputError) as raised:
        parse(*words)
    for part in parts:
        assert part in str(raised.value)


@pytest.mark.parametrize(
    ("words", "alone"),
    [
        (["--tasks", "personamem_4k,personamem_ll"], True),
        (["--tasks", "personamem_4k,hellaswag"], False),
        (["--tasks", "personamem_4k", "--include_path", "mine"], False),
    ],
)
def test_tasks_of_lm_eval_are_looked_for_where_others_than_ours_may_be_asked_for(
    words: list[str], alone: bool
) -> None:
    import lm_eval.tasks

    found = parse("data", *words)
    manager = lm_eval.tasks.TaskManager
    with included_tasks(found.arguments, found.tasks):
        assert (lm_eval.tasks.TaskManager is not manager) is alone
    assert lm_eval.tasks.TaskManager is manager


@pytest.mark.system
def test_samples_hold_no_conversation_and_show_joins_them(dataset: Path, tmp_path: Path) -> None:
    samples = run_dummy(
        tmp_path, "--tasks", "personamem_4k", "--limit", "5", PERSONAMEM_DATASET=str(dataset)
    )
    assert len(samples) == 5
    first = samples[0]
    prompt = first["arguments"]["gen_args_0"]["arg_0"]
    assert prompt["question_id"] == first["doc"]["question_id"]
    assert prompt["end_index"] == first["doc"]["end_index_in_shared_context"]
    assert all(len(json.dumps(sample)) < 8000 for sample in samples)
    (path,) = tmp_path.glob("out/**/samples_*.jsonl")

    listed = call("show", dataset, "--samples", path)
    assert listed.returncode == 0, listed.stderr
    assert listed.stdout.count("wrong") == 5
    assert "0 of 5 right" in listed.stdout
    shown = call("show", dataset, "--samples", path, "--question", prompt["question_id"])
    assert shown.returncode == 0, shown.stderr
    assert "Answered, wrong: lol" in shown.stdout
    assert first["doc"]["user_question_or_message"] in shown.stdout
    missing = call("show", dataset, "--samples", path, "--split", "32k")
    assert missing.returncode == 2
    assert "another dataset or split" in missing.stderr
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"doc": 1}\n')
    bad = call("show", dataset, "--samples", broken)
    assert bad.returncode == 2
    assert "broken.jsonl, line 1" in bad.stderr


@pytest.mark.system
def test_ranked_letters_are_shown_with_their_likelihoods(dataset: Path, tmp_path: Path) -> None:
    (sample,) = run_dummy(tmp_path, dataset, "--split", "4k", "--loglikelihood", "--limit", "1")
    (path,) = tmp_path.glob("out/**/samples_*.jsonl")
    identifier = sample["doc"]["question_id"]
    shown = call("show", dataset, "--samples", path, "--question", identifier)
    assert shown.returncode == 0, shown.stderr
    verdict = "right" if sample["acc"] else "wrong"
    assert f"Answered, {verdict}: (" in shown.stdout
    assert "by a -0." in shown.stdout


@pytest.mark.system
def test_a_chat_api_cannot_rank_letters(dataset: Path, tmp_path: Path) -> None:
    done = call_apart(
        *("eval", dataset, "--split", "4k", "--loglikelihood", "--limit", "1"),
        *(
            "--model",
            "local-chat-completions",
            "--model_args",
            "base_url=http://localhost:9,model=m",
        ),
        cwd=tmp_path,
    )
    assert done.returncode == 2, done.stderr
    assert "tasks without _ll" in " ".join(done.stderr.split())
