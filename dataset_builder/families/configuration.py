"""Reading a build configuration: values or a YAML file, with a section for each family.

    seed: 7
    families:
      personamem: {sizes: [4k, 32k], personas: 40}

Without ``families``, every family of the registry is built with its defaults, but for those that
wait to be asked for (``is_default``).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from personamem.dataset_builder.core.config import BuildConfig, FamilySettings
from personamem.dataset_builder.core.strict_yaml import read_strict_yaml
from personamem.dataset_builder.families.registry import get_family, list_default_families
from personamem.loaders.formats.errors import InvalidInputError, unknown_choice
from personamem.loaders.formats.registry import FAMILIES


def make_config(**values: Any) -> BuildConfig:
    """Return a BuildConfig; raises InvalidInputError that names the field and what is accepted."""
    sections = values.pop("families", None)
    if sections is None:
        sections = {name: {} for name in list_default_families()}
    if not isinstance(sections, Mapping):
        raise InvalidInputError(
            f"families: must be a mapping of {', '.join(FAMILIES)} (got {sections!r})."
        )
    settings = {name: _read_section(name, section) for name, section in sections.items()}
    # One order, so that the same families make the same configuration.
    ordered = {name: settings[name] for name in FAMILIES if name in settings}
    try:
        return BuildConfig.model_validate({**values, "families": ordered})
    except ValidationError as error:
        raise InvalidInputError(_describe(error, BuildConfig)) from error


def load_config(path: Path, **overrides: Any) -> BuildConfig:
    """Read a YAML file; ``overrides`` that are not None win over the file, key by key.

    Raises:
        InvalidInputError: no such file, not YAML, an unknown key or a value that is not accepted.
    """
    try:
        data = read_strict_yaml(path)
    except InvalidInputError as error:
        raise InvalidInputError(f"Config file {error}") from error
    if not isinstance(data, dict):
        raise InvalidInputError(
            f"Config file {path} must hold a mapping of {_accept(BuildConfig)}."
        )
    try:
        return make_config(**_merge(data, overrides))
    except InvalidInputError as error:
        raise InvalidInputError(f"Config file {path}: {error}") from error


def _read_section(name: str, section: object) -> FamilySettings:
    if name not in FAMILIES:
        raise unknown_choice("family", name, tuple(FAMILIES))
    kind = get_family(name).settings
    try:
        return kind.model_validate({} if section is None else section)
    except ValidationError as error:
        raise InvalidInputError(f"{name}.{_describe(error, kind)}") from error


def _merge(data: Mapping[Any, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    merged = {str(key): value for key, value in data.items()}
    for key, value in overrides.items():
        if value is None:
            continue
        known = merged.get(key)
        if isinstance(known, Mapping) and isinstance(value, Mapping):
            merged[key] = _merge(known, value)
        else:
            merged[key] = value
    return merged


def _describe(error: ValidationError, kind: type[BaseModel]) -> str:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"])) or "config"
    message = first["msg"].removeprefix("Value error, ")
    accepted = f" Accepted keys: {_accept(kind)}." if first["type"] == "extra_forbidden" else ""
    shown = repr(first["input"])
    return (
        f"{where}: {message} (got {shown if len(shown) <= 80 else shown[:80] + '...'}).{accepted}"
    )


def _accept(kind: type[BaseModel]) -> str:
    return ", ".join(kind.model_fields)
