"""The score of one reply to a multiple-choice question: the same for tasks, exports and training.

``score`` is plain Python over plain values. ``score_for_trl`` and ``score_for_verl`` only hand over
what TRL's trainers and verl's reward managers call a reward with.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import LETTERS
from personamem.loaders.personamem.letters import read_letter

Completion = str | Sequence[Mapping[str, Any]]
"""A text, or the messages of a reply, of which the last one counts."""


def score(completion: Completion, row: Mapping[str, Any]) -> float:
    """Return 1.0 if a reply chooses the right option of a row, and no other; else 0.0.

    Args:
        completion: the reply. How its letter is read: ``read_letter``.
        row: any row of ours with ``answer_index`` (0 to 3): of a dataset, of an export, a task's
            document, or the ``ground_truth`` of a verl row.

    Raises:
        InvalidInputError: the row has no such ``answer_index``.
    """
    index = row.get("answer_index")
    if not isinstance(index, int) or not 0 <= index < len(LETTERS):
        raise InvalidInputError(
            f"A row to be scored has answer_index {index!r}. Accepted: 0 to {len(LETTERS) - 1}."
        )
    return float(read_letter(_text_of(completion)) == LETTERS[index])


def score_for_trl(
    completions: Sequence[Completion], answer_index: Sequence[int], **_: Any
) -> list[float]:
    """Return the scores of a batch, as a ``reward_funcs`` of TRL's trainers."""
    pairs = zip(completions, answer_index, strict=True)
    return [score(completion, {"answer_index": index}) for completion, index in pairs]


def score_for_verl(
    data_source: str, solution_str: str, ground_truth: Mapping[str, Any], extra_info: Any = None
) -> float:
    """Return the score of a solution, as verl's ``custom_reward_function`` is called."""
    return score(solution_str, ground_truth)


def _text_of(completion: Completion) -> str:
    if isinstance(completion, str):
        return completion
    content = completion[-1].get("content") if completion else ""
    return content if isinstance(content, str) else ""
