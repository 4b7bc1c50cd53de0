"""Files for training: ``train`` and, where something is held out, ``test``."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from personamem.dataset_builder.families.personamem.exporting.holding_out import (
    Division,
    group_quads,
    measure_shared_messages,
    name_quad,
)
from personamem.dataset_builder.families.personamem.exporting.training_rows import (
    MAKERS,
    Format,
    History,
    TrainingRow,
    make_schema,
)
from personamem.loaders.formats.schema import Question
from personamem.loaders.personamem.dataset import PersonaMem

GROUP_LETTERS = 2**24
"""About how much text a Parquet row group holds; quads are never parted."""


def write_training(
    data: PersonaMem, division: Division, folder: Path, form: Format, history: History
) -> dict[str, Any]:
    """Write the files of both sides into ``folder``, and return what is in them and what is not."""
    sides = ("train", "test") if division.topics or division.personas else ("train",)
    counts = {
        side: write_side(
            folder / side, iterate_rows(data, division, side == "train"), form, history
        )
        for side in sides
    }
    return {
        "source": data.source,
        "split": data.split,
        "format": form,
        "history": history,
        "rows": counts,
        "held_out_topics": division.topics,
        "held_out_personas": division.personas,
        "left_out": division.dropped,
        "shared_messages": measure_shared_messages(data, division),
    }


def iterate_rows(data: PersonaMem, division: Division, is_train: bool) -> Iterator[TrainingRow]:
    """Yield the rows of one side: cohort after cohort, the rows of a quad in a row."""
    questions: dict[int, list[Question]] = {}
    for question in data.ordered_questions():
        side = division.sides.get(question.question_id)
        if side is not None and (side == "train") == is_train:
            questions.setdefault(question.persona_id, []).append(question)
    for cohort in division.cohorts:
        asked = [question for persona in cohort for question in questions.get(persona, ())]
        for group in group_quads(data, asked).values():
            for question in group:
                side = division.sides[question.question_id]
                history = data.messages_for(question)
                yield TrainingRow(
                    question, name_quad(data, question), "" if side == "train" else side, history
                )


def write_side(path: Path, rows: Iterator[TrainingRow], form: Format, history: History) -> int:
    """Write the rows of one side into ``path`` (without a suffix), and return their number."""
    make, part, count = MAKERS[form], path.name, 0
    writer = _JsonlWriter(path) if form == "openai" else _ParquetWriter(path, form, history)
    with writer:
        for row in rows:
            writer.write(make(row, history, count, part), row)
            count += 1
    return count


class _JsonlWriter:
    def __init__(self, path: Path) -> None:
        self._stream = path.with_suffix(".jsonl").open("w", encoding="utf-8")

    def __enter__(self) -> "_JsonlWriter":
        return self

    def write(self, values: Mapping[str, Any], row: TrainingRow) -> None:
        self._stream.write(json.dumps(values, ensure_ascii=False) + "\n")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stream.close()


class _ParquetWriter:
    """Writes groups of whole quads, so that no more than one group is in memory."""

    def __init__(self, path: Path, form: Format, history: History) -> None:
        self._schema = make_schema(form, history)
        self._writer = pq.ParquetWriter(
            path.with_suffix(".parquet"), self._schema, compression="zstd"
        )
        self._waiting: list[Mapping[str, Any]] = []
        self._letters, self._quad = 0, ""

    def __enter__(self) -> "_ParquetWriter":
        return self

    def write(self, values: Mapping[str, Any], row: TrainingRow) -> None:
        if self._letters > GROUP_LETTERS and (row.quad_id != self._quad or not row.quad_id):
            self._flush()
        self._waiting.append(values)
        self._quad = row.quad_id
        self._letters += sum(len(message["content"]) for message in row.history)

    def _flush(self) -> None:
        self._writer.write_table(pa.Table.from_pylist(self._waiting, self._schema))
        self._waiting, self._letters = [], 0

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None and self._waiting:
            self._flush()
        self._writer.close()
