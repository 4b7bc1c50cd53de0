"""Prompts from templates in files, rendered in a sandbox; what a model wrote is data to them."""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from personamem.dataset_builder.answers import Request
from personamem.dataset_builder.config import ModelSettings
from personamem.dataset_builder.writers.model.forms import make_schema

TEMPLATES = Path(__file__).parent / "templates"


@cache
def hash_prompts() -> str:
    """Return the sha256 over all templates, in hex: the version of the prompts."""
    digest = hashlib.sha256()
    for path in sorted(TEMPLATES.iterdir()):
        digest.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def make_request(
    settings: ModelSettings,
    prompt: str,
    most_tokens: int,
    fields: Sequence[str],
    system: str = "system.jinja",
) -> Request:
    """Return the request for an answer with ``fields``, of ``most_tokens`` unless the settings say.

    ``system`` is the template of the system message.
    """
    parameters: dict[str, Any] = {"max_tokens": settings.max_tokens or most_tokens}
    for name in ("temperature", "seed"):
        if (value := getattr(settings, name)) is not None:
            parameters[name] = value
    return Request(
        model=settings.name,
        messages=(
            {"role": "system", "content": render(system)},
            {"role": "user", "content": prompt},
        ),
        parameters=parameters,
        schema=make_schema(fields),
    )


def render(name: str, /, **values: Any) -> str:
    """Return a template of the folder with values filled in."""
    return _environment().get_template(name).render(values).strip()


def render_text(source: str, /, **values: Any) -> str:
    """Return a template given as text with values filled in."""
    return _environment().from_string(source).render(values)


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
