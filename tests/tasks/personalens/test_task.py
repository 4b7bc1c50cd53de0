"""The tasks without a judge: prompts by setting, scores, and runs of lm-eval with known answers."""

import json
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_families import make_once, make_tiny_config
from tiny_lens import write_release

from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.formats.schema import LETTERS
from personamem.loaders.personalens.schema import SETTINGS
from personamem.tasks.personalens.family import FAMILY
from personamem.tasks.personalens.reply_choice import (
    process_generated,
    process_likelihoods,
)

pytestmark = pytest.mark.system

DOC = {"answer_index": 2, "depth": 1, "kind": "MD"}


@pytest.fixture(scope="module")
def built(shared_folder: Path) -> Path:
    """The dataset that the contract of families looks at."""
    from personamem.dataset_builder.packaging.build import build_dataset

    config = make_tiny_config("personalens")
    return make_once(
        shared_folder / "families" / "personalens",
        lambda folder: build_dataset(config, folder, workers=1),
    )


@pytest.fixture(scope="module")
def tasks(make_task: Callable[..., Any], built: Path) -> dict[str, Any]:
    return {name: make_task(f"personalens_users_{name}", built) for name in SETTINGS}


def read_prompts(task: Any) -> dict[str, str]:
    return {doc["question_id"]: task.make_messages(doc)[0]["content"] for doc in task.eval_docs}


def test_a_name_runs_each_setting() -> None:
    assert [FAMILY.name_group(setting, FAMILY.modes[0]) for setting in SETTINGS] == [
        *("personalens_all", "personalens_none", "personalens_d", "personalens_i", "personalens_s")
    ]


def test_each_setting_tells_its_part(tasks: dict[str, Any]) -> None:
    doc = tasks["all"].eval_docs[0]
    question = tasks["all"]._asked[doc["question_id"]]
    profile = tasks["all"].data.profile_by_id[question.user_id]
    parts = {
        "d": profile.demographics.age,
        "i": next(profile.histories_of(question.domains[0])).text,
        "s": question.situation.location,
    }
    for setting, task in tasks.items():
        told, asked = task.make_messages(doc)
        for name, part in parts.items():
            assert (part in told["content"]) == (setting in (name, "all")), (setting, name)
        assert asked["content"].startswith(question.request)
        assert asked["content"].endswith(f"(d) {question.options[3]}")
        assert "user_id" not in told["content"]
        assert profile.user_id not in told["content"] + asked["content"]


def test_only_histories_of_the_domains_of_the_task_are_told(tasks: dict[str, Any]) -> None:
    task = tasks["i"]
    for doc in list(task.eval_docs)[:40]:
        question = task._asked[doc["question_id"]]
        told = task.make_messages(doc)[0]["content"]
        for history in task.data.profile_by_id[question.user_id].histories:
            assert (history.text in told) == (history.domain in question.domains)


def test_four_users_get_one_prompt_unless_something_of_them_is_told(
    tasks: dict[str, Any],
) -> None:
    """So nothing but chance answers, whatever the model: 25.0 % exactly."""
    for setting, differ in (("none", 1), ("s", 1), ("i", 4), ("all", 4)):
        prompts = defaultdict(set)
        for doc in tasks[setting].eval_docs:
            prompts[doc["quad_id"]].add(json.dumps(tasks[setting].make_messages(doc)))
        assert {len(found) for found in prompts.values()} == {differ}, setting


def test_a_reply_and_likelihoods_are_scored() -> None:
    assert process_generated(DOC, ["(c)"]) == {"acc": 1.0, "unparsable": 0.0}
    assert process_generated(DOC, ["(a)"]) == {"acc": 0.0, "unparsable": 0.0}
    assert process_generated(DOC, ["I cannot say."]) == {"acc": 0.0, "unparsable": 1.0}
    ranked = [(-2.0, False), (-3.0, False), (-1.0, True), (-1.0, False)]
    assert process_likelihoods(DOC, ranked) == {"acc": 1.0}


def test_datasets_without_quads_are_refused(
    make_task: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DatasetError, match="has no quads"):
        make_task("personalens_users_all", write_release(tmp_path))
    monkeypatch.delenv("PERSONAMEM_DATASET", raising=False)
    with pytest.raises(InvalidInputError, match="Which PersonaLens dataset"):
        make_task("personalens_users_all", None)


def run_reader(built: Path, names: list[str], answer: Callable[[str], str]) -> dict[str, Any]:
    """Run lm-eval on tasks with a model whose replies are ``answer`` of the prompt."""
    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Reader(LM):
        def generate_until(self, requests: list[Any]) -> list[str]:
            return [answer(str(request.args[0])) for request in requests]

        def loglikelihood(self, requests: list[Any]) -> Any:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    manager = TaskManager(
        include_path=str(Path(__file__).parents[3] / "tasks"),
        include_defaults=False,
        metadata={"dataset": str(built)},
    )
    results = simple_evaluate(
        Reader(), tasks=names, task_manager=manager, bootstrap_iters=0, verbosity="ERROR"
    )
    return results["results"]


def read_like_a_person(prompt: str) -> str:
    """Choose the reply most of whose words stand in what is said before the request."""
    told, _, asked = prompt.rpartition("Which of these replies")
    known = set(re.findall(r"\w+", told.lower()))
    options = re.findall(r"^\(([a-d])\) (.+)$", asked, re.MULTILINE)
    words = {letter: set(re.findall(r"\w+", text.lower())) for letter, text in options}
    shared = set.intersection(*words.values())
    return f"({max(words, key=lambda letter: len((words[letter] - shared) & known))})"


def test_lm_eval_measures_what_each_kind_of_context_is_worth(built: Path) -> None:
    names = [f"personalens_{setting}" for setting in ("none", "s", "i")]
    found = run_reader(built, names, read_like_a_person)
    scores = {name: found[f"personalens_users_{name}"] for name in ("none", "s", "i")}
    for setting in ("none", "s"):
        assert scores[setting]["acc,none"] == 0.25
        assert scores[setting]["acc_depth_2,none"] == 0.25
    assert scores["i"]["acc,none"] > 0.6
    assert scores["i"]["unparsable,none"] == 0


def test_a_fixed_letter_is_right_for_one_of_four(built: Path) -> None:
    scores = run_reader(built, ["personalens_all"], lambda prompt: f"({LETTERS[1]})")
    for metric in ("acc", "acc_depth_1", "acc_depth_2", "acc_sd", "acc_md"):
        assert scores["personalens_users_all"][f"{metric},none"] == 0.25, metric
