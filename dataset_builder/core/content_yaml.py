"""Content as YAML or JSON files: read fast, validated on load, one error for a broken one.

What every kind of content shares: needs, attribute packs, tables, wordings.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from personamem.dataset_builder.core.grammar import Template, parse
from personamem.loaders.formats.errors import InvalidInputError

_SAFE_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Strict(BaseModel):
    """A part of a content file: it holds these fields and no others, and does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Content = TypeVar("Content", bound=Strict)


def read_yaml(path: Path) -> Any:
    """Return what a YAML file holds, read by libyaml, ten times as fast, where PyYAML has it."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=_SAFE_LOADER)


def read_json(path: Path) -> Any:
    """Return what a JSON file holds."""
    return json.loads(path.read_text(encoding="utf-8"))


def read_content(path: Path, kind: str, form: type[Content]) -> Content:
    """Read and validate a content file. Raises InvalidInputError naming file, entry and rule."""
    try:
        data = read_json(path) if path.suffix == ".json" else read_yaml(path)
    except FileNotFoundError:
        raise InvalidInputError(f"{kind} {path} does not exist.") from None
    except json.JSONDecodeError as error:
        raise InvalidInputError(f"{kind} {path} is not valid JSON: {error}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{kind} {path} is not valid YAML: {error}") from error
    try:
        return form.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or kind.rpartition(" ")[2]
        more = f" ({error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise InvalidInputError(f"{kind} {path}: {where}: {first['msg']}{more}") from error
    except InvalidInputError as error:
        raise InvalidInputError(f"{kind} {path}: {error}") from error


@cache
def template(source: str) -> Template:
    """Return the parsed form of ``source``; each distinct source is parsed once a process."""
    return parse(source)


def check_slots(*slots: str) -> AfterValidator:
    """Return a validator that accepts templates with these slots and no others."""
    return AfterValidator(lambda source: require_slots(source, frozenset(slots)))


def require_slots(source: str, allowed: frozenset[str]) -> str:
    """Return a template. Raises ValueError naming a slot that is not allowed."""
    unknown = template(source).slots() - allowed
    if unknown:
        raise ValueError(
            f"unknown slot {{{sorted(unknown)[0]}}} in {source!r}; "
            f"accepted here: {', '.join(sorted(allowed)) or 'none'}"
        )
    return source
