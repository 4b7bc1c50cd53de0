"""The flat table: a row a question, with all that a model is to read, for harnesses that take rows.

The Hub's ``eval.yaml`` gives inspect-ai one row a sample, which it can join with nothing. So the
conversation is repeated for each question, up to the sizes where that is still small; a row holds
the messages that an lm-eval task sends to a chat API, made by the same functions.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq

from personamem.dataset_builder.families.base import HubTask
from personamem.loaders.formats import schema
from personamem.loaders.formats.records import make_schema, make_table
from personamem.loaders.formats.schema import Annotation, Message, Question
from personamem.loaders.prompting.prompts import make_final_turn
from personamem.loaders.prompting.templates import STRICT_RULES, normalise_messages

CONFIG = "flat"
LARGEST = schema.SIZES["32k"]
"""Contexts of more tokens are left out: at 1M a split would take ten gigabytes."""

ROWS_PER_GROUP = 16
"""Of one context, mostly: what its questions share is then compressed to almost nothing."""

PAGE_BYTES = 8 * 1024 * 1024

READ_LETTER = (
    r"(?s)^(?:(?!\([a-d]\)).)*\(([a-d])\)(?!.*\((?!\1)[a-d]\))"
    r"|^(?:(?!\([a-d]\)).)*?(?:answer|option)(?: is)?:?[\s*]*([a-d])[\s*.]*$"
    r"|^[\s*]*([a-d])[\s*.)]*$"
)
"""The official rule, one letter in parentheses and no other, and the two commonest plain forms."""


@dataclass(frozen=True, slots=True)
class FlatQuestion:
    """A row of ``flat/<split>.parquet``: a question with the messages to send to a model.

    ``task`` is the task of lm-eval that asks the same, by which reports know a sample. ``input``
    ends in the question with its options; one system message may lead, then user and assistant
    speak in turn. ``target`` is the letter of the right option.
    """

    task: str
    question_id: str
    question_type: str
    level: str
    quad_id: str
    persona_id: int
    context_length_in_tokens: int | None
    distance_to_ref_in_tokens: int | None
    input: tuple[Message, ...]
    options: tuple[str, ...]
    answer_index: int
    target: str


FLAT_SCHEMA = make_schema(FlatQuestion)
METADATA = (
    *("task", "question_id", "question_type", "level", "quad_id", "persona_id"),
    *("context_length_in_tokens", "distance_to_ref_in_tokens"),
)
"""The columns that inspect-ai keeps with a sample, for reports."""


def is_flat(split: str) -> bool:
    """Return whether a split has a flat table; one of an unknown size has none."""
    return schema.SIZES.get(split, LARGEST + 1) <= LARGEST


def name_file(split: str) -> str:
    """Return the name of a flat table, relative to the dataset's folder."""
    return f"{CONFIG}/{split}.parquet"


def name_task(split: str) -> str:
    """Return the name of the task of lm-eval on a split."""
    return f"personamem_{split}"


def make_flat(
    split: str, question: Question, annotation: Annotation, messages: Sequence[Message]
) -> FlatQuestion:
    """Return the row of a question that is asked in a context of ``messages``."""
    text = make_final_turn(question.user_question_or_message, question.options)
    seen = messages[: question.end_index_in_shared_context]
    turn: Message = {"role": "user", "content": text}
    return FlatQuestion(
        task=name_task(split),
        question_id=question.question_id,
        question_type=question.question_type,
        level=annotation.level,
        quad_id=annotation.quad_id,
        persona_id=question.persona_id,
        context_length_in_tokens=question.context_length_in_tokens,
        distance_to_ref_in_tokens=question.distance_to_ref_in_tokens,
        input=tuple(normalise_messages([*seen, turn], STRICT_RULES)),
        options=question.options,
        answer_index=question.answer_index,
        target=schema.LETTERS[question.answer_index],
    )


def make_flat_table(
    split: str, rows: Iterable[tuple[Question, Annotation]], messages: Sequence[Message]
) -> pa.Table:
    """Return the rows of one context, by end index."""
    ordered = sorted(rows, key=lambda row: (row[0].end_index_in_shared_context, row[0].question_id))
    flat = [make_flat(split, question, annotation, messages) for question, annotation in ordered]
    return make_table(FlatQuestion, flat)


class FlatWriter:
    """Append the tables of contexts to ``flat/<split>.parquet``."""

    def __init__(self, folder: Path, split: str) -> None:
        (folder / CONFIG).mkdir(exist_ok=True)
        self._parquet = pq.ParquetWriter(
            folder / name_file(split),
            FLAT_SCHEMA,
            compression="zstd",
            use_dictionary=False,
            write_page_index=True,
            data_page_size=PAGE_BYTES,
        )

    def append(self, table: pa.Table) -> None:
        """Add the rows of one context."""
        self._parquet.write_table(table, row_group_size=ROWS_PER_GROUP)

    def __enter__(self) -> "FlatWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._parquet.close()


def describe_hub_tasks(splits: Sequence[str]) -> Iterator[HubTask]:
    """Yield the task of each flat split; its name is that of the task of lm-eval."""
    for split in filter(is_flat, splits):
        yield HubTask(
            id=name_task(split),
            config=CONFIG,
            split=split,
            input="input",
            target="target",
            metadata=METADATA,
            pattern=READ_LETTER,
        )
