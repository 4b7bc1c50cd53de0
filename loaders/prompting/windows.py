"""Whether prompts fit a model's window, found out before the model runs, with little counting.

lm-eval's own models cut a prompt that is too long from the left, with a log line at most. The
check tokenizes one prompt a context, the longest: a text of n UTF-8 bytes has at most n tokens (and
a few special ones), and prompts of one context are beginnings of one another but for the last turn.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from personamem.loaders.formats.errors import InvalidInputError

SPECIAL_TOKENS = 16
"""More tokens than any tokenizer adds to a text by itself (beginning of text and the like)."""


@dataclass(frozen=True, slots=True)
class Window:
    """A model's window in tokens, what the reply takes of it, and how to count a text's tokens."""

    tokens: int
    reply: int
    count: Callable[[str], int]


def window_of(model: Any, reply_tokens: int) -> Window | None:
    """Return a model's window, or None where none is known.

    Chat APIs and the dummy model expose no tokenizer or no window, so nothing can be checked.
    """
    try:
        tokens, tokenizer = model.max_length, model.tokenizer
    except (AttributeError, OSError, ImportError):  # The dummy model fetches its tokenizer.
        return None
    encode = getattr(model, "tok_encode", None)
    if not isinstance(tokens, int) or tokenizer is None or encode is None:
        return None
    return Window(tokens, reply_tokens, lambda text: len(encode(text)))


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that can be built: its question, its last turn, and the function that builds it.

    ``build`` returns a text; anything else is a form whose tokens cannot be counted.
    """

    question_id: str
    last_turn: str
    build: Callable[[], Any]


def check_prompts_fit(window: Window, where: str, prompts: Sequence[Prompt]) -> None:
    """Check prompts that are beginnings of one another, but for their last turns.

    Args:
        window: the model's.
        where: what to call the run in an error.
        prompts: the one with the most messages first. The others are built only where room is so
            scarce that their last turns could matter.

    Raises:
        InvalidInputError: a prompt and its reply do not fit; all numbers are named.
    """
    room = window.tokens - window.reply
    longest: int | None = None
    for prompt in prompts:
        if longest is not None and longest + _bound(prompt.last_turn) <= room:
            continue
        text = prompt.build()
        if not isinstance(text, str):
            return
        tokens = _bound(text)
        if tokens > room:
            tokens = window.count(text)
        if tokens > room:
            reply = f" and a reply of up to {window.reply:,}" if window.reply else ""
            raise InvalidInputError(
                f"{where}, question {prompt.question_id}: the prompt has {tokens:,} tokens{reply}, "
                f"the model's window {window.tokens:,}. It would be cut off. Choose a smaller "
                "size, a model with a larger window, or --limit; if the model takes more than it "
                "says, set max_length in --model_args."
            )
        longest = tokens if longest is None else longest


def _bound(text: str) -> int:
    """Return a number of tokens that a text cannot exceed: its bytes, and the special ones."""
    return len(text.encode("utf-8")) + SPECIAL_TOKENS
