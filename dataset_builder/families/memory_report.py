"""What memory systems did for the answers of runs: why answers are wrong, and what it took."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import mean
from typing import Any

from personamem.dataset_builder.families.memory_notes import CAUSES, ContextCost, MemoryNote
from personamem.dataset_builder.reports.tables import TextTable, format_share


@dataclass(frozen=True, slots=True)
class ServedRun:
    """A run whose answers a memory served: ``system`` names it and its budget.

    ``answers`` say of each whether it is right, and what the memory did for it.
    """

    system: str
    answers: tuple[tuple[bool, MemoryNote], ...]


def tabulate_causes(runs: Mapping[str, ServedRun]) -> TextTable:
    """Return the causes of wrong answers, as shares of them."""
    counts = {label: _count_causes(run) for label, run in runs.items()}
    rows = tuple(
        (
            cause,
            *(
                format_share(found[cause] / found.total()) if found else "-"
                for found in counts.values()
            ),
        )
        for cause in CAUSES
        if any(found[cause] for found in counts.values())
    )
    note = (
        "Of the evidence of a question: never written, the memory does not keep all of it; not "
        "found, it keeps all and did not return all; found and not used, all came back; unknown, "
        "the memory writes texts of its own or does not say what it keeps."
    )
    return TextTable("Causes of wrong answers, as shares", ("cause", *counts), rows, note)


def tabulate_memories(runs: Mapping[str, ServedRun]) -> TextTable:
    """Return a row for each run: what its memory found, and what that cost."""
    rows = []
    for label, run in runs.items():
        found = describe_memory(run)
        rows.append(
            (
                label,
                format_share(found["recall"]),
                format_share(found["written"]),
                f"{found['tokens']:,.0f}",
                f"{1000 * found['search_seconds']:,.1f}",
                f"{found['sessions']:,}",
                f"{found['added_tokens']:,}",
                f"{found['add_seconds']:,.1f}",
                f"{found['calls']:,}",
                f"{found['prompt_tokens']:,}",
                f"{found['completion_tokens']:,}",
            )
        )
    found_head = ("run", "recall", "written", "read", "ms")
    cost_head = ("sessions", "added", "s", "calls", "in", "out")
    note = (
        "recall, written: of the evidence; read: tokens that a search returned, in ms; sessions "
        "and tokens added, in s; calls of the memory's own model, with its tokens in and out."
    )
    head = (*found_head, *cost_head)
    return TextTable("Memories: what they found and what it took", head, tuple(rows), note)


def describe_memory(run: ServedRun) -> dict[str, Any]:
    """Return the figures of a run's memory; shares are NaN where nobody can tell."""
    notes = [note for _, note in run.answers]
    costs: Mapping[str, ContextCost] = {note.context: note.cost for note in notes}
    return {
        "system": run.system,
        "recall": _average([note.recall for note in notes]),
        "written": _average([note.written for note in notes]),
        "tokens": _average([note.tokens for note in notes]),
        "search_seconds": _average([note.seconds for note in notes]),
        "failures": sum(bool(note.failure) for note in notes),
        "sessions": sum(cost.sessions for cost in costs.values()),
        "added_tokens": sum(cost.tokens for cost in costs.values()),
        "add_seconds": sum(cost.seconds for cost in costs.values()),
        "calls": sum(cost.calls for cost in costs.values()),
        "prompt_tokens": sum(cost.prompt_tokens for cost in costs.values()),
        "completion_tokens": sum(cost.completion_tokens for cost in costs.values()),
        "causes": dict(_count_causes(run)),
    }


def _count_causes(run: ServedRun) -> "Counter[str]":
    return Counter(note.cause for is_right, note in run.answers if not is_right)


def _average(values: list[Any]) -> float:
    known = [value for value in values if value is not None]
    return mean(known) if known else math.nan
