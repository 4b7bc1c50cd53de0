"""The baseline ``lm:FOLDER``: a real language model that reads question and options, no context.

The prompt is that of the tasks ``personamem_*_nocontext_ll``: the final user turn, in the model's
chat template if it has one, and the start of a reply. The score of an option is the log-likelihood
of its letter, computed by lm-eval's own model class.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from personamem.dataset_builder.core.items import Item, Scores
from personamem.loaders import make_final_turn, render_plain
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import LETTERS, Message
from personamem.loaders.prompting.templates import find_lost_text
from personamem.loaders.prompting.windows import Prompt, Window, check_prompts_fit

PREFIX = "lm:"
REPLY_START = "Answer:"


def parse_model_folder(name: str) -> Path:
    """Return the folder of a baseline called ``lm:FOLDER``.

    Raises:
        InvalidInputError: another name, or no folder of a model with a ``config.json``.
    """
    text = name.removeprefix(PREFIX)
    if text == name or not text:
        raise InvalidInputError(
            f"Unknown baseline {name!r}. Accepted: {PREFIX}FOLDER, with the folder of a causal "
            "language model."
        )
    folder = Path(text).expanduser()
    if not (folder / "config.json").is_file():
        state = "has no config.json" if folder.is_dir() else "is no folder"
        raise InvalidInputError(
            f"Baseline {name!r}: {folder} {state}. Accepted: a folder with the model and its "
            "tokenizer, as save_pretrained writes them."
        )
    return folder


def score_language_model(folder: Path, items: Sequence[Item], limit: int | None = None) -> Scores:
    """Score the letters of ``items[:limit]`` by the model in ``folder``.

    One forward pass for each distinct question and its options (a quad shares them); no network is
    used where the folder is complete.

    Returns:
        One array a question: the log-likelihoods (natural logarithm) of its four letters.

    Raises:
        InvalidInputError: the extra ``hf`` is not installed, the model cannot be loaded, its chat
            template drops text, or a prompt does not fit its window.
    """
    chosen = items[:limit]
    if not chosen:
        return []
    model = _load_model(folder)
    prompts = [_make_prompt(model, item) for item in chosen]
    _check_window(model, folder, chosen, prompts)
    distinct = list(dict.fromkeys(prompts))
    answers = model.loglikelihood(_make_requests(distinct), disable_tqdm=True)
    values = np.array([likelihood for likelihood, _ in answers], dtype=np.float64)
    rows = dict(zip(distinct, values.reshape(len(distinct), len(LETTERS)), strict=True))
    return [rows[prompt] for prompt in prompts]


def _load_model(folder: Path) -> Any:
    try:
        import torch
        from lm_eval.models.huggingface import HFLM
    except ImportError as error:
        raise InvalidInputError(
            f"Baseline {PREFIX}{folder} needs packages that are not installed ({error.name}). "
            'Run: pip install "personamem[hf]"'
        ) from error
    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        return HFLM(pretrained=str(folder), backend="causal", device=device, batch_size=1)
    except Exception as error:  # Whatever lies in the folder decides what is raised.
        raise InvalidInputError(
            f"Baseline {PREFIX}{folder}: the model cannot be loaded: "
            f"{type(error).__name__}: {error}"
        ) from error


def _make_prompt(model: Any, item: Item) -> str:
    turn: Message = {"role": "user", "content": make_final_turn(item.question, item.options)}
    if not model.tokenizer.chat_template:
        return render_plain([turn], REPLY_START)
    messages: list[Message] = [turn, {"role": "assistant", "content": REPLY_START}]
    rendered = model.apply_chat_template(messages, add_generation_prompt=False)
    assert isinstance(rendered, str)
    if find_lost_text(rendered, messages) is not None:
        raise InvalidInputError(
            f"Baseline {PREFIX}{model.pretrained}: the chat template drops or changes text of "
            f"question {item.question_id}."
        )
    return rendered


def _check_window(model: Any, folder: Path, items: Sequence[Item], prompts: Sequence[str]) -> None:
    window = Window(model.max_length, 0, lambda text: len(model.tok_encode(text)))
    for item, prompt in zip(items, prompts, strict=True):
        described = Prompt(item.question_id, prompt, partial(str, prompt))
        check_prompts_fit(window, f"Baseline {PREFIX}{folder}", [described])


def _make_requests(prompts: Sequence[str]) -> list[Any]:
    from lm_eval.api.instance import Instance

    return [
        Instance("loglikelihood", {}, (prompt, f" {letter}"), number)
        for prompt in prompts
        for number, letter in enumerate(LETTERS)
    ]
