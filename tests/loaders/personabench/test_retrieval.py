"""Recall and NDCG of retrieved sessions."""

import json
from pathlib import Path

import pytest

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personabench import load_personabench
from personamem.loaders.personabench.chunks import render_json
from personamem.loaders.personabench.groups import GROUPS
from personamem.loaders.personabench.retrieval import (
    evaluate_retrieval,
    make_ranker,
    rank_gold,
    summarise_retrieval,
)
from personamem.loaders.retrieval import RandomRetriever, make_retriever

pytestmark = pytest.mark.system

EXPECTED_NAMES = {
    "Basic": "basic",
    "Pref_easy": "preference_easy",
    "Pref_hard": "preference_hard",
    "Social": "social",
    "Subjective": "subjective",
    "Overall": "overall",
    "All_incl_Subjective": "overall_with_subjective",
}


def test_the_oracle_finds_everything(release: Path) -> None:
    archives = load_personabench(release).archives(0.5)
    scores = summarise_retrieval(evaluate_retrieval(archives, rank_gold, 5))
    assert {(score.recall, score.ndcg) for score in scores.values()} == {(1.0, 1.0)}
    cut = summarise_retrieval(evaluate_retrieval(archives, rank_gold, 2))
    drinks = cut["preference_hard"]
    assert drinks.recall == pytest.approx((2 / 4 + 1) / 2)
    assert drinks.ndcg == pytest.approx(1.0)


def test_groups_and_their_means(release: Path) -> None:
    archives = load_personabench(release).archives(0.0)
    results = evaluate_retrieval(archives, make_ranker(RandomRetriever()), 2)
    scores = summarise_retrieval(results)
    assert tuple(scores) == GROUPS
    counts = {name: score.questions for name, score in scores.items()}
    assert counts == {
        "basic": 3,
        "preference_easy": 1,
        "preference_hard": 2,
        "social": 3,
        "subjective": 1,
        "preference": 3,
        "social_relation": 2,
        "social_two_hop": 1,
        "easy": 6,
        "hard": 3,
        "overall": 9,
        "overall_with_subjective": 10,
    }
    asked = [result for result in results if result.question.question_type != "Subjective"]
    assert scores["overall"].recall == pytest.approx(sum(r.recall for r in asked) / 9)
    assert scores["overall"].ndcg == pytest.approx(sum(r.ndcg for r in asked) / 9)


def test_people_are_searched_in_their_own_sessions_only(release: Path) -> None:
    archives = load_personabench(release).archives(0.5)
    for result in evaluate_retrieval(archives, make_ranker(RandomRetriever()), 99):
        prefix = "007000" if result.question.person == "Ilse Brandt" else "007001"
        assert {session_id[:6] for session_id in result.session_ids} == {prefix}
        assert len(result.session_ids) == (7 if prefix == "007000" else 5)
        assert result.recall == 1.0


def test_k_below_one_is_refused(release: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"k is 0\. Accepted: 1"):
        evaluate_retrieval(load_personabench(release).archives(0.0), rank_gold, 0)


def compare_with_expected(official: Path, name: str, key: str, noise: float, cache: Path) -> None:
    expected = json.loads((official / "expected_retrieval_community_0.json").read_bytes())
    archives = load_personabench(official).archives(noise)
    ranker = make_ranker(make_retriever(name, cache))
    scores = summarise_retrieval(evaluate_retrieval(archives, ranker, 5))
    for category, values in expected[key][str(noise)].items():
        score = scores[EXPECTED_NAMES[category]]
        assert score.questions == values["n"]
        # Expected values are rounded to four decimals.
        assert score.recall == pytest.approx(values["recall"], abs=5.1e-5), category
        assert score.ndcg == pytest.approx(values["ndcg"], abs=5.1e-5), category


@pytest.mark.parametrize("noise", [0.0, 0.3, 0.5, 0.7])
def test_bm25_has_the_published_definition(official: Path, tmp_path: Path, noise: float) -> None:
    compare_with_expected(official, "bm25", "bm25lucene_json", noise, tmp_path)


# The other noise levels come out as expected too, but embedding them takes minutes.
def test_minilm_reproduces_the_paper(official: Path, tmp_path: Path) -> None:
    compare_with_expected(official, "minilm", "minilm_json256", 0.0, tmp_path)


def test_the_official_community_is_read_whole(official: Path) -> None:
    benchmark = load_personabench(official)
    (community,) = benchmark.communities
    assert benchmark.noises == (0.0, 0.3, 0.5, 0.7)
    assert (len(community.people), len(community.relations)) == (10, 22)
    assert len(community.questions) == 436
    sessions = [sum(len(a.sessions) for a in benchmark.archives(n)) for n in benchmark.noises]
    assert sessions == [264, 376, 528, 958]
    for noise in benchmark.noises:
        assert sum(len(archive.questions) for archive in benchmark.archives(noise)) == 133


def test_the_oracle_is_perfect_on_the_official_community(official: Path) -> None:
    benchmark = load_personabench(official)
    for noise in benchmark.noises:
        results = evaluate_retrieval(benchmark.archives(noise), rank_gold, 5)
        assert {(result.recall, result.ndcg) for result in results} == {(1.0, 1.0)}


def test_the_json_form_is_the_official_text(official: Path) -> None:
    folder = official / "synthetic_data/community_0/private_data/noise_0.7"
    for archive in load_personabench(official).archives(0.7):
        expected = []
        for kind in ("conversation", "user_ai_interaction", "purchase_history"):
            people = json.loads((folder / f"{kind}_data_all.json").read_bytes())
            data = next(entry["Data"] for entry in people if entry["Name"] == archive.person.name)
            if kind == "conversation":
                data = [session for part in data for session in part["Conversations"]]
            for session in data:
                del session["session"], session["segment_id"]
                expected.append(json.dumps(session, separators=(",", ":")))
        assert [render_json(session) for session in archive.sessions] == expected
