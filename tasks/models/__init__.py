"""lm-eval models that read a context once, however many questions share it."""

from importlib import import_module
from importlib.util import find_spec

MODELS = {"hf-shared": ("personamem.models.hf_shared", ("accelerate", "torch", "transformers"))}
"""The models by name: the module that registers one, and what must be installed for it."""


def register_models() -> tuple[str, ...]:
    """Make lm-eval know the models whose requirements are installed, and return their names.

    lm-eval finds only models whose module has been imported; this imports them, and torch with
    them, which importing this package does not.
    """
    found = []
    for name, (module, requirements) in MODELS.items():
        if all(find_spec(requirement) for requirement in requirements):
            import_module(module)
            found.append(name)
    return tuple(found)
