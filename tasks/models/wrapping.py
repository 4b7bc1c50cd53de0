"""Any lm-eval model under its own name, with prompts on demand and, for APIs, calls that are safe.

Also what tells one model from another: answers of one must never be taken for another's.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from personamem.loaders.formats.errors import InvalidInputError, unknown_choice
from personamem.tasks.models import MODELS, register_models
from personamem.tasks.models.api import RobustApiMixin
from personamem.tasks.models.lm_eval_compat import replace_model
from personamem.tasks.models.on_demand import (
    FEW_PROMPTS_LETTERS,
    WHOLE_CONTEXT_LETTERS,
    PromptsOnDemand,
)
from personamem.tasks.models.usage import Usage

OURS = tuple(MODELS)
_NO_MODEL_ARGUMENTS = frozenset({"max_retries", "num_concurrent", "timeout", "batch_size"})
"""Arguments of which no answer depends: one may change them and go on."""


def wrap_model(name: str, identity: str) -> type[Any]:
    """Replace a model of lm-eval's registry by a class that also takes references; return it.

    Raises:
        InvalidInputError: lm-eval has no such model, or its packages are not installed.
    """
    plain = _find_class(name)
    modules = {base.__module__ for base in plain.__mro__}
    mixin = RobustApiMixin if "lm_eval.models.openai_completions" in modules else PromptsOnDemand
    attributes = {
        "identity": identity,
        "chunk_characters": getattr(plain, "chunk_characters", _chunk_letters(modules, name)),
        "usage": Usage(),
        "__module__": plain.__module__,
        "__doc__": plain.__doc__,
    }
    bases = (plain,) if issubclass(plain, mixin) else (mixin, plain)
    wrapped = type(plain.__name__, bases, attributes)
    replace_model(name, wrapped)
    return wrapped


def identify_model(name: str, arguments: Mapping[str, Any]) -> str:
    """Return 16 hexadecimal digits for a model with its arguments.

    Of a local folder or file among the arguments, sizes and times of the files count as well: the
    next checkpoint under the same name is another model.
    """
    facts = {
        key: _describe(value)
        for key, value in sorted(arguments.items())
        if key not in _NO_MODEL_ARGUMENTS
    }
    text = json.dumps([name, facts], sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _find_class(name: str) -> type[Any]:
    import lm_eval.models  # noqa: F401  It fills the registry.
    from lm_eval.api.registry import model_registry

    if name in OURS:
        register_models()
    if name not in model_registry:
        if name in OURS:
            extra = name.removesuffix("-shared")
            raise InvalidInputError(
                f"The model {name!r} needs packages that are not installed: "
                f"pip install 'personamem[{extra}]'."
            )
        raise unknown_choice("model", name, sorted({*model_registry.keys(), *OURS}))
    try:
        found: type[Any] = model_registry.get(name)
    except ImportError as error:
        raise InvalidInputError(
            f"The model {name!r} needs packages that are not installed: {error}. "
            "See the extras hf, vllm and api of personamem."
        ) from error
    return found


def _chunk_letters(modules: Collection[str], name: str) -> int:
    stock = "lm_eval.models.huggingface" in modules and name not in OURS
    return FEW_PROMPTS_LETTERS if stock else WHOLE_CONTEXT_LETTERS


def _describe(value: object) -> object:
    path = Path(value).expanduser() if isinstance(value, str) and value else None
    try:
        if path is None or not path.exists():
            return value
    except OSError:  # A text that is too long to be a name.
        return value
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    stats = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return [str(path.resolve()), stats]
