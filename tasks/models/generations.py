"""Replies to prompts, generated from what the model has already read of them.

transformers generates the reply, called as lm-eval's HFLM calls it; only the cache it starts from
is ours. A prompt's last token is left out of the reading: generating begins with it.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import torch
from lm_eval.models.huggingface import HFLM
from lm_eval.models.utils import (
    handle_stop_sequences,
    normalize_gen_kwargs,
    postprocess_generated_text,
)
from transformers.generation import GenerationMode

from personamem.tasks.models.prefixes import Node, Tokens
from personamem.tasks.models.reading import ContextReader, Mark, is_out_of_memory

SHARING_MODES = (GenerationMode.GREEDY_SEARCH, GenerationMode.SAMPLE)
"""Ways to generate that go on from a cache of one row, token by token."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to generate: strings that end the reply, its most tokens, transformers' own options."""

    until: tuple[str, ...]
    max_tokens: int
    options: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt's last token, which is not in the tree, and how to generate."""

    last: int
    settings: Settings


class GenerationReader:
    """Generates the replies to a tree's prompts as a walk reads it.

    Args:
        context: the model.
        prompts: by request.
        generate: HFLM's ``_model_generate``.
        report: takes a request and the tokens of its reply, as soon as they are there.
    """

    def __init__(
        self,
        context: ContextReader,
        prompts: Sequence[Prompt],
        generate: Callable[..., torch.Tensor],
        report: Callable[[int, list[int]], None],
    ) -> None:
        """Keep what is needed."""
        self._context = context
        self._prompts = prompts
        self._generate = generate
        self._report = report

    def mark(self) -> Mark:
        """Return the state, to go back to."""
        return self._context.mark()

    def restore(self, mark: Mark) -> None:
        """Go back to a state that ``mark`` returned."""
        self._context.restore(mark)

    def enter(self, node: Node) -> None:
        """Read a node and reply to the prompts that end in it."""
        for _ in self._context.read(node.tokens, None):
            pass
        if not node.requests:
            return
        mark, path = self.mark(), node.path()
        for request in node.requests:
            self._reply(request, path)
            self.restore(mark)

    def finish(self, leaves: Sequence[Node], mark: Mark) -> None:
        """Reply to the prompts of sibling leaves."""
        for leaf in leaves:
            self.restore(mark)
            self.enter(leaf)

    def _reply(self, request: int, path: Tokens) -> None:
        prompt = self._prompts[request]
        device = self._context.device
        tokens = torch.tensor([[*path.tolist(), prompt.last]], device=device)
        options = dict(prompt.settings.options)
        length = options.pop("max_length", tokens.shape[1] + prompt.settings.max_tokens)
        if self._context.cache is not None:
            options["past_key_values"] = self._context.cache
        try:
            output = self._generate(
                context=tokens,
                attention_mask=torch.ones_like(tokens),
                stop=list(prompt.settings.until),
                max_length=length,
                **options,
            )
        except Exception as error:
            if is_out_of_memory(error):
                raise self._context.refuse(prompt.settings.max_tokens, 1) from error
            raise
        self._report(request, output[0, tokens.shape[1] :].tolist())


def make_settings(model: HFLM, options: dict[str, Any]) -> Settings:
    """Return how ``hf`` would generate with a request's options."""
    options = dict(normalize_gen_kwargs(options, model.max_gen_toks))
    eos = model.tok_decode(model.eot_token_id, skip_special_tokens=False)
    until = handle_stop_sequences(options.pop("until", None), eos=eos)
    return Settings(tuple(until), options.pop("max_gen_toks"), options)


def can_share(model: Any, reader: ContextReader, options: dict[str, Any]) -> bool:
    """Return whether a reply with these options of transformers can begin from a read context."""
    config = copy(model.generation_config)
    config.update(**{name: value for name, value in options.items() if value is not None})
    plain = config.num_return_sequences in (None, 1) and config.cache_implementation is None
    return (
        reader.cache_name == "past_key_values"
        and plain
        and config.use_cache is not False
        and config.get_generation_mode() in SHARING_MODES
    )


def read_reply(model: HFLM, tokens: list[int], until: Sequence[str]) -> str:
    """Return the text of a reply: without what the model thought before it, and up to a stop."""
    mark = model.think_end_token
    if isinstance(mark, int):
        thought = len(tokens) - tokens[::-1].index(mark) if mark in tokens else 0
        text = model.tok_decode(tokens[thought:]).lstrip()
    else:
        text = model.tok_decode(tokens)
    return str(
        postprocess_generated_text(text, list(until), mark if isinstance(mark, str) else None)
    )
