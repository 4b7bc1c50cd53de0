"""Open questions as a site: documents as sessions, values with the documents that reveal them."""

import json
from pathlib import Path

import pytest
from tiny_release import write_release

from personamem.dataset_builder.families.personabench.site import open_splits
from personamem.dataset_builder.families.samples import read_sample_files
from personamem.dataset_builder.reports.site.records import SiteSplit
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personabench import load_personabench


def check_split(split: SiteSplit, source: Path, noise: float) -> None:
    archives = load_personabench(source).archives(noise)
    contexts = list(split.read())
    assert [context.label for context in contexts] == [each.person.name for each in archives]
    for context, archive in zip(contexts, archives, strict=True):
        dates = [session.date for session in context.sessions]
        assert dates == sorted(dates)
        starts = {session.start for session in context.sessions}
        assert len(starts) == len(archive.sessions)
        for question, asked in zip(context.questions, archive.questions, strict=True):
            assert [proof.value for proof in question.proofs] == [v.value for v in asked.gold]
            assert {index for proof in question.proofs for index in proof.messages} <= starts
            assert question.place == len(context.turns)


def test_every_noise_level_of_ours_is_shown(tiny_of_every_family: Path) -> None:
    splits = list(open_splits(tiny_of_every_family, "", []))
    assert [split.name for split in splits] == ["noise_0", "noise_03", "noise_05", "noise_07"]
    check_split(splits[2], tiny_of_every_family, 0.5)


def test_the_official_release_is_shown(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    splits = list(open_splits(folder, "", []))
    assert [split.name for split in splits] == ["noise_0", "noise_05"]
    for split, noise in zip(splits, (0.0, 0.5), strict=True):
        check_split(split, folder, noise)


def test_a_folder_without_documents_has_nothing_to_show(tmp_path: Path) -> None:
    assert list(open_splits(tmp_path, "", [])) == []


def test_answers_have_scores_and_a_verdict(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    asked = [q for a in load_personabench(folder).archives(0.0) for q in a.questions][:3]
    path = tmp_path / "samples_open_2026.jsonl"
    lines = [
        {
            "doc": {"question_id": each.question.question_id},
            "arguments": {"gen_args_0": {"arg_0": {"split": "noise_0", "condition": "oracle"}}},
            "resps": [["something"]],
            "recall": f1,
            "f1": f1,
        }
        for each, f1 in zip(asked, (0.0, 0.5, 1.0), strict=True)
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    splits = list(open_splits(folder, "", read_sample_files([path])))
    # The samples say which level they are of.
    assert [[run.condition for run in split.runs] for split in splits] == [["oracle"], []]
    answers = [a for c in splits[0].read() for q in c.questions for a in q.answers]
    assert [answer.verdict for answer in answers] == ["wrong", "partly", "right"]
    lines[0]["doc"] = {"question_id": "elsewhere"}
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    with pytest.raises(InvalidInputError, match="another dataset or split"):
        list(open_splits(folder, "", read_sample_files([path])))
