"""lm-eval models that read a context once, however many questions share it."""

from importlib.util import find_spec

from lm_eval.api.registry import model_registry

MODELS = {
    "vllm-shared": ("personamem.models.vllm_shared:SharedVLLM", "vllm"),
}
"""Name for ``--model``: the class, and the package it cannot do without."""


def register_models() -> None:
    """Tell lm-eval the models whose package is installed; nothing heavy is imported yet."""
    for name, (target, package) in MODELS.items():
        if name not in model_registry and find_spec(package) is not None:
            model_registry.register(name, target=target)
