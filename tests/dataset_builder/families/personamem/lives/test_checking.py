"""Texts go out to readers, and their answers become the record."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from personamem.dataset_builder.cli.app import app
from personamem.dataset_builder.families.personamem.lives import bank, command
from personamem.dataset_builder.families.personamem.lives.checking import (
    group_answers,
    make_requests,
    read_batch,
    record_answers,
)
from personamem.dataset_builder.families.personamem.lives.need import Need, list_needs, load_need
from personamem.dataset_builder.families.personamem.lives.readings import (
    NUM_READERS,
    STANCES,
    find_unproven,
    hash_artefact,
    load_readings,
    locate_readings,
)
from personamem.loaders.formats.errors import InvalidInputError

NEED_ID = ("travelPlanning", "stay")
SOURCE = next(path for path in list_needs() if path.stem == "stay")


@pytest.fixture
def need() -> Need:
    return load_need(SOURCE)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "travelPlanning"
    folder.mkdir()
    (folder / "stay.yaml").write_bytes(SOURCE.read_bytes())
    return folder / "stay.yaml"


def answer(need: Need, prompt: str, wrong: str = "") -> str:
    """What a reader answers who understands everything but the artefact at the place ``wrong``."""
    key = {
        hash_artefact(artefact)[:10]: (place, choice.key)
        for choice in need.choices
        for place, artefact in choice.list_implied()
    }
    names = {choice.name: choice.key for choice in need.choices}
    letters = {
        names[name]: letter
        for letter, name in re.findall(r"^([A-H])\. This person (.*)\.$", prompt, re.MULTILINE)
    }
    lines = []
    for label in re.findall(r"^### (\w+)$", prompt, re.MULTILINE):
        place, choice = key[label]
        stance = STANCES[place.split(".")[1]]
        if place == wrong:
            stance = "over" if stance != "over" else "now"
        lines.append(f"{label} {letters[choice]} {stance} 7")
    return "\n".join(lines)


def test_a_need_that_all_readers_understand_is_proven(need: Need, path: Path) -> None:
    requests = make_requests({NEED_ID: (need, None)})
    assert [request.name for request in requests] == [
        f"travelPlanning/stay/reader-{number}" for number in range(1, NUM_READERS + 1)
    ]
    texts = [answer(need, request.prompt) for request in requests]
    record_answers(path, NEED_ID, need, None, texts, "three people")
    readings = load_readings(path)
    assert readings.readers == "three people"
    assert find_unproven(need, readings) == []
    assert make_requests({NEED_ID: (need, readings)}) == []


def test_requests_hide_the_key_and_differ_by_reader(need: Need) -> None:
    one, other, _ = make_requests({NEED_ID: (need, None)})
    assert one.prompt != other.prompt
    shown = one.prompt.split("###", 1)[1]
    for choice in need.choices:
        assert choice.name not in shown
    assert not re.search(r"\{\w+", one.prompt)


def test_what_was_misread_is_read_again_and_the_old_text_is_kept_as_rejected(
    need: Need, path: Path
) -> None:
    wrong = f"{need.choices[0].key}.endings.1"
    requests = make_requests({NEED_ID: (need, None)})
    texts = [answer(need, request.prompt) for request in requests]
    texts[2] = answer(need, requests[2].prompt, wrong)
    record_answers(path, NEED_ID, need, None, texts, "three people")
    old = load_readings(path)
    (problem,) = find_unproven(need, old)
    assert problem.startswith(f"{wrong}: read as ")
    data = need.model_dump(by_alias=True)
    data["choices"][0]["endings"][1]["ask"] += " And that's the end of it."
    mended = Need.model_validate(data)
    requests = make_requests({NEED_ID: (mended, old)})
    assert [request.prompt.count("###") for request in requests] == [1, 1, 1]
    texts = [answer(mended, request.prompt) for request in requests]
    record_answers(path, NEED_ID, mended, old, texts, "three people")
    readings = load_readings(path)
    assert find_unproven(mended, readings) == []
    (rejected,) = readings.rejected
    assert rejected.place == wrong
    assert rejected.sha256 == hash_artefact(need.choices[0].endings[1])


def test_an_answer_that_leaves_out_a_text_is_refused(need: Need, path: Path) -> None:
    requests = make_requests({NEED_ID: (need, None)})
    texts = [answer(need, request.prompt) for request in requests]
    texts[1] = texts[1].split("\n", 1)[1]
    with pytest.raises(InvalidInputError, match=r"stay/reader-2: 1 of \d+ texts have no line"):
        record_answers(path, NEED_ID, need, None, texts, "three people")
    assert not locate_readings(path).exists()


def test_an_answer_on_a_text_nobody_asked_about_is_refused(need: Need, path: Path) -> None:
    requests = make_requests({NEED_ID: (need, None)})
    texts = [answer(need, request.prompt) for request in requests]
    texts[0] += "\n0123456789 A now 7"
    with pytest.raises(InvalidInputError, match=r"nobody asked about a text '0123456789'"):
        record_answers(path, NEED_ID, need, None, texts, "three people")


def test_an_answer_to_a_request_nobody_made_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"nobody made a request 'a/b/reader-1'"):
        list(group_answers({"a/b/reader-1": ""}, [NEED_ID], tmp_path))
    with pytest.raises(InvalidInputError, match=r"no answer to 'travelPlanning/stay/reader-2'"):
        list(group_answers({"travelPlanning/stay/reader-1": ""}, [NEED_ID], tmp_path))


@pytest.mark.parametrize(
    "line",
    ["{", "[]", '{"custom_id": "x"}', '{"custom_id": 1, "text": "x"}', '{"text": "x"}'],
)
def test_a_line_that_is_no_answer_is_named(line: str, tmp_path: Path) -> None:
    batch = tmp_path / "answers.jsonl"
    batch.write_text(f'{{"custom_id": "y", "text": ""}}\n{line}\n', "utf-8")
    with pytest.raises(InvalidInputError, match=r"answers.jsonl, line 2: no answer of a batch"):
        read_batch(batch)


def test_batch_outputs_are_read(tmp_path: Path) -> None:
    batch = tmp_path / "answers.jsonl"
    body = {"choices": [{"message": {"content": "yes"}}]}
    batch.write_text(json.dumps({"custom_id": "y", "response": {"body": body}}) + "\n", "utf-8")
    assert read_batch(batch) == {"y": "yes"}


def test_the_command_writes_requests_and_takes_answers(
    need: Need, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "list_need_ids", lambda: (NEED_ID,))
    monkeypatch.setattr(command, "locate_need", lambda need_id: path)
    run, out = CliRunner(), tmp_path / "batch.jsonl"
    assert run.invoke(app, ["content", "check"]).exit_code == 1
    assert run.invoke(app, ["content", "check", "--out", str(out)]).exit_code == 0
    requests = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    answers = tmp_path / "answers.jsonl"
    answers.write_text(
        "".join(
            json.dumps(
                {
                    "custom_id": request["custom_id"],
                    "text": answer(need, request["body"]["messages"][0]["content"]),
                }
            )
            + "\n"
            for request in requests
        ),
        "utf-8",
    )
    missing = run.invoke(app, ["content", "check", "--answers", "nowhere", "--readers", "people"])
    assert missing.exit_code == 2
    assert "does not exist" in " ".join(missing.output.split())
    words = ["content", "check", "--answers", str(answers)]
    assert run.invoke(app, words).exit_code == 2
    assert run.invoke(app, [*words, "--readers", "three people"]).exit_code == 0
    assert run.invoke(app, ["content", "check"]).exit_code == 0


def test_a_build_refuses_a_text_that_was_changed(
    path: Path, need: Need, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = make_requests({NEED_ID: (need, None)})
    texts = [answer(need, request.prompt) for request in requests]
    record_answers(path, NEED_ID, need, None, texts, "three people")
    text = path.read_text("utf-8")
    line = need.choices[2].artefacts[1].ask.splitlines()[0]
    assert line in text
    path.write_text(text.replace(line, f"{line} Thank you", 1), "utf-8")
    monkeypatch.setattr(bank, "locate_need", lambda need_id: path)
    bank.get_need.cache_clear()
    try:
        with pytest.raises(
            InvalidInputError, match=r"stay.yaml: \w+.artefacts.1: its text was changed.*--out"
        ):
            bank.require_proof.__wrapped__((NEED_ID,))
    finally:
        bank.get_need.cache_clear()
