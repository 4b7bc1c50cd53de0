"""From the messages of a question to the prompt of one model, and what tells two ways apart."""

import hashlib
import logging
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import LETTERS, Message
from personamem.loaders.prompting.prompts import make_final_turn, render_plain
from personamem.loaders.prompting.templates import (
    STRICT_RULES,
    TemplateRules,
    find_lost_text,
    normalise_messages,
    rules_of,
)

SAMPLE: tuple[Message, ...] = (
    {"role": "system", "content": "first"},
    {"role": "user", "content": "second"},
    {"role": "user", "content": "third"},
    {"role": "assistant", "content": "fourth"},
    {"role": "system", "content": "fifth"},
    {"role": "user", "content": make_final_turn("sixth", LETTERS)},
)
"""A conversation with all that renderings differ in; see ``Renderer.fingerprint``."""


class Renderer:
    """Renders conversations for one model.

    ``chat_template`` is the model's ``apply_chat_template``, or None for plain text;
    ``system_instruction`` goes before the conversation, ``reply_prefix`` begins the reply.
    """

    def __init__(
        self,
        chat_template: Callable[..., Any] | None = None,
        system_instruction: str | None = None,
        reply_prefix: str | None = None,
    ) -> None:
        """Keep the settings; the template is probed when it is first needed."""
        self.settings = (chat_template, system_instruction, reply_prefix)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits: other ones mean that other prompts are rendered."""
        template = self.settings[0]
        tokenizer = getattr(getattr(template, "__self__", None), "tokenizer", None)
        source = getattr(tokenizer, "chat_template", None)
        return make_fingerprint((str(self.render("a sample", SAMPLE)), source))

    def render(self, where: str, messages: Sequence[Message]) -> Any:
        """Return the prompt: a string, or for chat APIs lm-eval's JSON form of the messages.

        Raises:
            InvalidInputError: the chat template drops text; ``where`` says of what.
        """
        template, system_instruction, reply_prefix = self.settings
        if system_instruction:
            messages = [{"role": "system", "content": system_instruction}, *messages]
        if template is None:
            return render_plain(messages, reply_prefix or "")
        if reply_prefix:
            messages = [*messages, {"role": "assistant", "content": reply_prefix}]
        messages = normalise_messages(messages, self._rules)
        rendered = template(messages, add_generation_prompt=not reply_prefix)
        lost = find_lost_text(rendered, messages) if isinstance(rendered, str) else None
        if lost is not None:
            raise InvalidInputError(
                f"The chat template drops or changes text of {where}, in message {lost} of "
                f"{len(messages)}: {messages[lost]['content'][:80]!r}."
            )
        return rendered

    @cached_property
    def _rules(self) -> TemplateRules:
        assert self.settings[0] is not None
        return probe_rules(self.settings[0])


def probe_rules(chat_template: Callable[..., Any]) -> TemplateRules:
    """Return the rules of a model's chat template; the strictest for chat APIs.

    A chat API's "template" returns the messages themselves, so there is nothing to probe: the real
    template is the server's.
    """
    noisy = logging.getLogger("lm_eval.models.huggingface")
    if not isinstance(chat_template([{"role": "user", "content": "probe"}]), str):
        return STRICT_RULES
    # Where a template refuses, lm-eval drops the system messages with a warning; here that is the
    # expected answer of a probe, not news.
    disabled, noisy.disabled = noisy.disabled, True
    try:
        return rules_of(chat_template)
    finally:
        noisy.disabled = disabled


def make_fingerprint(value: object) -> str:
    """Return 16 hexadecimal digits that stand for a value, by its ``repr``."""
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]
