"""The plan of evaluations of open questions."""

from pathlib import Path

from tiny_communities import write_communities

from personamem.dataset_builder.cli.eval_arguments import parse_evaluation
from personamem.dataset_builder.cli.plan import (
    PlannedQuestion,
)
from personamem.dataset_builder.cli.plan_report import plan_evaluation
from personamem.loaders.formats.tokens import count_tokens
from personamem.loaders.personabench import load_personabench
from personamem.loaders.personabench.prompts import make_open_turn, render_documents

QUESTIONS = [
    PlannedQuestion("a", 0, 100, 10, 400),
    PlannedQuestion("a", 0, 300, 20, 900),
    PlannedQuestion("b", 0, 50, 5, 160),
    PlannedQuestion("b", 1, 40, 5, 130),
]


def test_open_questions_and_retrieval_are_planned_from_their_texts(
    dataset: Path, tmp_path: Path
) -> None:
    talks = write_communities(tmp_path)
    words = [str(talks), "--split", "noise_05", "--condition", "oracle", "--condition", "nocontext"]
    full, gold, blind = plan_evaluation(parse_evaluation([*words, "--model", "dummy"]))
    assert [plan.contexts for plan in (full, gold, blind)] == [2, 2, 0]
    assert full.questions == gold.questions == blind.questions == 8
    archives = load_personabench(talks).archives(0.5)
    turns = sum(
        count_tokens(make_open_turn(asked.question))
        for each in archives
        for asked in each.questions
    )
    documents = [count_tokens(render_documents(a.person.name, a.sessions)) for a in archives]
    assert blind.naive_tokens == blind.shared_tokens == turns
    assert full.shared_tokens == turns + sum(documents)
    assert full.naive_tokens == turns + 7 * documents[0] + documents[1]
    assert full.reply_tokens == 8 * 256
    assert turns < gold.naive_tokens < full.naive_tokens

    words = [str(dataset), "--split", "4k", "--condition", "rag", "--limit", "9"]
    words += ["--metadata", '{"retriever": "random", "k": 99}', "--model", "dummy"]
    whole, found = plan_evaluation(parse_evaluation(words))
    assert found.naive_tokens == whole.naive_tokens
