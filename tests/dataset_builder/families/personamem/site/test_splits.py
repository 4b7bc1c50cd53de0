"""PersonaMem as a site: evidence, roles, answers, facts, and what a release does not state."""

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
from answer_files import make_note, make_row, write_run
from site_files import write_samples
from tiny_dataset import write_official, write_ours
from version2_release import write_release

from personamem.dataset_builder.families.evaluations import read_evaluations
from personamem.dataset_builder.families.personamem.results.reading import read_runs
from personamem.dataset_builder.families.personamem.site.splits import (
    NO_ANNOTATIONS,
    NO_DATES,
    NO_WORLD,
    open_splits,
)
from personamem.dataset_builder.families.samples import read_sample_files
from personamem.dataset_builder.reports.site.records import Fact, Mark, SiteContext
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personamem.dataset import load_personamem


def read_contexts(source: Path, *samples: Path) -> list[SiteContext]:
    (split,) = open_splits(source, "", read_sample_files(samples))
    return list(split.read())


def test_messages_questions_and_evidence_are_those_of_the_dataset(tiny_dataset: Path) -> None:
    data = load_personamem(tiny_dataset, "4k")
    contexts = read_contexts(tiny_dataset)
    assert [context.context_id for context in contexts] == list(data.context_ids)
    shown = {question.question_id: question for each in contexts for question in each.questions}
    assert len(shown) == len(data.questions)
    for question in data.questions:
        annotation = data.evidence_for(question)
        assert annotation is not None
        found = shown[question.question_id]
        assert found.place == question.end_index_in_shared_context
        assert [option.text for option in found.options] == list(question.options)
        assert tuple(option.role for option in found.options) == annotation.option_roles
        assert found.options[question.answer_index].is_gold
        assert sum(option.is_gold for option in found.options) == 1
        assert found.proofs[0].messages == annotation.evidence_message_indices
        assert not set(found.related) & set(found.proofs[0].messages)
        assert found.facets[2] == annotation.level
    for context in contexts:
        messages = data.context(context.context_id)
        assert [turn.text for turn in context.turns] == [each["content"] for each in messages]


def test_facts_say_when_they_held_were_told_and_asked(tiny_dataset: Path) -> None:
    (split,) = open_splits(tiny_dataset, "", [])
    assert split.notes == ()
    for context in split.read():
        assert context.facts
        asked = {m.target for fact in context.facts for m in list_marks(fact) if m.kind == "asked"}
        assert asked == {question.question_id for question in context.questions}
        for fact in context.facts:
            for lane in fact.lanes:
                days = [date.fromisoformat(day) for s in lane.spans for day in (s.start, s.end)]
                assert days == sorted(days)
            for mark in list_marks(fact):
                if mark.kind == "told":
                    assert context.turns[int(mark.target)].role == "user"
    held = [
        [span.is_held for span in lane.spans]
        for context in split.read()
        for fact in context.facts
        for lane in fact.lanes
    ]
    # A preference that came to an end, and the one that followed it.
    assert [True, False] in held
    assert [False, True] in held


def list_marks(fact: Fact) -> Iterator[Mark]:
    return (mark for lane in fact.lanes for mark in lane.marks)


def test_the_span_of_a_current_choice_holds_where_it_is_told(tiny_dataset: Path) -> None:
    for context in read_contexts(tiny_dataset):
        for fact in context.facts:
            for lane in fact.lanes:
                for mark in lane.marks:
                    if mark.text == "the user's own":
                        assert any(
                            span.is_held and span.start <= mark.date <= span.end
                            for span in lane.spans
                        )


def test_without_the_world_facts_are_what_annotations_state(tmp_path: Path) -> None:
    (split,) = open_splits(write_ours(tmp_path / "data"), "", [])
    assert split.notes == (NO_WORLD,)
    context = next(split.read())
    (fact,) = context.facts
    assert [lane.label for lane in fact.lanes] == ["evidence", "other mentions", "questions"]
    assert [mark.target for mark in fact.lanes[0].marks] == [1]
    assert all(not lane.spans for lane in fact.lanes)


