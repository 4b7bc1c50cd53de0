"""lm-eval models that read a context once, however many questions share it."""

from importlib.util import find_spec

from lm_eval.api.registry import model_registry

MODELS = {
    "hf-shared": (
        "personamem.tasks.models.hf_shared:SharedHFLM",
        ("torch", "transformers", "accelerate"),
    ),
    "vllm-shared": ("personamem.tasks.models.vllm_shared:SharedVLLM", ("vllm",)),
}
"""The models by name: the class, and the packages that must be installed for it."""


def register_models() -> tuple[str, ...]:
    """Make lm-eval know the models whose packages are installed, and return their names.

    lm-eval imports a model when it is asked for; vLLM alone takes half a minute.
    """
    found = tuple(name for name, (_, packages) in MODELS.items() if all(map(find_spec, packages)))
    for name in found:
        if name not in model_registry:
            model_registry.register(name, target=MODELS[name][0])
    return found
