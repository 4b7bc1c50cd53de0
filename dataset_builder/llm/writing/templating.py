"""Prompts from Jinja files, rendered in a sandbox; text that a model wrote is data to them."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from personamem.dataset_builder.core.config import ModelSettings
from personamem.dataset_builder.llm import Request
from personamem.dataset_builder.llm.writing.response_schemas import make_schema


class PromptTemplates:
    """The prompt templates of one folder, one Jinja file each."""

    def __init__(self, folder: Path) -> None:
        """Use the templates in ``folder``; each is read when it is first rendered."""
        self.folder = folder

    @cached_property
    def sha256(self) -> str:
        """The sha256 over all files of the folder, in hex: the version of the prompts."""
        digest = hashlib.sha256()
        for path in sorted(self.folder.iterdir()):
            digest.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
        return digest.hexdigest()

    def make_request(
        self,
        settings: ModelSettings,
        prompt: str,
        most_tokens: int,
        fields: Sequence[str],
        system: str,
    ) -> Request:
        """Return the request for an answer with ``fields``; ``system`` names a template.

        The answer has up to ``most_tokens``, or the limit of the settings if they set one.
        """
        parameters: dict[str, Any] = {"max_tokens": settings.max_tokens or most_tokens}
        for name in ("temperature", "seed"):
            if (value := getattr(settings, name)) is not None:
                parameters[name] = value
        return Request(
            model=settings.name,
            messages=(
                {"role": "system", "content": self.render(system)},
                {"role": "user", "content": prompt},
            ),
            parameters=parameters,
            schema=make_schema(fields),
        )

    def render(self, name: str, /, **values: Any) -> str:
        """Return the template ``name``, rendered with these values."""
        return self._environment.get_template(name).render(values).strip()

    @cached_property
    def _environment(self) -> ImmutableSandboxedEnvironment:
        return ImmutableSandboxedEnvironment(
            loader=FileSystemLoader(self.folder),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
