"""The content: as much of it as is asked for, and nothing that names what does not exist."""

from pathlib import Path

import pytest

from personamem.dataset_builder.core.content_yaml import read_content
from personamem.dataset_builder.families.personalens.content_schema import (
    DomainContent,
    TaskContent,
    read_domains,
    read_prose,
    read_several,
    type_by_key,
)
from personamem.dataset_builder.families.personalens.situations import read_situations
from personamem.dataset_builder.families.personalens.tasks import list_tasks
from personamem.dataset_builder.families.personalens.traits import (
    find_dimension,
    list_dimensions,
    read_traits,
)
from personamem.dataset_builder.families.personalens.values import (
    group_values,
    list_types,
    parse_value,
    read_values,
)
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personalens.schema import DOMAINS


def test_there_are_as_many_domains_types_and_tasks_as_in_the_paper() -> None:
    assert tuple(domain.domain for domain in read_domains()) == DOMAINS
    assert len(list_types()) == len(type_by_key()) >= 90
    kinds = [task.kind for task, _ in list_tasks()]
    assert (kinds.count("SD"), kinds.count("MD")) == (86, 25)


def test_tasks_name_types_of_their_domains_and_every_domain_is_needed() -> None:
    for task, content in list_tasks():
        domains = [type_by_key()[key][0] for key in content.types]
        assert set(domains) == set(task.domains), task.task_id
        assert set(content.slots) <= set(content.types)
    for content in read_several():
        first, second = (type_by_key()[key][0] for key in content.slots)
        assert first != second


def test_no_text_of_a_task_occurs_twice() -> None:
    for field in ("about", "intent", "goal", "request", "reply"):
        texts = [getattr(content, field) for _, content in list_tasks()]
        assert len(set(texts)) == len(texts), field


def test_marks_of_values_name_traits_that_there_are() -> None:
    known = {tag for tags in list_dimensions().values() for tag in tags}
    known |= {*read_traits()["shares"]["taste"]}
    for key in type_by_key():
        values = read_values(key)
        assert len({value.text for value in values}) == len(values)
        for value in values:
            assert value.likes <= known, (key, value)
            for need in value.needs:
                assert find_dimension(need)


def test_conditions_of_lines_name_tags_and_values_that_there_are() -> None:
    known = {tag for tags in list_dimensions().values() for tag in tags}
    prose = read_prose()
    lines = [
        line for group in (prose.changes, prose.manners) for each in group.values() for line in each
    ]
    lines += prose.trends
    for domain in read_domains():
        lines += [*domain.opening, *domain.incidents]
        for content in domain.types:
            lines += content.says
            for line in content.says:
                values = {value.text for value in read_values(content.key)}
                assert values.issuperset([*line.of, *line.not_of]), line
    for line in lines:
        assert known.issuperset([*line.users, *line.never]), line
        for key, accepted in [*line.holds.items(), *line.lacks.items()]:
            assert {value.text for value in read_values(key)}.issuperset(accepted), line


def test_free_values_belong_to_values_of_their_type() -> None:
    for key, (_, content) in type_by_key().items():
        if content.pool and content.pool.of:
            parents = {value.text for value in read_values(content.pool.of)}
            assert group_values(key).keys() == parents
            assert {len(each) for each in group_values(key).values()} == {content.pool.per}


def test_every_manner_has_its_lines_and_every_place_its_devices() -> None:
    assert read_prose().manners.keys() == read_traits()["shares"]["manner"].keys()
    situations = read_situations()
    for table in ("words", "devices", "environments"):
        assert situations[table].keys() == situations["places"].keys()


def test_an_unknown_mark_is_named() -> None:
    with pytest.raises(InvalidInputError, match=r"unknown mark '\?x'.*Accepted"):
        parse_value("hostel | ?x")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "says:\n      - The main alarm is set for {values},",
            "says:\n      - It rings,",
            "values",
        ),
        (
            "form: single\n    values: [5:30",
            "form: single\n    kind: free\n    values: [5:30",
            "pool",
        ),
        ("for {alarm_time}, and it", "for noon, and it", "accepted: two types"),
        ("domain: Alarm", "domain: Alarms", "domain"),
        ("about: Setting", "colour: Setting", "about"),
    ],
)
def test_content_at_fault_is_named(tmp_path: Path, before: str, after: str, message: str) -> None:
    source = Path(read_content.__globals__["__file__"]).parents[1]
    text = (source / "families/personalens/content/domains/alarm.yaml").read_text("utf-8")
    assert before in text
    (tmp_path / "alarm.yaml").write_text(text.replace(before, after, 1), "utf-8")
    with pytest.raises(InvalidInputError, match=message):
        read_content(tmp_path / "alarm.yaml", "domain", DomainContent)


def test_a_reply_names_two_types() -> None:
    text = "They want something else."
    fields = {"about": text, "intent": text, "goal": text, "request": text}
    task = TaskContent(types=("b_b", "a_a"), reply="{b_b} and {a_a}", **fields)
    assert task.slots == ("a_a", "b_b")
