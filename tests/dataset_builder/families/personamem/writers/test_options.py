"""The options that a model writes: what is accepted, what is refused, what reaches the files."""

import csv
import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from dataset_edits import DatasetEdit
from scripted_model import ScriptedModel
from tiny_families import hash_files
from writing_server import (
    asks_for_options,
    pack_options,
    pack_turns,
    write_options_well,
    write_well,
)

from personamem.dataset_builder.audit.parts import AuditSource
from personamem.dataset_builder.core.config import BuildConfig
from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.personamem.config import configure
from personamem.dataset_builder.families.personamem.texts import lay_out_options
from personamem.dataset_builder.families.personamem.world.cohort import build_cohort
from personamem.dataset_builder.families.personamem.writers.model.items import OptionsItem
from personamem.dataset_builder.llm import AnswerStore
from personamem.dataset_builder.llm.writing.prose import RejectedTextError
from personamem.dataset_builder.packaging.build import build_dataset
from personamem.dataset_builder.packaging.generated_text import GeneratedText, generate_text
from personamem.loaders.formats import schema
from personamem.loaders.formats.manifest import read_manifest

pytestmark = pytest.mark.system

CONFIG = make_config(
    writer="openai",
    model={"name": "scripted"},
    families={"personamem": {"sizes": ["4k"], "personas": 4}},
)
QUADS, WORDINGS = 8, 7
"""Of ``CONFIG``: two quads are a pair, asked before and after an update."""


def write_all(
    config: BuildConfig, path: Path, answer: Callable[[str], str]
) -> tuple[GeneratedText, int]:
    """Have sessions written well and options by ``answer``; count the requests for options."""

    def answer_all(prompt: str) -> str:
        if asks_for_options(prompt):
            return answer(prompt)
        return pack_turns(write_well(prompt))

    model = ScriptedModel(answer_all)
    with AnswerStore(path) as store:
        script = generate_text(config, store, model)
    return script, sum(map(asks_for_options, model.prompts))


def write_json(prompt: str) -> str:
    return pack_options(write_options_well(prompt))


@dataclass(frozen=True)
class Written:
    folder: Path
    store: Path
    script: GeneratedText
    asked: int


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A dataset whose options are all a model's."""
    folder = tmp_path_factory.mktemp("written")
    script, asked = write_all(CONFIG, folder / "store", write_json)
    build_dataset(CONFIG, folder / "dataset", 1, generated=script)
    return Written(folder / "dataset", folder / "store", script, asked)


def test_each_wording_is_asked_for_once_and_counted(written: Written) -> None:
    counts = written.script.writer.items["options"]
    assert counts.total == counts.written == written.asked == WORDINGS
    assert counts.fallbacks == counts.rewritten == 0
    assert len(written.script.texts["personamem"].options_of("4k", 0)) == QUADS
    assert read_manifest(written.folder / "manifest.json").writer.items["options"] == counts


