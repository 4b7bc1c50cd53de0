"""Readings prove the artefacts of a need, as long as these are as they were read."""

from pathlib import Path

import pytest

from personamem.dataset_builder.families.personamem.lives.need import Need, list_needs, load_need
from personamem.dataset_builder.families.personamem.lives.readings import (
    Readings,
    find_unproven,
    load_readings,
    locate_readings,
)
from personamem.loaders.formats.errors import InvalidInputError

READ = [path for path in list_needs() if locate_readings(path).is_file()]


@pytest.mark.parametrize("path", READ, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_reader_understood_every_artefact(path: Path) -> None:
    assert find_unproven(load_need(path), load_readings(path)) == []


def test_a_word_that_was_changed_is_noticed() -> None:
    need, readings = load_need(READ[0]), load_readings(READ[0])
    data = need.model_dump(by_alias=True)
    data["choices"][2]["endings"][1]["ask"] += " please"
    (problem,) = find_unproven(Need.model_validate(data), readings)
    assert problem.startswith(f"{need.choices[2].key}.endings.1: its text was changed")


def test_an_artefact_that_was_misread_or_not_read_is_noticed() -> None:
    need, readings = load_need(READ[0]), load_readings(READ[0])
    first, second = list(readings.artefacts)[:2]
    data = readings.model_dump()
    del data["artefacts"][first]
    data["artefacts"][second]["readings"][1]["choice"] = need.choices[5].key
    data["artefacts"][second]["readings"][2]["stance"] = "over"
    assert find_unproven(need, Readings.model_validate(data)) == [
        f"{first}: nobody has read it",
        f"{second}: read as {need.choices[5].key}",
        f"{second}: read as now, over, not now",
    ]


def test_a_broken_record_is_one_error_that_names_it(tmp_path: Path) -> None:
    path = locate_readings(tmp_path / "broken.yaml")
    path.write_text('{"readers": ')
    with pytest.raises(
        InvalidInputError, match=r"broken\.readings\.json is not valid JSON: .*char"
    ):
        load_readings(tmp_path / "broken.yaml")
