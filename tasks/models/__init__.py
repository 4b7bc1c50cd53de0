"""lm-eval models that read a context once, however many questions share it."""

from importlib import import_module

_MODULES = ("hf_shared", "vllm_shared")


def register_models() -> None:
    """Make our models known to lm-eval; one whose packages are not installed is left out."""
    for module in _MODULES:
        try:
            import_module(f"{__name__}.{module}")
        except ImportError:
            continue
