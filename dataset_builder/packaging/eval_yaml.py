"""``eval.yaml``: how the Hub's harness evaluates a model on a dataset, without our package.

``inspect eval hf/OWNER/NAME`` reads it from the root of a dataset, and the Hub lists a dataset with
it as a benchmark (https://huggingface.co/docs/hub/eval-results).
"""

from collections.abc import Sequence
from pathlib import Path

import yaml

from personamem.dataset_builder.families.base import HubTask

EVAL_YAML = "eval.yaml"
FRAMEWORK = "inspect-ai"
DESCRIPTION = (
    "Does a language model still know its user after a long time? Four replies to choose from; "
    "question and options alone tell nothing, so without the conversation the accuracy is 25 %."
)


def write_eval_yaml(folder: Path, name: str, tasks: Sequence[HubTask]) -> None:
    """Write the tasks of all families; nothing where there are none."""
    if not tasks:
        return
    data = {
        "name": name,
        "description": DESCRIPTION,
        "evaluation_framework": FRAMEWORK,
        "tasks": [
            {
                "id": task.id,
                "config": task.config,
                "split": task.split,
                "field_spec": {
                    "input": task.input,
                    "target": task.target,
                    "metadata": list(task.metadata),
                },
                "solvers": [{"name": "generate"}],
                "scorers": [{"name": "pattern", "args": {"pattern": task.pattern}}],
            }
            for task in tasks
        ],
    }
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100)
    (folder / EVAL_YAML).write_text(text, encoding="utf-8")
