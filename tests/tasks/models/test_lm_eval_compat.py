"""What is used of lm-eval's internals: it is there, it works, and its absence is one error."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from personamem.loaders.formats.errors import PersonamemError
from personamem.tasks.models import lm_eval_compat
from personamem.tasks.models.lm_eval_compat import (
    CALLERS,
    add_run_parser,
    find_evaluated_model,
    leave_out_builtin_tasks,
    replace_model,
)


def evaluate(lm: Any, ask: Callable[[], Any]) -> Any:
    """A function of the name and with the variable that lm-eval's own has."""
    return ask()


def ask_through(callers: int) -> Any:
    return find_evaluated_model(None) if callers == 0 else ask_through(callers - 1)


def test_the_parser_has_the_options_of_lm_eval() -> None:
    parser = add_run_parser(argparse.ArgumentParser().add_subparsers())
    found = parser.parse_args(["--model", "hf", "--tasks", "personamem_4k", "--limit", "3"])
    assert (found.model, found.tasks, found.limit) == ("hf", ["personamem_4k"], 3.0)
    assert callable(found.func)


def test_builtin_tasks_are_left_out_for_a_while(tasks_folder: Path) -> None:
    import lm_eval.tasks
    from lm_eval.config.evaluate_config import EvaluatorConfig

    manager = lm_eval.tasks.TaskManager
    settings = {"tasks": ["personamem_4k"], "include_path": [str(tasks_folder)]}
    with leave_out_builtin_tasks():
        found = EvaluatorConfig(**settings).process_tasks().all_tasks
    assert "personamem_4k" in found
    assert "hellaswag" not in found
    assert lm_eval.tasks.TaskManager is manager


def test_a_model_of_the_registry_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    import lm_eval.models
    from lm_eval.api.registry import get_model, model_registry

    assert lm_eval.models
    monkeypatch.setattr(model_registry, "_objs", dict(model_registry._objs))
    replacement = type("Replacement", (get_model("dummy"),), {})
    replace_model("dummy", replacement)
    assert get_model("dummy") is replacement


def test_a_chat_template_tells_its_model() -> None:
    class Model:
        def apply_chat_template(self) -> str:
            return ""

    model = Model()
    assert find_evaluated_model(model.apply_chat_template) is model


def test_without_a_chat_template_the_model_is_that_of_lm_evals_evaluate() -> None:
    """Through lm-eval itself: a task that looks for its model when it is asked for requests."""
    import lm_eval
    from lm_eval.api.model import LM
    from lm_eval.api.registry import get_model
    from lm_eval.api.task import ConfigurableTask

    found: list[LM | None] = []

    class Task(ConfigurableTask):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(config={"task": "looking", "output_type": "generate_until"})

        def download(self, *_: Any, **__: Any) -> None:
            self.dataset = {}

        def build_all_requests(self, **kwargs: Any) -> None:
            found.append(find_evaluated_model(kwargs["chat_template"]))
            raise KeyboardInterrupt

    model = get_model("dummy")()
    for chat in (False, True):
        task = object.__new__(Task)
        task._config = argparse.Namespace(task="looking", output_type="generate_until")
        with pytest.raises(KeyboardInterrupt):
            lm_eval.evaluate(
                lm=model,
                task_dict={"tasks": {"looking": task}, "groups": {}},
                limit=1,
                apply_chat_template=chat,
            )
    assert found[0] is model


def test_only_lm_evals_own_evaluate_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert evaluate("a model", lambda: find_evaluated_model(None)) is None
    monkeypatch.setitem(globals(), "__name__", "lm_eval.evaluator")
    assert evaluate("a model", lambda: find_evaluated_model(None)) == "a model"


def test_the_search_among_callers_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "__name__", "lm_eval.evaluator")
    assert evaluate("a model", lambda: ask_through(2)) == "a model"
    assert evaluate("a model", lambda: ask_through(CALLERS)) is None


def test_an_evaluate_without_the_variable_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    names = dict(evaluate.__globals__, __name__="lm_eval.evaluator")
    exec("def evaluate(model, ask):\n    return ask()\n", names)
    with pytest.raises(PersonamemError, match=r"has no lm in lm_eval\.evaluator\.evaluate, which"):
        names["evaluate"]("a model", lambda: find_evaluated_model(None))


def test_what_lm_eval_no_longer_has_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import lm_eval._cli.run

    monkeypatch.delattr(lm_eval._cli.run, "Run")
    with pytest.raises(PersonamemError) as raised:
        add_run_parser(argparse.ArgumentParser().add_subparsers())
    assert "has no Run in lm_eval._cli.run" in str(raised.value)
    assert "0.4.13" in str(raised.value)
    with pytest.raises(PersonamemError, match=r"has no lm_eval\.nowhere, which"):
        lm_eval_compat._find("lm_eval.nowhere")