def test_four_personas_and_both_quads_of_a_pair_share_what_was_written(written: Written) -> None:
    with (written.folder / "questions_4k.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    golds: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        texts = json.loads(row["all_options"])
        assert all("Well: " in text or "your own way" in text for text in texts)
        golds[row["user_question_or_message"], row["all_options"]].append(row["correct_answer"])
    letters = [f"({letter})" for letter in schema.LETTERS]
    assert sorted(map(len, golds.values())) == [4] * (WORDINGS - 1) + [8]
    assert all(sorted(set(found)) == letters for found in golds.values())


def test_a_dataset_with_written_options_passes_the_audit(written: Written) -> None:
    audited = AuditSource(written.folder).audit_part("4k", ("4k",))
    assert {finding.check for finding in audited.failures if finding.section != "text"} == set()
    assert all(row.passed for row in audited.baselines["blind"])


def test_the_store_makes_the_same_bytes_again_without_a_server(
    written: Written, tmp_path: Path
) -> None:
    with AnswerStore(written.store) as store:
        script = generate_text(CONFIG, store)
    build_dataset(CONFIG, tmp_path / "again", 1, generated=script)
    assert hash_files(tmp_path / "again") == hash_files(written.folder)


def test_refused_options_are_written_anew_with_the_reason_and_then_left_to_the_templates(
    tmp_path: Path,
) -> None:
    prompts = []

    def answer(prompt: str) -> str:
        prompts.append(prompt)
        texts = write_options_well(prompt)
        if "what suits the user now" in prompt:
            texts[1] += " Your brother would agree with me on that."
        elif "This is attempt" not in prompt:
            texts = texts[:3]
        return pack_options(texts)

    script, asked = write_all(CONFIG, tmp_path / "store", answer)
    counts = script.writer.items["options"]
    assert (counts.written, counts.rewritten, counts.fallbacks) == (6, 6, 1)
    assert counts.refusals_by_reason["form of the answer"] == 6
    assert sum(counts.fallbacks_by_reason.values()) == 1
    assert asked == 2 * 6 + 4
    assert any('- The answer lacked the field "reply 4".' in prompt for prompt in prompts)
    build_dataset(CONFIG, tmp_path / "dataset", 1, generated=script)
    text = (tmp_path / "dataset" / "questions_4k.csv").read_text("utf-8")
    assert "brother would agree" not in text
    assert text.count(schema.RECOMMEND) == 4


def pieces(config: BuildConfig) -> dict[str, OptionsItem]:
    assert config.model is not None
    found = lay_out_options(configure(config), config.model)
    return {quads.quad_ids[0]: piece for quads, piece in found}


def test_natural_options_of_every_type_are_accepted(project_root: Path) -> None:
    source = project_root / "tests" / "fixtures" / "written_options.yaml"
    section = {"sizes": ["4k"], "personas": 8, "questions": 64}
    config = make_config(
        seed=5, writer="openai", model={"name": "strong"}, families={"personamem": section}
    )
    found, seen = pieces(config), set()
    for quad_id, texts in yaml.safe_load(source.read_text("utf-8")).items():
        answer = "Here they are:\n```json\n" + pack_options(texts) + "\n```"
        assert found[quad_id].read(answer) == tuple(texts)
        seen.add(found[quad_id].brief.question_type)
        with pytest.raises(RejectedTextError):
            found[quad_id].read(pack_options(texts[::-1]))
    assert seen == set(schema.QUESTION_TYPES)


def of_type(question_type: str) -> OptionsItem:
    return next(
        piece for piece in pieces(CONFIG).values() if piece.brief.question_type == question_type
    )


def edit_first(piece: OptionsItem, edit: Callable[[str], str]) -> str:
    prompt = piece.request().messages[1]["content"]
    texts = write_options_well(prompt)
    return pack_options([edit(texts[0]), *texts[1:]])


LONG_MORE = "So go for it and have fun with it."
NO_VALUE = (
    "Well: that is what you go for as things stand, so go for it, and have a very good time with "
    "it for as long as you wish."
)
NO_TRAIT = "Go about it in the manner that is the best for yourself and for all that is to come."
REFUSED = (
    (schema.ACKNOWLEDGE, "(a) {}", "held a label"),
    (schema.ACKNOWLEDGE, "B. {}", "held a label"),
    (schema.ACKNOWLEDGE, "Option 1: {}", "held a label"),
    (schema.ACKNOWLEDGE, "**{}**", "held a label"),
    (schema.ACKNOWLEDGE, '"{}"', "held a label"),
    (schema.ACKNOWLEDGE, "{}<b>", "held markup"),
    (schema.ACKNOWLEDGE, "{} {{{{ 7 }}}}", "held markup"),
    (schema.ACKNOWLEDGE, "so: {}", "begin with a capital"),
    (schema.ACKNOWLEDGE, f"{{}} {LONG_MORE}", "the longest may have 1.25 times"),
    (schema.ACKNOWLEDGE, "{}" + "x" * 2_000_000, "letters; accepted are"),
    (schema.ACKNOWLEDGE, "", "letters; accepted are"),
    (schema.ACKNOWLEDGE, NO_VALUE, "did not hold"),
    (schema.ACKNOWLEDGE, "{} You used to.", "speaks of an earlier taste"),
    (schema.ACKNOWLEDGE, "{} I think.", "sounds unsure.*write all four alike"),
    (schema.ACKNOWLEDGE, "{} Surely.", "sounds certain"),
    (schema.ACKNOWLEDGE, "{} Right?", "question mark"),
    (schema.RECALL, "{} Almost.", "almost did"),
    (schema.RECALL, "{} Not me.", "holds a negation.*None may"),
    (schema.RECOMMEND, "{} Ask a cousin.", "speaks of other people"),
    (schema.REASONS, "{} It felt bad, now.", "points to the present"),
    (schema.EVOLUTION, "{} You love it.", "word of opinion"),
    (schema.EVOLUTION, "Earlier. {}", "another order"),
    (schema.EVOLUTION, "Ended. {} First.", "the first time behind the last"),
    (schema.GENERALIZE, NO_TRAIT, "made plain by"),
)


@pytest.mark.parametrize(("question_type", "edit", "reason"), REFUSED, ids=range(len(REFUSED)))
def test_options_that_break_a_rule_are_refused(question_type: str, edit: str, reason: str) -> None:
    piece = of_type(question_type)
    assert len(piece.read(edit_first(piece, str))) == 4
    with pytest.raises(RejectedTextError, match=reason):
        piece.read(edit_first(piece, edit.format))


def test_a_name_a_foreign_value_and_a_second_mention_are_refused() -> None:
    piece = of_type(schema.ACKNOWLEDGE)
    brief = piece.brief
    own, other = (option.holds[0][0] for option in brief.options[:2])
    values = {option.holds[0][0].lower() for option in brief.options}
    strange = [name for name in brief.barred if not any(value in name for value in values)]
    foreign = min(strange, key=lambda name: (len(name), name))
    first_name = build_cohort(CONFIG.seed, 0).personas[2].first_name
    for addition, reason in (
        (own, "once more"),
        (other, "of another option"),
        (foreign, "which is not its own"),
        (first_name, "a person's name"),
    ):
        with pytest.raises(RejectedTextError, match=reason):
            piece.read(edit_first(piece, lambda text, more=addition: f"{text[:-1]}, {more}."))


def test_what_the_audit_reads_is_held_to_the_same_briefs(written: Written, tmp_path: Path) -> None:
    def swap_two(edit: DatasetEdit) -> str:
        first = edit.benchmark[0]["options"]
        for row in edit.benchmark:
            if row["options"] == first:
                edit.set_options(row, [first[1], first[0], *first[2:]])
        return "wording"

    def reword_half_a_pair(edit: DatasetEdit) -> str:
        quad_id = next(note["quad_id"] for note in edit.annotations if note["pair_id"])
        for row in edit.benchmark:
            if edit.note_of(row)["quad_id"] == quad_id:
                edit.set_options(row, [f"So. {text}" for text in row["options"]])
        return "pairs"

    for number, mutate in enumerate((swap_two, reword_half_a_pair)):
        edit = DatasetEdit(written.folder, tmp_path / str(number), "4k")
        check = mutate(edit)
        audited = AuditSource(edit.save()).audit_part("4k", ("4k",), ("longest",))
        failed = {each.check for each in audited.failures if each.section == "truth"}
        assert failed == {check}