def test_a_world_whose_texts_are_not_those_of_the_context_is_not_believed(
    tiny_dataset: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(tiny_dataset, tmp_path / "data"))
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest["config"]["seed"] += 1
    path.write_text(json.dumps(manifest), "utf-8")
    for context in read_contexts(folder):
        assert {lane.label for fact in context.facts for lane in fact.lanes} <= {
            "evidence",
            "other mentions",
            "questions",
        }


@pytest.mark.parametrize("write", [write_official, lambda folder: write_release(folder, rows=8)])
def test_a_release_without_annotations_says_what_is_missing(
    write: Callable[[Path], Path], tmp_path: Path
) -> None:
    splits = list(open_splits(write(tmp_path / "data"), "", []))
    assert splits
    for split in splits:
        assert split.notes == (NO_ANNOTATIONS, NO_DATES)
        for context in split.read():
            assert context.facts == []
            assert all(session.date == "" for session in context.sessions)
            for question in context.questions:
                assert question.proofs == ()
                assert {option.role for option in question.options} == {""}


def test_answers_have_the_role_of_what_was_chosen_wrongly(
    tiny_dataset: Path, tmp_path: Path
) -> None:
    data = load_personamem(tiny_dataset, "4k")
    wrong = write_samples(tmp_path / "one", data.questions, lambda q: (q.answer_index + 1) % 4)
    right = write_samples(tmp_path / "two", data.questions, lambda q: q.answer_index)
    mute = write_samples(tmp_path / "three", data.questions[:1], lambda q: None)
    for context in read_contexts(tiny_dataset, wrong, right, mute):
        for question in context.questions:
            first, second, *rest = question.answers
            assert first.verdict == "wrong"
            assert first.chosen is not None
            assert first.why == question.options[first.chosen].role.replace("_", " ") != ""
            assert (second.verdict, second.why, second.run) == ("right", "", 1)
            for third in rest:
                assert (third.verdict, third.chosen) == ("wrong", None)
                assert third.why == "no letter"


def test_roles_and_causes_are_those_of_the_report(tiny_dataset: Path, tmp_path: Path) -> None:
    links = [(0.5, 0.5), (0.0, 1.0), (1.0, 1.0), (None, None)]
    rows = []
    data = load_personamem(tiny_dataset, "4k")
    for number, question in enumerate(data.questions):
        annotation = data.evidence_for(question)
        assert annotation is not None
        letter = None if number == 3 else "abcd"[number % 4]
        row = make_row(number, letter, option_roles=list(annotation.option_roles))
        row["doc"]["question_id"] = question.question_id
        row["acc"] = float(letter == "abcd"[question.answer_index])
        row["arguments"] = {"gen_args_0": {"arg_0": {"split": "4k", "condition": "memory"}}}
        row["evidence_recall"] = make_note("bm25", *links[number % len(links)])
        rows.append(row)
    write_run(tmp_path, rows)
    ((run,), _) = read_runs(read_evaluations([tmp_path]))
    (samples,) = tmp_path.glob("samples_*.jsonl")
    shown = {
        question.question_id: question.answers[0]
        for context in read_contexts(tiny_dataset, samples)
        for question in context.questions
    }
    wrong = [answer for answer in run.answers if not answer.score]
    assert len({answer.memory and answer.memory.cause for answer in wrong}) == 4
    for answer in run.answers:
        found = shown[answer.question_id]
        assert answer.memory is not None
        if answer.score:
            assert (found.why, found.cause) == ("", "")
        else:
            assert found.why == answer.role.replace("_", " ") != ""
            assert found.cause == answer.memory.cause


def test_samples_of_which_only_some_belong_are_refused(tiny_dataset: Path, tmp_path: Path) -> None:
    path = write_samples(tmp_path, load_personamem(tiny_dataset, "4k").questions, lambda q: 0)
    lines = path.read_text("utf-8").splitlines()
    row = json.loads(lines[0])
    row["doc"]["question_id"] = "elsewhere"
    path.write_text("\n".join([*lines, json.dumps(row)]) + "\n")
    with pytest.raises(InvalidInputError, match=r"another dataset or split.*'elsewhere'"):
        list(open_splits(tiny_dataset, "", read_sample_files([path])))
