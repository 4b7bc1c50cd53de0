"""The packages that dialogues need beside the core."""

from importlib.util import find_spec

from personamem.loaders.formats.errors import PersonamemError


def require_inspect() -> None:
    """Raise a PersonamemError that names the command to install what is missing."""
    missing = [name for name in ("inspect_ai", "statsmodels") if find_spec(name) is None]
    if missing:
        raise PersonamemError(
            f"Dialogues need {' and '.join(missing)}: pip install 'personamem[inspect]'."
        )
