"""The internals of lm-eval that this package relies on, in one place.

Checked with lm-eval 0.4.13. `tests/tasks/models/test_compat.py` fails when a version changes them.
What `hf_shared` and `vllm_shared` override or call of lm-eval's own model classes stays there.
"""

from typing import Any

from lm_eval.api.registry import model_registry
from lm_eval.models.utils import (
    handle_stop_sequences,
    normalize_gen_kwargs,
    postprocess_generated_text,
)

__all__ = [
    "handle_stop_sequences",
    "normalize_gen_kwargs",
    "postprocess_generated_text",
    "replace_model",
]


def replace_model(name: str, model: type[Any]) -> None:
    """Let lm-eval use another class for a model that it knows by this name.

    The registry has no public way to replace an entry.
    """
    model_registry._objs[name] = model
