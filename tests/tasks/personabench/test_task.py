"""The task class for open questions: documents, prompts under each condition, scores, errors."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_communities import ADA, BEN, QUESTIONS

from personamem.loaders.formats.errors import InvalidInputError

MakeTask = Callable[..., Any]
SUFFIXES = ("", "_oracle", "_rag", "_nocontext")


@pytest.fixture(params=["communities", "release"])
def source(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.getfixturevalue(request.param)
    return folder


def prompt_of(task: Any, number: int) -> str:
    prompt: str = task.fewshot_context(task.eval_docs[number])
    return prompt


def aggregate(task: Any, replies: list[str]) -> dict[str, float]:
    results = [
        task.process_results(doc, [reply])
        for doc, reply in zip(task.eval_docs, replies, strict=True)
    ]
    assert all(set(result) == set(task.aggregation()) for result in results)
    return {name: agg([r[name] for r in results]) for name, agg in task.aggregation().items()}


def test_documents_are_the_questions_of_one_person_after_another(
    make_task: MakeTask, communities: Path
) -> None:
    docs = list(make_task("personabench_noise_05", communities).eval_docs)
    assert [doc["question_id"] for doc in docs] == [question[0] for question in QUESTIONS]
    assert [doc["person"] for doc in docs] == [ADA] * 7 + [BEN]
    assert docs[1]["answer"] == "39"


def test_subjective_questions_are_left_out(make_task: MakeTask, release: Path) -> None:
    docs = list(make_task("personabench_noise_05_oracle", release).eval_docs)
    assert len(docs) == 9
    assert "Subjective" not in {doc["question_type"] for doc in docs}


def test_echoing_the_gold_scores_one_everywhere(make_task: MakeTask, source: Path) -> None:
    for suffix in SUFFIXES:
        task = make_task(f"personabench_noise_05{suffix}", source)
        scores = aggregate(task, [doc["answer"] for doc in task.eval_docs])
        assert scores.pop("unparsable") == 0.0
        # Of the release's outdated "hot mate" a word still holds: "iced mate".
        assert scores.pop("updating") == (0.5 if source.name == "eval_data_v1" else 1.0)
        assert set(scores.values()) == {1.0}


def test_scores_are_those_of_the_answers(make_task: MakeTask, communities: Path) -> None:
    task = make_task("personabench_noise_05_oracle", communities)
    right = [doc["answer"] for doc in task.eval_docs]
    # Colours: two of three and one that is wrong. Drinks: the former alone. Sister: no list.
    replies = [
        *right[:3],
        '["teal", "rust", "red"]',
        '["tea"]',
        "I have no idea.\n" * 9,
        *right[6:],
    ]
    scores = aggregate(task, replies)
    assert scores["recall_preference_easy"] == pytest.approx(2 / 3)
    assert scores["item_precision_preference_easy"] == pytest.approx(2 / 3)
    assert scores["f1_preference_hard"] == scores["updating"] == scores["item_updating"] == 0.0
    assert (scores["recall_social"], scores["recall_social_relation"]) == (0.5, 0.0)
    assert scores["recall_social_two_hop"] == scores["f1_basic"] == 1.0
    assert scores["unparsable"] == 1 / 8
    assert scores["recall"] == pytest.approx((5 + 2 / 3) / 8)


def test_a_group_without_questions_is_not_a_number(make_task: MakeTask, communities: Path) -> None:
    task = make_task("personabench_noise_0_oracle", communities)
    scores = task.process_results(task.eval_docs[0], ['["the glassworks"]'])
    assert scores["f1_basic"] == 1.0
    assert scores["f1_social"] is scores["updating"] is None
    assert math.isnan(task.aggregation()["f1_social"]([None]))


def test_scores_of_all_questions_have_a_standard_error(
    make_task: MakeTask, communities: Path
) -> None:
    from lm_eval.api.metrics import mean

    task = make_task("personabench_noise_05", communities)
    assert all(task.aggregation()[name] is mean for name in ("recall", "f1", "unparsable"))
    better = task.higher_is_better()
    assert not better.pop("unparsable")
    assert all(better.values())


def test_conditions_differ_in_the_documents_that_are_shown(
    make_task: MakeTask, communities: Path
) -> None:
    full, gold, found, blind = (
        make_task(f"personabench_noise_05{suffix}", communities) for suffix in SUFFIXES
    )
    two_hops = 6
    turn = f"{full.doc_to_text(full.eval_docs[two_hops])}\n\nAssistant:"
    assert "What does my sister play?" in turn
    prompts = [prompt_of(task, two_hops) for task in (full, gold, found, blind)]
    assert all(prompt.endswith(turn) for prompt in prompts)
    assert [prompt.count("2024/Oct/") for prompt in prompts] == [12, 2, 5, 0]
    assert "best sister" in prompts[1]
    assert "Cello strings" in prompts[1]
    assert prompts[3] == f"User: {turn}"
    assert prompt_of(full, two_hops + 1).count("2024/Oct/") == 9


def test_a_memory_shows_what_it_found_and_says_how_good_that_was(
    make_task: MakeTask, source: Path
) -> None:
    name = "personabench_noise_05_memory"
    oracle = make_task(name, source, memory="oracle", budget=500)
    for number, doc in enumerate(oracle.eval_docs):
        assert prompt_of(oracle, number).startswith(f"User: I am {doc['person']}. This is what is ")
        note = oracle.process_results(doc, [doc["answer"]])["evidence_recall"]
        assert (note["system"], note["budget"], note["recall"]) == ("oracle", 500, 1.0)
        assert len(note["sources"]) == prompt_of(oracle, number).count("2024-10-")
    nothing = make_task(name, source, memory="none")
    assert "Nothing that is kept of private documents" in prompt_of(nothing, 0)
    reply = nothing.process_results(nothing.eval_docs[0], ["[]"])
    assert nothing.aggregation()["evidence_recall"]([reply["evidence_recall"]]) == 0.0
    described = nothing.describe_prompt(nothing.eval_docs[0])
    assert (described["memory"], described["budget"]) == ("none", 2_000)
    assert oracle.fingerprint != nothing.fingerprint


def test_a_memory_of_documents_that_is_kept_is_read_again(
    make_task: MakeTask, communities: Path, tmp_path: Path
) -> None:
    settings = {"memory": "bm25", "budget": 60, "memory_folder": str(tmp_path / "run")}
    task = make_task("personabench_noise_05_memory", communities, **settings)
    prompts = [prompt_of(task, number) for number in range(len(task.eval_docs))]
    unit = tmp_path / "run/units/0000/progress.json"
    unit.write_text(unit.read_text().replace("glassworks", "sawmill"))
    again = make_task("personabench_noise_05_memory", communities, **settings)
    assert "glassworks" in prompts[0]
    assert prompt_of(again, 0) == prompts[0].replace("glassworks", "sawmill")
    with pytest.raises(InvalidInputError, match="holds a run with split 'noise_05'"):
        make_task("personabench_noise_0_memory", communities, **settings)


def test_all_of_a_persons_prompts_begin_alike(make_task: MakeTask, communities: Path) -> None:
    task = make_task("personabench_noise_05", communities)
    documents = task.split_prompt(task.eval_docs[0]).texts[0]
    for number in range(7):
        assert prompt_of(task, number).startswith(f"User: {documents}\n\nI am {ADA}. ")
    groups = {task.group_prompt(doc) for doc in task.eval_docs}
    assert groups == {f"community_0/{ADA}", f"community_0/{BEN}"}


def test_the_retriever_and_k_come_from_metadata(make_task: MakeTask, communities: Path) -> None:
    name = "personabench_noise_05_rag"
    task = make_task(name, communities, retriever="bm25", k="1", chunks="plain")
    described = task.describe_prompt(task.eval_docs[5])
    assert len(described["sessions"]) == 1
    whole = make_task(name, communities, retriever="random", k=99)
    assert prompt_of(whole, 0) == prompt_of(make_task("personabench_noise_05", communities), 0)
    assert len({task.fingerprint, whole.fingerprint}) == 2


@pytest.mark.parametrize(
    ("settings", "parts"),
    [
        ({"k": 0}, ["k 0", "whole number from 1"]),
        ({"k": "many"}, ["'many'"]),
        ({"retriever": "bm26"}, ["'bm26'", "Did you mean 'bm25'"]),
        ({"retriever": "."}, ["no modules.json"]),
        ({"chunks": "xml"}, ["'xml'", "Accepted: json, plain"]),
    ],
)
def test_settings_that_make_no_sense(
    make_task: MakeTask, communities: Path, settings: dict[str, Any], parts: list[str]
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        make_task("personabench_noise_05_rag", communities, **settings)
    for part in parts:
        assert part in str(caught.value)


def test_a_dataset_must_be_named_and_have_the_noise_level(
    make_task: MakeTask, communities: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PERSONAMEM_DATASET", raising=False)
    with pytest.raises(InvalidInputError, match="Which PersonaBench dataset"):
        make_task("personabench_noise_05", None)
    monkeypatch.setenv("PERSONAMEM_DATASET", str(communities))
    assert len(make_task("personabench_noise_05", None).eval_docs) == 8
    with pytest.raises(InvalidInputError, match=r"noise level.*'0.7'.*Accepted: 0.0, 0.5"):
        make_task("personabench_noise_07", communities)
