"""The content beside attribute packs."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from personamem.dataset_builder.core.people import people_tables
from personamem.dataset_builder.families.personabench import shared_content as content
from personamem.dataset_builder.families.personabench.drafts import LAST_DAY
from personamem.dataset_builder.families.personabench.people import FIRST_DAY
from personamem.loaders.formats.errors import InvalidInputError


def test_every_country_has_a_nationality() -> None:
    regions = people_tables()["regions"].values()
    countries = {country for region in regions for country in region["towns"].values()}
    assert countries <= set(content.load_content().nationalities)


def test_every_event_falls_into_the_time_told_of() -> None:
    for event in content.load_content().events:
        assert FIRST_DAY <= event.date <= LAST_DAY


def test_a_relation_is_revealed_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data: Any = yaml.safe_load(content.FILE.read_text("utf-8"))
    data["relations"]["chat"][0]["messages"] = ["me: a day out, {name} and I", "ai: Where to?"]
    path = tmp_path / "communities.yaml"
    path.write_text(yaml.safe_dump(data), "utf-8")
    monkeypatch.setattr(content, "FILE", path)
    content.load_content.cache_clear()
    with pytest.raises(InvalidInputError, match=r"relations\.chat\.0: .*\{relation\}"):
        content.load_content()
    content.load_content.cache_clear()
