"""Releases that cannot be used: one error that names the file, the value and what is accepted."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_release import edit_json

from personamem.loaders.formats.errors import DatasetError, DatasetNotFoundError, InvalidInputError
from personamem.loaders.personabench import load_personabench

GRAPH = "graph_json/social_graph.json"
QUESTIONS = "eval_info/eval_info_all.json"
GOLD = "eval_info/qa_gt_context_all_noise_0.5.json"
CONVERSATIONS = "private_data/noise_0.5/conversation_data_all.json"
CHATS = "private_data/noise_0.5/user_ai_interaction_data_all.json"
PURCHASES = "private_data/noise_0.5/purchase_history_data_all.json"


def read_all(release: Path) -> None:
    benchmark = load_personabench(release)
    for noise in benchmark.noises:
        benchmark.archives(noise)


@pytest.mark.parametrize("name", [GRAPH, QUESTIONS, GOLD, CONVERSATIONS, CHATS, PURCHASES])
@pytest.mark.parametrize("damage", ["missing", "cut off", "another form"])
def test_a_file_that_is_missing_or_damaged(
    release: Path, community: Path, name: str, damage: str
) -> None:
    path = community / name
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-9] if damage == "cut off" else b'{"a": 1}')
    with pytest.raises(DatasetError) as caught:
        read_all(release)
    assert str(path) in str(caught.value)
    if damage == "missing":
        assert "is missing" in str(caught.value)


def conversation_of(content: Any) -> Any:
    return content[0]["Data"][0]["Conversations"][0]


def question_of(content: Any, number: int = 0) -> Any:
    return content[0]["Eval_Info"]["qa"][number]


@pytest.mark.parametrize(
    ("name", "change", "parts"),
    [
        (CONVERSATIONS, lambda c: conversation_of(c).pop("time"), ["time", "required"]),
        (
            CONVERSATIONS,
            lambda c: conversation_of(c).update(time="14.10.2024"),
            ["14.10.2024", "2024/Oct/14/07:44 AM"],
        ),
        (CHATS, lambda c: c[0]["Data"][0].update(time=None), ["None", "[0].Data[0].time"]),
        (CHATS, lambda c: c[0]["Data"][0].update(mood="calm"), ["mood", "calm"]),
        (CHATS, lambda c: c.pop(), ["Ilse Brandt, Omar Said", "documents of Ilse Brandt"]),
        (PURCHASES, lambda c: c[1].update(Name="Piet Vos"), ["Piet Vos", "Omar Said"]),
        (
            PURCHASES,
            lambda c: c[0]["Data"][0].update(segment_id="007000000000"),
            ["'007000000000'", "twice"],
        ),
        (
            GOLD,
            lambda c: c[0].update(segment_id={"Bell foundry": ["007000000099"]}),
            ["'007000000000'", "'007000000099'", "does not exist", "Accepted: the 7 sessions"],
        ),
        (
            GOLD,
            lambda c: c[0].update(segment_id={"Bell foundry": ["007001000000"]}),
            ["'007001000000'", "of 'Ilse Brandt'"],
        ),
        (GOLD, lambda c: c[0].update(segment_id={"Bell foundry": []}), ["Bell foundry", "1 item"]),
        (GOLD, lambda c: c[0].update(segment_id={}), ["segment_id", "1 item"]),
        (GOLD, lambda c: c.pop(0), ["lacks question '007000000'", "Ilse Brandt"]),
        (GOLD, lambda c: c.append(c[0]), ["'007000000'", "twice"]),
        (GOLD, lambda c: c[0].update(answer="Bakery"), ["Bakery", "Bell foundry"]),
        (GOLD, lambda c: c[-1].update(q_id="007003000"), ["lacks question '007001001'"]),
        (QUESTIONS, lambda c: question_of(c).update(answer=None), ["answer", "a number", "None"]),
        (QUESTIONS, lambda c: question_of(c).update(answer=[]), ["answer", "found []"]),
        (QUESTIONS, lambda c: question_of(c).update(answer=""), ["answer", "found ''"]),
        (QUESTIONS, lambda c: question_of(c).update(answer=True), ["answer", "found True"]),
        (QUESTIONS, lambda c: question_of(c).update(answer=[["a"]]), ["answer", "[['a']]"]),
        (
            QUESTIONS,
            lambda c: question_of(c).update(type="Hobby"),
            ["'Hobby'", "'Preference'"],
        ),
        (QUESTIONS, lambda c: question_of(c).update(difficulty="mid"), ["'mid'", "'easy' or"]),
        (QUESTIONS, lambda c: question_of(c, 1).update(q_id="007000000"), ["'007000000'", "twice"]),
        (QUESTIONS, lambda c: c[0].update(Name="Nobody"), ["'Nobody'", "Accepted: Ilse Brandt"]),
        (GRAPH, lambda c: c["edges"][0].update(target=9), ["node 9", "Accepted: 1, 2, 3, 4"]),
        (
            GRAPH,
            lambda c: c["nodes"][1]["properties"].update(name="Ilse Brandt"),
            ["'Ilse Brandt'", "twice"],
        ),
    ],
)
def test_a_file_with_a_value_that_cannot_be(
    release: Path, community: Path, name: str, change: Callable[[Any], object], parts: list[str]
) -> None:
    edit_json(community / name, change)
    with pytest.raises(DatasetError) as caught:
        read_all(release)
    for part in (str(community), *parts):
        assert part in str(caught.value)


def test_a_person_without_a_session(release: Path, community: Path) -> None:
    for name in (CONVERSATIONS, CHATS, PURCHASES):
        edit_json(community / name, lambda content: content[1].update(Data=[]))
    with pytest.raises(DatasetError, match=r"noise_0\.5 holds not a single session of 'Omar Said'"):
        read_all(release)


def test_gold_of_somebody_without_documents(release: Path, community: Path) -> None:
    for name in (CONVERSATIONS, CHATS, PURCHASES):
        edit_json(community / name, list.pop)
    with pytest.raises(DatasetError, match=r"grounds question '007001000'.*Accepted: .*Ilse"):
        read_all(release)


def test_an_unknown_noise_level_names_those_there_are(release: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"0\.3.*Accepted: 0\.0, 0\.5"):
        load_personabench(release).archives(0.3)


def test_a_noise_level_that_one_community_lacks(release: Path, community: Path) -> None:
    other = community.with_name("community_8")
    shutil.copytree(community, other)
    shutil.rmtree(other / "private_data/noise_0.5")
    benchmark = load_personabench(release)
    assert len(benchmark.archives(0.0)) == 4
    with pytest.raises(DatasetError, match=r"community_8/.*conversation.*is missing"):
        benchmark.archives(0.5)


def test_a_folder_that_is_no_release(release: Path, community: Path, tmp_path: Path) -> None:
    with pytest.raises(DatasetNotFoundError, match="No dataset folder"):
        load_personabench(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DatasetError, match="not a PersonaBench release"):
        load_personabench(tmp_path / "empty")
    shutil.rmtree(community / "private_data")
    with pytest.raises(DatasetError, match="noise_"):
        load_personabench(release)
