"""Whether prompts fit a model's window, found out before the model runs, with little counting.

lm-eval's own models cut a prompt that is too long from the left, with a log line at most. The
check tokenizes one prompt a context, the longest: a text of n UTF-8 bytes has at most n tokens (and
a few special ones), and prompts of one context are beginnings of one another but for the last turn.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from personamem.dataset_builder.errors import InvalidInputError

SPECIAL_TOKENS = 16
"""More tokens than any tokenizer adds to a text by itself (beginning of text and the like)."""


@dataclass(frozen=True, slots=True)
class Window:
    """A model's window in tokens, what the reply takes of it, and how to count a text's tokens."""

    tokens: int
    reply: int
    count: Callable[[str], int]


def find_window(chat_template: Callable[..., Any] | None, reply_tokens: int) -> Window | None:
    """Return the window of the model that is about to be evaluated, or None where none is known.

    lm-eval does not tell a task its model. With a chat template the model is the object that the
    template is bound to; otherwise it is looked for among the calling functions, where lm-eval's
    ``evaluate`` has it. Chat APIs and the dummy model expose no tokenizer or no window, so nothing
    can be checked for them.
    """
    model = getattr(chat_template, "__self__", None) or _find_calling_model()
    try:
        tokens, tokenizer = model.max_length, model.tokenizer
    except (AttributeError, OSError, ImportError):  # The dummy model fetches its tokenizer.
        return None
    encode = getattr(model, "tok_encode", None)
    if not isinstance(tokens, int) or tokenizer is None or encode is None:
        return None
    return Window(tokens, reply_tokens, lambda text: len(encode(text)))


def check_prompts_fit(
    window: Window, where: str, prompts: Sequence[tuple[str, Callable[[], Any]]]
) -> None:
    """Check prompts that share a beginning, the longest first.

    Args:
        window: the model's.
        where: what to call the run in an error.
        prompts: (question id, function that builds the prompt).

    Raises:
        InvalidInputError: a prompt and its reply do not fit; all numbers are named.
    """
    room = window.tokens - window.reply
    counted: tuple[str, int] | None = None
    for identifier, build in prompts:
        prompt = build()
        if not isinstance(prompt, str) or _size(prompt) + SPECIAL_TOKENS <= room:
            continue
        if counted is not None and _bound(prompt, *counted) <= room:
            continue
        counted = (prompt, window.count(prompt))
        if counted[1] > room:
            reply = f" and a reply of up to {window.reply:,}" if window.reply else ""
            raise InvalidInputError(
                f"{where}, question {identifier}: the prompt has {counted[1]:,} tokens{reply}, the "
                f"model's window {window.tokens:,}. It would be cut off. Choose a smaller size, a "
                "model with a larger window, or --limit; if the model takes more than it says, set "
                "max_length in --model_args."
            )


def _bound(prompt: str, known: str, known_tokens: int) -> int:
    """Return a number of tokens that ``prompt`` cannot exceed, given those of a longer one."""
    shared = _shared_prefix(prompt, known)
    return known_tokens + _size(prompt[shared:]) + SPECIAL_TOKENS


def _shared_prefix(first: str, second: str) -> int:
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _size(text: str) -> int:
    return len(text.encode("utf-8"))


def _find_calling_model() -> Any:
    frame = inspect.currentframe()
    while frame is not None:
        model = frame.f_locals.get("lm")
        if hasattr(model, "generate_until"):
            return model
        frame = frame.f_back
    return None
