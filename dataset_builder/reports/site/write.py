"""Writing a site: the page, and its data in parts that are small enough to load when looked at.

index.html, app/*.js, style/*.css   the page, the same for every dataset
data/index.js                       the splits, their contexts and runs
data/s0/questions.js                of split 0: all questions in short, with verdicts of runs
data/s0/c3.js                       of context 3: sessions, questions in full, facts
data/s0/c3-p7.js                    its part 7: some dozen messages
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from personamem.dataset_builder.reports.site.pages import SitePage
from personamem.dataset_builder.reports.site.records import (
    SiteContext,
    SiteQuestion,
    SiteSplit,
    Turn,
)

ASSETS = Path(__file__).parent / "assets"

PART_MESSAGES, PART_LETTERS = 64, 48_000
"""A part ends when it has so many messages, or so many letters."""

_ROLES = ("system", "user", "assistant", "document")
_VERDICTS = ("wrong", "partly", "right")


@dataclass(frozen=True, slots=True)
class SiteSize:
    """What a site holds."""

    contexts: int
    questions: int


def write_site(
    folder: Path, title: str, splits: Sequence[SiteSplit], pages: Sequence[SitePage] = ()
) -> SiteSize:
    """Write the site of ``splits`` into an empty folder; one context at a time is in memory."""
    shutil.copytree(ASSETS, folder, dirs_exist_ok=True)
    described = [
        _write_split(folder / "data" / f"s{number}", f"s{number}", split)
        for number, split in enumerate(splits)
    ]
    index = {"title": title, "splits": described, "pages": [asdict(page) for page in pages]}
    _write_data(folder / "data" / "index.js", "index", index)
    return SiteSize(
        sum(len(split["contexts"]) for split in described),
        sum(split["questions"] for split in described),
    )


def _write_split(folder: Path, key: str, split: SiteSplit) -> dict[str, Any]:
    folder.mkdir(parents=True)
    index = _QuestionIndex(split)
    contexts = []
    for number, context in enumerate(split.read()):
        _write_context(folder, key, number, context)
        index.add(number, context.questions)
        contexts.append(_describe_context(context))
    _write_data(folder / "questions.js", f"{key}/questions", index.encode())
    return {
        "name": split.name,
        "family": split.family,
        "facets": split.facets,
        "notes": split.notes,
        "runs": [{"name": run.name, "condition": run.condition} for run in split.runs],
        "contexts": contexts,
        "questions": len(index.rows),
    }


def _describe_context(context: SiteContext) -> dict[str, Any]:
    dates = [session.date for session in context.sessions if session.date]
    return {
        "label": context.label,
        "messages": len(context.turns),
        "sessions": len(context.sessions),
        "questions": len(context.questions),
        "tokens": context.tokens,
        "first": min(dates, default=""),
        "last": max(dates, default=""),
    }


class _QuestionIndex:
    """All questions of a split in short: enough to list, filter and search them."""

    def __init__(self, split: SiteSplit) -> None:
        self._num_runs = len(split.runs)
        # The values of each facet in the order of their numbers.
        self._values: list[dict[str, int]] = [{} for _ in split.facets]
        self.rows: list[list[Any]] = []

    def add(self, context: int, questions: Sequence[SiteQuestion]) -> None:
        for number, question in enumerate(questions):
            facets = [
                values.setdefault(value, len(values))
                for values, value in zip(self._values, question.facets, strict=True)
            ]
            verdicts: list[int | None] = [None] * self._num_runs
            reasons, causes = [""] * self._num_runs, [""] * self._num_runs
            for answer in question.answers:
                verdicts[answer.run] = _VERDICTS.index(answer.verdict)
                reasons[answer.run] = answer.why
                causes[answer.run] = answer.cause
            found = (facets, verdicts, reasons, causes)
            self.rows.append([question.question_id, question.text, context, number, *found])

    def encode(self) -> dict[str, Any]:
        return {"values": [list(values) for values in self._values], "rows": self.rows}


def _write_context(folder: Path, key: str, number: int, context: SiteContext) -> None:
    parts = list(_cut_parts(context.turns))
    head = {
        "id": context.context_id,
        "sessions": [[s.start, s.date, s.topic, s.title] for s in context.sessions],
        "parts": [[start, len(turns), sum(len(t.text) for t in turns)] for start, turns in parts],
        "questions": [asdict(question) for question in context.questions],
        "facts": [asdict(fact) for fact in context.facts],
    }
    _write_data(folder / f"c{number}.js", f"{key}/c{number}", head)
    for part, (_, turns) in enumerate(parts):
        rows = [[_ROLES.index(turn.role), turn.speaker, turn.text] for turn in turns]
        _write_data(folder / f"c{number}-p{part}.js", f"{key}/c{number}-p{part}", rows)


def _cut_parts(turns: Sequence[Turn]) -> Iterator[tuple[int, Sequence[Turn]]]:
    """Yield the number of the first message of each part, and its messages."""
    start = letters = 0
    for index, turn in enumerate(turns):
        full = index - start >= PART_MESSAGES or letters + len(turn.text) > PART_LETTERS
        if full and index > start:
            yield start, turns[start:index]
            start, letters = index, 0
        letters += len(turn.text)
    if start < len(turns):
        yield start, turns[start:]


def _write_data(path: Path, name: str, data: Any) -> None:
    """Write data as a script that hands them to the page under a name."""
    encode = partial(json.dumps, data, separators=(",", ":"), allow_nan=False)
    try:
        script = f'receiveData("{name}",{encode(ensure_ascii=False)});\n'.encode()
    except UnicodeEncodeError:  # Half of a surrogate pair, as JSON files may hold.
        script = f'receiveData("{name}",{encode()});\n'.encode()
    path.write_bytes(script)
