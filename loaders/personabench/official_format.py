"""The files of the official PersonaBench release, as models that say what they must hold.

Field names in capitals and the time format are the release's. Unknown fields are refused: they
would be part of the text that the official retriever indexes.
"""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
)

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.json_files import read_json_file
from personamem.loaders.formats.records import show_value
from personamem.loaders.personabench.records import Answer, AnswerItem
from personamem.loaders.personabench.schema import Difficulty, QuestionType

TIME_FORMAT = "%Y/%b/%d/%I:%M %p"
_TIME_EXAMPLE = "2024/Oct/14/07:44 AM"

Form = TypeVar("Form")


def parse_time(timestamp: str) -> datetime:
    """Return the time of a release timestamp.

    Raises:
        ValueError: the text is not of the form ``2024/Oct/14/07:44 AM``.
    """
    return datetime.strptime(timestamp, TIME_FORMAT)


def _check_time(timestamp: str) -> str:
    try:
        parse_time(timestamp)
    except ValueError:
        raise ValueError(f"a time of the form {_TIME_EXAMPLE!r} is expected") from None
    return timestamp


def read_answer(value: object) -> Answer:
    """Return parsed JSON as an answer.

    Raises:
        ValueError: it is none, or empty.
    """
    if isinstance(value, list) and value:
        return tuple(read_item(item) for item in value)
    return read_item(value)


def read_item(value: object) -> AnswerItem:
    """Return parsed JSON as one item of an answer; raises ValueError as ``read_answer``."""
    if isinstance(value, dict) and value:
        if all(_is_scalar(part) for part in value.values()):
            return value
    elif _is_scalar(value):
        return cast(AnswerItem, value)
    raise ValueError(
        "a text, a number, an object of named values, or a list of these is expected, not empty"
    )


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""


Text = Annotated[str, Field(min_length=1)]
Timestamp = Annotated[str, AfterValidator(_check_time)]
ItemForm = Annotated[Any, PlainValidator(read_item)]
AnswerForm = Annotated[Any, PlainValidator(read_answer)]


class _Entry(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class NodeProperties(_Entry):
    """Who a node of the social graph is."""

    name: Text
    persona: str


class Node(_Entry):
    """A person of ``social_graph.json``."""

    node: int
    properties: NodeProperties


class EdgeProperties(_Entry):
    """The role of the edge's source with respect to its target."""

    relationship: Text
    description: str


class Edge(_Entry):
    """A relation of ``social_graph.json``; both directions are listed."""

    source: int
    target: int
    properties: EdgeProperties


class SocialGraph(_Entry):
    """``graph_json/social_graph.json``."""

    nodes: list[Node]
    edges: list[Edge]


class QuestionEntry(_Entry):
    """One question of ``eval_info_all.json``."""

    q_id: Text
    question: Text
    answer: AnswerForm
    type: QuestionType
    difficulty: Difficulty
    outdated_value: list[ItemForm] | None


class QuestionList(_Entry):
    """The questions of one person."""

    qa: list[QuestionEntry]


class PersonQuestions(_Entry):
    """A person of ``eval_info/eval_info_all.json``."""

    name: Text = Field(alias="Name")
    eval_info: QuestionList = Field(alias="Eval_Info")


class GoldEntry(_Entry):
    """One question of ``qa_gt_context_all_noise_<noise>.json``.

    ``segment_id`` has a key for each value to find: an item of the answer, ``str`` of a number, the
    ``repr`` of a tuple of pairs for a named value, the person's name for a question on a relation,
    the traits of the person for a Subjective question. Keys are in no order of the answer's.
    """

    q_id: Text
    question: Text
    answer: AnswerForm
    segment_id: Annotated[
        dict[str, Annotated[list[Text], Field(min_length=1)]], Field(min_length=1)
    ]


class TurnEntry(_Entry):
    """One utterance."""

    role: Text
    content: str


class PurchaseEntry(_Entry):
    """One item bought."""

    title: str
    description: str
    brand: str
    categories: list[str]


class _SessionEntry(_Entry):
    session: str
    time: Timestamp
    segment_id: Text


class ConversationEntry(_SessionEntry):
    """A conversation with ``target_name``; ``session`` labels restart with each of them."""

    target_name: Text
    conversation: list[TurnEntry]


class InteractionEntry(_SessionEntry):
    """A chat with an assistant."""

    user_ai_interaction: list[TurnEntry]


class PurchaseHistoryEntry(_SessionEntry):
    """Some items bought at one time."""

    purchase_history: list[PurchaseEntry]


class ConversationsWith(_Entry):
    """All conversations with one other person."""

    target_name: Text = Field(alias="Target_name")
    conversations: list[ConversationEntry] = Field(alias="Conversations")


class PersonConversations(_Entry):
    """A person of ``conversation_data_all.json``."""

    name: Text = Field(alias="Name")
    data: list[ConversationsWith] = Field(alias="Data")


class PersonInteractions(_Entry):
    """A person of ``user_ai_interaction_data_all.json``."""

    name: Text = Field(alias="Name")
    data: list[InteractionEntry] = Field(alias="Data")


class PersonPurchases(_Entry):
    """A person of ``purchase_history_data_all.json``."""

    name: Text = Field(alias="Name")
    data: list[PurchaseHistoryEntry] = Field(alias="Data")


def read_form(path: Path, form: type[Form]) -> Form:
    """Read a JSON file that holds one ``form``.

    Raises:
        DatasetError: the file is missing, not JSON, or not of that form; the place in the file, the
            value there and what is expected are named.
    """
    content = read_json_file(path)
    try:
        return TypeAdapter(form).validate_python(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = "".join(_show_step(step) for step in first["loc"]) or "the file"
        found = "" if first["type"] == "missing" else f", found {show_value(first['input'])}"
        raise DatasetError(f"{path}, at {place}: {first['msg']}{found}.") from error


def _show_step(step: int | str) -> str:
    return f"[{step}]" if isinstance(step, int) else f".{step}"
