"""Models that inspect-ai runs in this process: their chat template, asked as lm-eval asks it.

The provider ``hf`` joins user messages that follow each other by a line break before its template
sees them, draws tokens at temperature 0, and lets a prompt run beyond the model's window. Here the
template is probed for what it takes, and a prompt that does not fit is an error. Servers have their
templates to themselves and get messages that every template takes.
"""

from copy import copy
from functools import lru_cache
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
)

from personamem.loaders.formats.schema import Message
from personamem.loaders.prompting.rendering import probe_rules
from personamem.loaders.prompting.templates import STRICT_RULES, TemplateRules
from personamem.loaders.prompting.windows import Prompt, Window, check_prompts_fit

_CLASSES = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}
_WINDOWS = ("n_positions", "max_position_embeddings", "n_ctx")
"""Where configurations of models state their window, as lm-eval looks for it."""

SHARED_MESSAGES = 65_536
"""Messages that samples share: those of the few contexts whose questions are asked together."""


@lru_cache(maxsize=SHARED_MESSAGES)
def make_chat_message(role: str, content: str) -> ChatMessage:
    """Return a message; equal ones are one object, however many questions see it."""
    message: ChatMessage = _CLASSES[role](content=content)
    return message


def find_rules(model: Model) -> TemplateRules:
    """Return what the chat template of a model takes; the strictest for a server."""
    return _probe(model.api) if hasattr(model.api, "hf_chat") else STRICT_RULES


@lru_cache(maxsize=8)
def _probe(api: Any) -> TemplateRules:
    def apply(messages: list[Message]) -> str:
        chat = [make_chat_message(each["role"], each["content"]) for each in messages]
        return str(api.hf_chat(chat, []))

    return probe_rules(apply)


def prepare_model(model: Model, where: str) -> Model:
    """Return a model that gets its messages as they are; ``where`` names the question in errors.

    A local one is a copy that shares weights and tokenizer, so that other tasks keep theirs.
    """
    if not hasattr(model.api, "hf_chat"):
        return model
    prepared = copy(model)
    prepared.api = copy(model.api)
    prepared.api.__class__ = _derive(type(model.api))
    prepared.api.where = where  # type: ignore[attr-defined]
    return prepared


@lru_cache(maxsize=8)
def _derive(provider: Any) -> Any:
    class AsItIs(provider):  # type: ignore[misc]
        where: str

        def collapse_user_messages(self) -> bool:
            return False

        async def generate(
            self, input: list[ChatMessage], tools: Any, tool_choice: Any, config: GenerateConfig
        ) -> ModelOutput:
            _check_window(self, self.where, input, config.max_tokens or 0)
            if not config.temperature:
                self.do_sample = False
                config = config.model_copy(update={"temperature": None})
            output = await super().generate(input, tools, tool_choice, config)
            assert isinstance(output, ModelOutput)
            return output

    return AsItIs


def _check_window(api: Any, where: str, messages: list[ChatMessage], reply: int) -> None:
    """Raise InvalidInputError for a prompt that the window does not hold with its reply."""
    config = api.model.config
    tokens = next((getattr(config, name) for name in _WINDOWS if hasattr(config, name)), None)
    if isinstance(tokens, int):
        window = Window(tokens, reply, lambda text: len(api.tokenizer(text)["input_ids"]))
        prompt = Prompt(where, messages[-1].text, lambda: api.hf_chat(messages, []))
        check_prompts_fit(window, str(api.model_name), [prompt])
