"""YAML files that users write: strict, bounded, and with errors that name the line."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from personamem.loaders.formats.errors import InvalidInputError

MOST_CHARACTERS = 1_000_000
"""The most characters of a file."""


class _StrictLoader(yaml.SafeLoader):
    """A safe loader that refuses aliases, which can multiply, and keys that are given twice."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise _refuse("aliases are not accepted", event.start_mark)
        return super().compose_node(parent, index)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except ValueError as error:
            # A date that does not exist, or a number of thousands of digits.
            shown = node.value if len(node.value) <= 40 else f"{node.value[:40]}..."
            raise _refuse(f"{shown} cannot be read: {error}", node.start_mark) from error

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                raise _refuse(f"a key is {key!r}; accepted: plain names", key_node.start_mark)
            if key in seen:
                raise _refuse(f"the key {key!r} is given twice", key_node.start_mark)
            seen.add(key)
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return mapping


def read_strict_yaml(path: Path) -> Any:
    """Return what a YAML file holds.

    Raises:
        InvalidInputError: no regular file, too long, not UTF-8, or not strict YAML.
    """
    if not path.is_file():
        reason = "is no regular file" if path.exists() else "does not exist"
        raise InvalidInputError(f"{path} {reason}.")
    try:
        # A character has at most four bytes.
        if path.stat().st_size > 4 * MOST_CHARACTERS:
            raise ValueError(f"it is too long. Accepted: {MOST_CHARACTERS:,} characters")
        return load_strict_yaml(path.read_text("utf-8"))
    except (yaml.YAMLError, ValueError, OSError) as error:
        raise InvalidInputError(f"{path} cannot be read: {error}") from error


def load_strict_yaml(text: str) -> Any:
    """Return what a YAML text holds.

    Raises:
        yaml.YAMLError: not YAML, a key twice in a mapping, an alias, or a value that cannot be.
        ValueError: a text that is too long or nested too deeply.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it has {len(text):,} characters. Accepted: at most {MOST_CHARACTERS:,}")
    try:
        return yaml.load(text, Loader=_StrictLoader)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse(problem: str, mark: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
