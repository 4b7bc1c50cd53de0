"""The JSON files of the official PersonaLens release, validated; one clear error for each fault."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from personamem.loaders.formats.errors import DatasetError, suggest_choice
from personamem.loaders.formats.files import read_bytes
from personamem.loaders.formats.json_files import MOST_BYTES, parse_json, read_json_file
from personamem.loaders.formats.records import show_value

FormKind = TypeVar("FormKind")


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", populate_by_name=True)


class DemographicsForm(_Form):
    """``demographics`` of ``profile.json``; ``user_id`` is the name of the user's folder."""

    user_id: str
    age: str
    gender: str
    employment_status: str
    education: str
    marital_status: str
    english_proficiency: str
    ethnicity: str
    religion: str
    birth_country: str
    reside_country: str


class ProfileForm(_Form):
    """``profile.json``; the keys of the other fields are domains."""

    affinities: dict[str, dict[str, str | list[str]]]
    demographics: DemographicsForm
    interests: dict[str, int]
    interactions: dict[str, str]


class SituationForm(_Form):
    """``situations`` of a task of a user."""

    location: str = Field(alias="Location")
    device: str = Field(alias="Device")
    time_of_day: str = Field(alias="Time of Day")
    day_of_week: str = Field(alias="Day of the Week")
    environment: str = Field(alias="Environment")


class UserTaskForm(_Form):
    """A task in ``tasks.json`` or ``tasks_md.json`` of a user."""

    description: str = Field(alias="Task Description")
    intent: str = Field(alias="User Intent")
    goal: str = Field(alias="Task Goal")
    types: list[str] = Field(alias="Relevant Affinity Types")
    domains: list[str] = Field(alias="Relevant Domains")
    task_id: str
    situations: SituationForm


class TaskForm(_Form):
    """A line of ``task.jsonl``; only tasks of several domains name these."""

    number: int = Field(alias="Task Number")
    description: str = Field(alias="Task Description")
    intent: str = Field(alias="User Intent")
    goal: str = Field(alias="Task Goal")
    types: list[str] = Field(alias="Relevant Affinity Types")
    domains: list[str] | None = Field(default=None, alias="Relevant Domains")


class AffinityForm(_Form):
    """A preference type in ``schema.json``."""

    name: str
    description: str
    is_categorical: bool
    has_multiple_values: bool
    possible_values: list[str]


class DomainForm(_Form):
    """A domain in ``schema.json``; the functions of its ``tasks`` are not used."""

    domain: str
    description: str
    tasks: list[Any] = []
    affinities: list[AffinityForm]


def read_form(path: Path, adapter: TypeAdapter[FormKind]) -> FormKind:
    """Read a JSON file. Raises DatasetError that names the file, the field and what is accepted."""
    return _validate(adapter, read_json_file(path), str(path))


def read_lines(path: Path, adapter: TypeAdapter[FormKind]) -> list[FormKind]:
    """Read a JSON Lines file. Raises DatasetError that names the file, the line and the field."""
    found = []
    for number, line in enumerate(read_bytes(path, MOST_BYTES).splitlines(), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            try:
                value = parse_json(line)
            except ValueError as error:
                raise DatasetError(f"{where} is not valid UTF-8 JSON: {error}.") from error
            found.append(_validate(adapter, value, where))
    return found


PROFILE = TypeAdapter(ProfileForm)
USER_TASKS = TypeAdapter(dict[str, UserTaskForm])
TASK = TypeAdapter(TaskForm)
SCHEMA = TypeAdapter(list[DomainForm])

_MODELS: Mapping[str, type[BaseModel]] = {
    "": ProfileForm,
    "demographics": DemographicsForm,
    "situations": SituationForm,
}


def _validate(adapter: TypeAdapter[FormKind], value: object, where: str) -> FormKind:
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        if first["type"] == "extra_forbidden":
            accepted = _list_siblings(adapter, first["loc"])
            near = suggest_choice(first["loc"][-1], accepted)
            raise DatasetError(
                f"{where}: unknown field {place!r}.{near} Accepted: {', '.join(accepted)}."
            ) from error
        raise DatasetError(
            f"{where}: {place}: {first['msg']} (found {show_value(first['input'])})."
        ) from error


def _list_siblings(adapter: TypeAdapter[Any], place: tuple[int | str, ...]) -> list[str]:
    parent = str(place[-2]) if len(place) > 1 else ""
    model: Any = _MODELS.get(parent)
    if model is None or adapter is not PROFILE:
        model = {id(USER_TASKS): UserTaskForm, id(TASK): TaskForm}.get(id(adapter), model)
        if parent == "situations":
            model = SituationForm
    if model is None:
        model = AffinityForm if "affinities" in place else DomainForm
    return [field.alias or name for name, field in model.model_fields.items()]
