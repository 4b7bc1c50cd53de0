"""YAML of a user: no duplicate keys, and no aliases that multiply."""

from collections.abc import Hashable
from typing import Any

import yaml

MOST_CHARACTERS = 1_000_000
"""Of a configuration file."""


class _StrictLoader(yaml.SafeLoader):
    """A safe loader that refuses what a person hardly means."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(None, None, "aliases are not accepted", event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable) or key in seen:
                raise yaml.MarkedYAMLError(
                    None, None, f"the key {key!r} is given twice", key_node.start_mark
                )
            seen.add(key)
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return mapping


def load_strict_yaml(text: str) -> Any:
    """Return what a YAML text holds.

    Raises:
        yaml.YAMLError: not YAML, a key twice in a mapping, or an alias.
        ValueError: a text too long, or a number too large.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it has {len(text):,} characters, accepted: {MOST_CHARACTERS:,}")
    return yaml.load(text, Loader=_StrictLoader)
