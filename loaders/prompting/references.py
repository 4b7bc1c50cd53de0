"""Prompts that are not there yet: what a prompt is made of, and the way to make it.

The prompts of a 1M split are gigabytes of text, most of it the same conversations again and again.
A ``PromptReference`` stands for one of them in lm-eval's requests, caches and sample logs, in a few
hundred bytes. It is a mapping, not a text: a model that was not made for references cannot tokenize
one, or send it, and fails instead of answering another question than the one asked.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from personamem.loaders.formats.errors import PersonamemError


class PromptReference(dict[str, Any]):
    """The compact description of a prompt. Equal descriptions mean equal prompts and models.

    The keys are ``question_id``, ``dataset``, ``split``, ``condition``, ``shared_context_id`` (of
    open questions: whose documents), ``end_index`` (not of open questions), ``sessions`` (where
    some were selected), ``data`` and ``prompt`` (fingerprints of the questions and of the
    rendering) and ``model`` (that of the model with its arguments), so that lm-eval's cache of
    answers may be keyed by it. ``letters`` is about the prompt's length. A copy or an unpickled
    reference still describes its prompt, but cannot render it.
    """

    def __init__(
        self,
        description: Mapping[str, Any],
        letters: int = 0,
        render: Callable[[], Any] | None = None,
    ) -> None:
        """Describe a prompt that ``render`` makes: a text, or a chat API's form of one."""
        super().__init__(description)
        self.letters = letters
        self._render = render

    def __repr__(self) -> str:
        return f"PromptReference({dict(self)!r})"

    def __str__(self) -> str:
        """Return the prompt itself, for lm-eval's ``--write_out``."""
        if self._render is None:
            return repr(self)
        rendered = self.render()
        return str(getattr(rendered, "prompt", rendered))

    def __reduce__(self) -> tuple[type["PromptReference"], tuple[dict[str, Any], int]]:
        return PromptReference, (dict(self), self.letters)

    def encode(self, encoding: str = "utf-8") -> bytes:
        """Return the description without the model, as lm-eval asks of a prompt to hash it."""
        described = {key: value for key, value in self.items() if key != "model"}
        return json.dumps(described, ensure_ascii=False).encode(encoding)

    def render(self) -> Any:
        """Return the prompt.

        Raises:
            InvalidInputError: the chat template drops text of the conversation.
            PersonamemError: the reference was copied or read from a file.
        """
        if self._render is None:
            raise PersonamemError(
                f"The prompt of question {self.get('question_id')} can no longer be made: this is "
                "a copy of its description."
            )
        return self._render()
