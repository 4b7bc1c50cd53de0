"""Open answers that a memory served: why they are wrong, and what the memory cost."""

import json
from pathlib import Path

from answer_files import make_note
from result_files import write_run

from personamem.dataset_builder.families.evaluations import read_evaluations
from personamem.dataset_builder.families.personabench.results.report import make_report

SYSTEM = {"memory": "bm25", "budget": 500}


def write_samples(results: Path, f1_and_recall: list[tuple[float, float]]) -> None:
    """Write the answers behind results, of two people in turn."""
    stamp = results.stem.removeprefix("results_")
    path = results.with_name(f"samples_personabench_noise_05_memory_{stamp}.jsonl")
    rows = [
        {
            "doc": {"question_id": f"q{number}"},
            "arguments": {"gen_args_0": {"arg_0": "Which?"}},
            "resps": [["something"]],
            "f1": f1,
            "evidence_recall": make_note("bm25", recall, 1.0, context=f"c/{number % 2}"),
        }
        for number, (f1, recall) in enumerate(f1_and_recall)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def test_what_is_not_wholly_right_has_a_cause(tmp_path: Path) -> None:
    results = write_run(tmp_path, noise="noise_05", condition="memory", **SYSTEM)
    write_samples(results, [(1.0, 0.0), (0.4, 0.5), (0.0, 1.0), (0.0, 0.0)])
    report = make_report(read_evaluations([tmp_path]))
    assert report is not None
    tables = {table.title: table for table in report.tables}
    causes = tables["Causes of wrong answers, as shares"]
    assert causes.head[1] == "tiny, memory (bm25 at 500), noise 0.5"
    assert causes.rows == (("not found", "0.667"), ("found and not used", "0.333"))
    (row,) = tables["Memories: what they found and what it took"].rows
    assert (row[1], row[6]) == ("0.375", "8,000")
    assert report.data["tiny, memory (bm25 at 500)"]["0.5"]["memory"]["system"] == "bm25 at 500"


def test_without_answers_there_are_scores_alone(tmp_path: Path) -> None:
    write_run(tmp_path, noise="noise_05", condition="memory", **SYSTEM)
    report = make_report(read_evaluations([tmp_path]))
    assert report is not None
    assert not [t for t in report.tables if "Causes" in t.title or "Memories" in t.title]
    assert report.tables[0].title == "tiny, memory (bm25 at 500)"
