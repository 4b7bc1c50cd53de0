"""What every family of the registry keeps to, and one that is added by a folder and one line."""

import re
import shutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from calling import call
from datasets import get_dataset_config_names, get_dataset_split_names, load_dataset
from tiny_families import hash_files, make_once, make_tiny_config, read_tiny_section
from typer.testing import CliRunner

from personamem.cards import render_card
from personamem.dataset_builder.audit.parts import AuditSource
from personamem.dataset_builder.audit.whole import WHOLE
from personamem.dataset_builder.cli.family_options import add_family_options, merge_sections
from personamem.dataset_builder.families.base import Family
from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.registry import (
    describe_cards,
    get_family,
    list_imports,
)
from personamem.dataset_builder.packaging.build import build_dataset
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.manifest import check_file, read_manifest
from personamem.loaders.formats.registry import FAMILIES, FamilyModules
from personamem.tasks.registry import TASKS_FOLDER, find_family, list_task_families

pytestmark = pytest.mark.system

ADDED = "sums"
NEW_FAMILY = Path(__file__).parents[2] / "fixtures" / "new_family"


@pytest.fixture(params=[*FAMILIES, ADDED])
def family(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Family:
    """Each family; the added one is a package elsewhere, and one more line in the registry."""
    if request.param == ADDED:
        monkeypatch.syspath_prepend(NEW_FAMILY)
        monkeypatch.setitem(FAMILIES, ADDED, FamilyModules("sums.family", "sums.tasks"))
    return get_family(request.param)


@pytest.fixture
def built(family: Family, shared_folder: Path) -> Path:
    """A tiny dataset of the family alone, built by one process. Read-only."""
    config = make_tiny_config(family.name)
    return make_once(
        shared_folder / "families" / family.name,
        lambda folder: build_dataset(config, folder, workers=1),
    )


def find_splits(built: Path, family: Family) -> tuple[str, ...]:
    return read_manifest(built / "manifest.json").splits_of(family.name)


def test_the_manifest_records_what_was_built(family: Family, built: Path) -> None:
    manifest = read_manifest(built / "manifest.json")
    assert list(manifest.families) == [family.name]
    assert manifest.families[family.name].splits
    assert manifest.families[family.name].checks
    assert {*manifest.files, "README.md", "manifest.json"} == set(hash_files(built))
    for name in manifest.files:
        check_file(manifest, name, built / name)


@pytest.mark.system
def test_any_number_of_workers_gives_the_same_files(
    family: Family, built: Path, tmp_path: Path
) -> None:
    build_dataset(make_tiny_config(family.name), tmp_path / "again", workers=2)
    assert hash_files(tmp_path / "again") == hash_files(built)


@pytest.mark.parametrize("family", list(FAMILIES), indirect=True)
def test_a_family_is_built_beside_the_others_as_alone(
    family: Family, built: Path, tiny_of_every_family: Path
) -> None:
    together = hash_files(tiny_of_every_family)
    for name, digest in hash_files(built).items():
        if "/" in name:
            assert together[name] == digest, name


def test_another_seed_gives_other_questions(family: Family, built: Path, tmp_path: Path) -> None:
    build_dataset(make_tiny_config(family.name, seed=1), tmp_path / "other", workers=1)
    found, other = hash_files(built), hash_files(tmp_path / "other")
    assert found.keys() == other.keys()
    (card,) = describe_cards(read_manifest(built / "manifest.json"))
    drawn = tuple(f"{table.name}/" for table in card.tables if not table.fixed)
    assert drawn
    assert all(
        found[name] != other[name]
        for name in found
        if name.endswith(".parquet") and name.startswith(drawn)
    )


def test_every_table_of_the_card_is_loaded_by_datasets(family: Family, built: Path) -> None:
    (card,) = describe_cards(read_manifest(built / "manifest.json"))
    assert card.name == family.name
    assert card.slots
    assert set(card.splits) == set(find_splits(built, family))
    assert get_dataset_config_names(str(built)) == [table.name for table in card.tables]
    for table in card.tables:
        assert get_dataset_split_names(str(built), table.name) == list(card.splits)
        for split in card.splits:
            rows = load_dataset(str(built), table.name, split=split)
            assert rows.num_rows > 0
            assert rows.column_names == [field.name for field in table.fields]


def test_the_card_has_a_section_of_the_family(family: Family, built: Path) -> None:
    manifest = read_manifest(built / "manifest.json")
    (card,) = describe_cards(manifest)
    text = (built / "README.md").read_text("utf-8")
    assert text == render_card(manifest, [card])
    for slot in card.slots.values():
        assert slot.strip() in text
    for table in card.tables:
        assert all(f"`{field.name}`" in text for field in table.fields)
    (published,) = describe_cards(manifest, "own/bench")
    assert "own/bench@v1.0.0" in render_card(manifest, [published], repo_id="own/bench")


def test_pictures_of_the_card_are_small_files_that_need_nothing_else(
    family: Family, built: Path
) -> None:
    manifest = read_manifest(built / "manifest.json")
    (card,) = describe_cards(manifest)
    text = (built / "README.md").read_text("utf-8")
    found = sorted(path.relative_to(built).as_posix() for path in built.glob("pictures/*"))
    assert found == sorted(picture.path for picture in card.pictures)
    assert bool(found) == (family.name != ADDED)
    for picture in card.pictures:
        assert (built / picture.path).read_text("utf-8") == picture.svg
        assert f"]({picture.path})\n" in text
        assert len(picture.svg.encode()) < 60_000
        svg = ElementTree.fromstring(picture.svg)
        width, height = (float(svg.get(side, "0")) for side in ("width", "height"))
        for element in svg.iter():
            assert float(element.get("x", "0")) <= width
            assert float(element.get("y", "0")) <= height
        style = svg.findtext("{http://www.w3.org/2000/svg}style") or ""
        assert "prefers-color-scheme: dark" in style
        assert not re.search(r"url\(|@import|href", picture.svg)


def test_every_part_passes_its_audit(family: Family, built: Path) -> None:
    source = AuditSource(built)
    assert source.parts == [WHOLE, *family.list_parts(built)]
    assert len(source.parts) > 1
    for part in source.parts:
        audited = source.audit_part(part, source.parts, ("longest", "shortest"))
        assert audited.questions > 0 or part == WHOLE
        assert audited.findings
        assert audited.failures == ()


def test_a_file_that_was_changed_is_refused(family: Family, built: Path, tmp_path: Path) -> None:
    (card,) = describe_cards(read_manifest(built / "manifest.json"))
    split = find_splits(built, family)[0]
    folder = Path(shutil.copytree(built, tmp_path / "data"))
    path = folder / card.tables[0].name / f"{split}.parquet"
    path.write_bytes(path.read_bytes()[:-1] + b"X")
    done = call("show", folder, "--split", split)
    assert done.returncode == 2
    assert f"{path} was changed or cut off" in done.stderr


@pytest.fixture
def load_task(family: Family, built: Path) -> Callable[[str], Any]:
    """A function that loads a task by its name, as ``lm_eval --tasks NAME --metadata`` does."""
    from lm_eval.tasks import TaskManager

    folder = NEW_FAMILY if family.name == ADDED else TASKS_FOLDER
    manager = TaskManager(
        include_path=folder, include_defaults=False, metadata={"dataset": str(built)}
    )
    return lambda name: manager.load([name])["tasks"][name]


def test_there_is_a_task_for_every_split_condition_and_mode(
    family: Family, built: Path, load_task: Callable[[str], Any]
) -> None:
    tasks = next(tasks for tasks in list_task_families() if tasks.name == family.name)
    splits = find_splits(built, family)
    assert set(splits) <= set(tasks.splits)
    for split in splits:
        assert find_family(split) is tasks
    for split in splits[:1]:
        for condition in tasks.conditions:
            if condition == "rag":
                continue  # Needs an extra.
            for mode in tasks.modes:
                name = tasks.name_task(split, condition, mode)
                assert len(load_task(name).eval_docs) > 0, name


def test_info_and_show_print_the_family(family: Family, built: Path) -> None:
    info = call("info", built)
    assert info.returncode == 0, info.stderr
    assert info.stdout.strip()
    for split in find_splits(built, family):
        first = call("show", built, "--split", split)
        assert first.returncode == 0, first.stderr
        assert first.stdout.strip()
        second = call("show", built, "--split", split, "--question", 1, "--full")
        assert second.returncode == 0, second.stderr
        assert second.stdout != first.stdout
        none = call("show", built, "--split", split, "--question", 10**6)
        assert none.returncode == 2
        assert "1000000" in none.stderr
        assert "Accepted" in none.stderr


def test_settings_are_options_of_build(family: Family) -> None:
    taken: list[dict[str, Any]] = []

    def build(sections: dict[str, Any], out: Path | None = None, seed: int = 0) -> None:
        taken.append(sections)

    app = typer.Typer()
    app.command()(add_family_options(build))
    values = family.settings().model_dump() | read_tiny_section(family.name)
    words = []
    for name, field in family.settings.model_fields.items():
        extra = field.json_schema_extra
        named = extra.get("option") if isinstance(extra, dict) else None
        given = values[name] if isinstance(values[name], list | tuple) else [values[name]]
        # None stands for a default that depends on other settings, and is not given.
        for value in (value for value in given if value is not None):
            words += [str(named or "--" + name.replace("_", "-")), str(value)]
        assert field.description, f"{name} has no help"
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    config = make_config(families=merge_sections([family.name], taken[0]))
    assert config == make_tiny_config(family.name)


def test_unknown_settings_are_refused(family: Family, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError) as caught:
        make_config(families={family.name: {"no_such_setting": 1}})
    accepted = ", ".join(family.settings.model_fields)
    assert f"{family.name}.no_such_setting" in str(caught.value)
    assert f"Accepted keys: {accepted}" in str(caught.value)
    path = tmp_path / "build.yaml"
    path.write_text(yaml.safe_dump({"families": {family.name: {"no_such_setting": 1}}}), "utf-8")
    done = call("build", "--config", path, "--out", tmp_path / "data")
    assert done.returncode == 2
    assert "no_such_setting" in done.stderr
    assert not (tmp_path / "data").exists()


def test_the_command_builds_the_family_alone(family: Family, built: Path, tmp_path: Path) -> None:
    path = tmp_path / "build.yaml"
    section = {family.name: read_tiny_section(family.name)}
    path.write_text(yaml.safe_dump({"families": section}), "utf-8")
    done = call("build", "--config", path, "--workers", 1, "--out", tmp_path / "data")
    assert done.returncode == 0, done.stderr
    assert f"{family.name} {find_splits(built, family)[0]}: " in done.stdout
    assert hash_files(tmp_path / "data") == hash_files(built)


def test_the_name_is_that_of_the_registry(family: Family) -> None:
    (name,) = [name for name in FAMILIES if get_family(name) is family]
    assert family.name == name
    assert family.name.islower()
    assert family.title


def test_processes_load_the_texts_of_their_families_alone() -> None:
    first, second, *_ = FAMILIES
    texts = FAMILIES[first].texts
    assert texts
    assert texts in list_imports(None)
    assert texts in list_imports([second, first])
    assert texts not in list_imports([second])
