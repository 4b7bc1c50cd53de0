"""Replies to prompts, generated from what the model has already read of them.

transformers generates the reply, called as lm-eval's HFLM calls it; only the cache it starts from
is ours. A prompt's last token is left out of the reading: generating begins with it. Greedy replies
need less where a model reads packed tokens: see `joint_generation`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from lm_eval.models.huggingface import HFLM
from lm_eval.models.utils import (
    handle_stop_sequences,
    normalize_gen_kwargs,
    postprocess_generated_text,
)

from personamem.tasks.models.prefixes import Node, Tokens
from personamem.tasks.models.reading import ContextReader, Mark, is_out_of_memory
from personamem.tasks.models.transformers_compat import (
    GREEDY,
    find_generation_mode,
    keeps_states_alone,
)


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
        tokens = join_prompt(path, prompt, self._context.device)
        cache = self._context.export_cache()
        more = {} if cache is None else {self._context.cache_name: cache}
        try:
            output = start_generating(self._generate, tokens, prompt.settings, **more)
        except Exception as error:
            if is_out_of_memory(error):
                raise self._context.refuse(prompt.settings.max_tokens, 1) from error
            raise
        self._report(request, output[0, tokens.shape[1] :].tolist())


def join_prompt(path: Tokens, prompt: Prompt, device: torch.device) -> torch.Tensor:
    """Return all tokens of a prompt, [1, tokens]; ``path`` are all but the last."""
    return torch.tensor([[*path.tolist(), prompt.last]], device=device)


def start_generating(
    generate: Callable[..., torch.Tensor],
    tokens: torch.Tensor,
    settings: Settings,
    **more: Any,
) -> torch.Tensor:
    """Return what ``generate``, HFLM's ``_model_generate``, makes of a prompt, as ``hf`` calls it.

    Args:
        generate: the method.
        tokens: the prompt, [1, tokens].
        settings: how to generate.
        more: further options of transformers.
    """
    options = {**settings.options, **more}
    length = options.pop("max_length", tokens.shape[1] + settings.max_tokens)
    return generate(
        context=tokens,
        attention_mask=torch.ones_like(tokens),
        stop=list(settings.until),
        max_length=length,
        **options,
    )


def make_settings(model: HFLM, options: dict[str, Any]) -> Settings:
    """Return how ``hf`` would generate with a request's options."""
    options = dict(normalize_gen_kwargs(options, model.max_gen_toks))
    if not options.get("temperature") and not options.get("do_sample"):
        # As hf takes them; transformers would warn of a temperature that it ignores.
        options.pop("temperature", None)
        options["do_sample"] = False
    eos = model.tok_decode(model.eot_token_id, skip_special_tokens=False)
    until = handle_stop_sequences(options.pop("until", None), eos=eos)
    return Settings(tuple(until), options.pop("max_gen_toks"), options)


def can_share(model: Any, options: dict[str, Any]) -> bool:
    """Return whether a reply with these options of transformers can begin from a read context.

    Not so of models that only keep a state: they would read the prompt once more into it.
    """
    mode = find_generation_mode(model, options)
    return mode is not None and not keeps_states_alone(model.config)


def is_greedy(model: Any, options: dict[str, Any]) -> bool:
    """Return whether every token of a reply with these options is the likeliest one."""
    return find_generation_mode(model, options) is GREEDY


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
