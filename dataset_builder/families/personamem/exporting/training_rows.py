"""Rows for training, in the forms of three trainers.

``verl`` rows have the columns that its trainers read; with ``history`` in a column it is the text
of ``context``, as recurrent-memory agents take it (the code of PersonaMem-v2 reads it by
``data.context_key``). ``trl`` rows have ``prompt``, and all other columns reach the reward
function. ``openai`` rows are chats that end in the right letter.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from personamem.loaders.formats.schema import LETTERS, MESSAGE_TYPE, Message, Question
from personamem.loaders.prompting.prompts import make_final_turn, render_conversation
from personamem.loaders.prompting.templates import STRICT_RULES, normalise_messages

Format = Literal["verl", "trl", "openai"]
FORMATS: tuple[Format, ...] = ("verl", "trl", "openai")
History = Literal["prompt", "column"]
HISTORIES: tuple[History, ...] = ("prompt", "column")


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """One question as all forms need it; ``history`` is what the question sees, before its turn."""

    question: Question
    quad_id: str
    held_out: str
    history: Sequence[Message]

    @property
    def turn(self) -> Message:
        """The question with its options."""
        text = make_final_turn(self.question.user_question_or_message, self.question.options)
        return {"role": "user", "content": text}

    def prompt(self, history: History) -> list[Message]:
        """Return the messages of the prompt, as every chat template takes them."""
        messages = [*self.history, self.turn] if history == "prompt" else [self.turn]
        return normalise_messages(messages, STRICT_RULES)


_ABOUT = {
    "question_id": pa.string(),
    "quad_id": pa.string(),
    "persona_id": pa.int64(),
    "topic": pa.string(),
    "question_type": pa.string(),
    "held_out": pa.string(),
}
_TRUTH = {"answer_index": pa.int64(), "correct_answer": pa.string()}
_PROMPT = pa.field("prompt", pa.list_(MESSAGE_TYPE))
_CONTEXT = pa.field("context", pa.string())


def make_schema(form: Format, history: History) -> pa.Schema:
    """Return the columns of a form's Parquet files."""
    if form == "verl":
        truth = pa.struct([pa.field(name, kind) for name, kind in _TRUTH.items()])
        extra = pa.struct(
            [
                pa.field("index", pa.int64()),
                pa.field("split", pa.string()),
                *(pa.field(name, kind) for name, kind in _ABOUT.items()),
            ]
        )
        columns = [
            pa.field("data_source", pa.string()),
            _PROMPT,
            pa.field("ability", pa.string()),
            pa.field("reward_model", pa.struct([("style", pa.string()), ("ground_truth", truth)])),
            pa.field("extra_info", extra),
        ]
    else:
        columns = [
            _PROMPT,
            pa.field("options", pa.list_(pa.string())),
            *(pa.field(name, kind) for name, kind in {**_TRUTH, **_ABOUT}.items()),
        ]
    return pa.schema([*columns, *([_CONTEXT] if history == "column" else [])])


def make_verl_row(row: TrainingRow, history: History, index: int, part: str) -> dict[str, Any]:
    """Return a row with the columns of verl."""
    return {
        "data_source": "personamem",
        "prompt": row.prompt(history),
        "ability": "personalization",
        "reward_model": {"style": "rule", "ground_truth": _state_truth(row)},
        "extra_info": {"index": index, "split": part, **_state_about(row)},
        **_state_context(row, history),
    }


def make_trl_row(row: TrainingRow, history: History, index: int, part: str) -> dict[str, Any]:
    """Return a row with ``prompt`` and all that a reward function may want."""
    return {
        "prompt": row.prompt(history),
        "options": list(row.question.options),
        **_state_truth(row),
        **_state_about(row),
        **_state_context(row, history),
    }


def make_openai_row(row: TrainingRow, history: History, index: int, part: str) -> dict[str, Any]:
    """Return a chat that ends in the right letter, for supervised training."""
    reply = {"role": "assistant", "content": row.question.correct_answer}
    return {"messages": [*row.prompt(history), reply]}


MakeRow = Callable[[TrainingRow, History, int, str], Mapping[str, Any]]
MAKERS: Mapping[Format, MakeRow] = {
    "verl": make_verl_row,
    "trl": make_trl_row,
    "openai": make_openai_row,
}


def _state_truth(row: TrainingRow) -> dict[str, Any]:
    index = row.question.answer_index
    return {"answer_index": index, "correct_answer": f"({LETTERS[index]})"}


def _state_about(row: TrainingRow) -> dict[str, Any]:
    return {
        "question_id": row.question.question_id,
        "quad_id": row.quad_id,
        "persona_id": row.question.persona_id,
        "topic": row.question.topic,
        "question_type": row.question.question_type,
        "held_out": row.held_out,
    }


def _state_context(row: TrainingRow, history: History) -> dict[str, Any]:
    return {"context": render_conversation(row.history)} if history == "column" else {}
