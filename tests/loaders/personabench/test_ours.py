"""Datasets of ours with open questions: the same records as the official release's, and errors."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tiny_communities import (
    ADA,
    BEN,
    CLEO,
    SPLITS,
    edit_rows,
    session_id,
    write_communities,
    write_manifest,
)

from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.personabench import load_personabench
from personamem.loaders.personabench.chunks import render_json
from personamem.loaders.personabench.retrieval import (
    evaluate_retrieval,
    rank_gold,
    summarise_retrieval,
)


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    return write_communities(tmp_path / "ours")


def read_all(folder: Path) -> None:
    benchmark = load_personabench(folder)
    for noise in benchmark.noises:
        benchmark.archives(noise)


def test_people_relations_and_questions(ours: Path) -> None:
    benchmark = load_personabench(ours)
    assert benchmark.noises == (0.0, 0.5)
    (community,) = benchmark.communities
    assert [person.name for person in community.people] == [ADA, BEN, CLEO]
    relation = community.relations[0]
    assert (relation.source, relation.target, relation.relationship) == (CLEO, ADA, "sister")
    by_id = {question.question_id: question for question in community.questions}
    assert by_id["q1"].answer == 39
    assert by_id["q2"].answer == ({"cat": "Otis"},)
    assert by_id["q4"].outdated_values == ("tea",)
    assert [by_id[f"q{number}"].category for number in (0, 3, 4, 5)] == [
        *("basic", "preference_easy", "preference_hard", "social")
    ]


def test_an_archive_has_the_rows_in_order_with_official_times(ours: Path) -> None:
    ada, ben = load_personabench(ours).archives(0.5)
    assert (ada.person.name, ada.noise, len(ada.sessions)) == (ADA, 0.5, 12)
    assert (ben.person.name, len(ben.sessions), len(ben.questions)) == (BEN, 9, 1)
    first, last = ada.sessions[0], ada.sessions[-1]
    assert first.time == datetime(2024, 10, 14, 19, 5)
    assert json.loads(render_json(first)) == {
        "time": "2024/Oct/14/07:05 PM",
        "target_name": BEN,
        "conversation": [
            {"role": ADA, "content": "I start at the glassworks at six, every day but Sunday."},
            {"role": BEN, "content": "So I have heard."},
        ],
    }
    assert (last.kind, last.partner, last.purchases[0].brand) == ("purchase_history", None, "Orm")
    two_hops = ada.questions[6]
    assert two_hops.gold_session_ids == (session_id(ADA, 4), session_id(ADA, 5))


def test_the_oracle_finds_everything(ours: Path) -> None:
    benchmark = load_personabench(ours)
    for noise in benchmark.noises:
        scores = summarise_retrieval(evaluate_retrieval(benchmark.archives(noise), rank_gold, 5))
        assert {(score.recall, score.ndcg) for score in scores.values()} == {(1.0, 1.0)}


QUESTIONS, DOCUMENTS = "open_questions/noise_05.parquet", "documents/noise_05.parquet"


@pytest.mark.parametrize(
    ("name", "change", "parts"),
    [
        (
            DOCUMENTS,
            lambda rows: rows[3].update(time=None),
            ["row 4: time is None. Accepted: a time"],
        ),
        (DOCUMENTS, lambda rows: rows[3].update(kind="letter"), ["'letter'", "conversation"]),
        (DOCUMENTS, lambda rows: rows[3].update(person="Zed"), ["'Zed'", "communities.json"]),
        (DOCUMENTS, lambda rows: rows[3].update(messages=[]), ["0 messages and 0 purchases"]),
        (DOCUMENTS, lambda rows: rows[3].update(partner=None), ["conversation", "partner None"]),
        (DOCUMENTS, lambda rows: rows[3].update(session_id=rows[2]["session_id"]), ["twice"]),
        (DOCUMENTS, lambda rows: rows.clear(), ["not a single session"]),
        (
            DOCUMENTS,
            lambda rows: rows.__delitem__(slice(12, None)),
            ["'Ben Oduya'", "no documents"],
        ),
        (
            QUESTIONS,
            lambda rows: rows[0]["gold"][0].update(session_ids=["ada-999"]),
            ["'q0'", "'ada-999'", "does not exist", "12 sessions of 'Ada Winter'"],
        ),
        (
            QUESTIONS,
            lambda rows: rows[0].update(gold=[]),
            ["'q0'", "gold is []. Accepted: one"],
        ),
        (QUESTIONS, lambda rows: rows[0].update(answer="null"), ["'q0'", "'null'", "expected"]),
        (QUESTIONS, lambda rows: rows[0].update(answer="glass"), ["'q0'", "JSON is expected"]),
        (QUESTIONS, lambda rows: rows[0].update(answer="[]"), ["'q0'", "not empty"]),
        (QUESTIONS, lambda rows: rows[0].update(answer='"x"'), ["'q0'", "same at every noise"]),
        (QUESTIONS, lambda rows: rows[0].update(question_type="Taste"), ["'Taste'", "Preference"]),
        (QUESTIONS, lambda rows: rows[0].update(question=""), ["question is empty"]),
        (QUESTIONS, lambda rows: rows.pop(0), ["lacks question 'q0'"]),
        (QUESTIONS, lambda rows: rows[0].update(question_id="q1"), ["'q1' occurs twice"]),
    ],
)
def test_a_row_that_does_not_hold(
    ours: Path, name: str, change: Callable[[Any], object], parts: list[str]
) -> None:
    edit_rows(ours / name, change)
    with pytest.raises(DatasetError) as caught:
        read_all(ours)
    for part in ["noise_05.parquet", *parts]:
        assert part in str(caught.value)


def test_a_person_or_community_that_nobody_knows(ours: Path) -> None:
    first = "open_questions/noise_0.parquet"
    edit_rows(ours / first, lambda rows: rows[0].update(person="Zed"))
    with pytest.raises(DatasetError, match=r"communities.json: 'Zed'"):
        read_all(ours)
    edit_rows(ours / first, lambda rows: rows[0].update(community="community_9"))
    with pytest.raises(DatasetError, match=r"'community_9'. Accepted: community_0"):
        read_all(ours)
    path = ours / "communities.json"
    path.write_text(path.read_text().replace('"persona"', '"motto"', 1))
    write_manifest(ours)
    with pytest.raises(DatasetError, match=r"communities.json, at \[0\].people"):
        read_all(ours)


@pytest.mark.parametrize("name", ["communities.json", QUESTIONS, DOCUMENTS])
def test_a_file_that_is_not_the_manifests(ours: Path, name: str) -> None:
    path = ours / name
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(DatasetError, match="was changed or cut off"):
        read_all(ours)
    path.unlink()
    with pytest.raises(DatasetError, match=f"{path.name} is missing"):
        read_all(ours)


def test_sources_without_open_questions(ours: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"noise level .*0.3.*Accepted: 0.0, 0.5"):
        load_personabench(ours).archives(0.3)
    with pytest.raises(InvalidInputError, match="revisions exist only for Hub ids"):
        load_personabench(ours, "v1")
    manifest = ours / "manifest.json"
    text = manifest.read_text()
    manifest.unlink()
    with pytest.raises(DatasetError, match=r"half-written.*no manifest.json"):
        load_personabench(ours)
    content = json.loads(text)
    for split in SPLITS:
        del content["files"][f"documents/{split}.parquet"]
    manifest.write_text(json.dumps(content))
    with pytest.raises(DatasetError, match="has no open questions"):
        load_personabench(ours)
