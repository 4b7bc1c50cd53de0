"""Asking the models of a dialogue: roles, settings of the protocol, and replies that are kept."""

from dataclasses import dataclass

from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    model_roles,
)
from tenacity import RetryError

from personamem.loaders.formats.errors import InvalidInputError, PersonamemError
from personamem.loaders.formats.model_text import strip_reasoning
from personamem.loaders.formats.schema import Message

USER_ROLE, JUDGE_ROLE = "user", "judge"


@dataclass(frozen=True, slots=True)
class Reply:
    """The text of a reply without reasoning; ``is_cut`` if the prompt did not fit the window."""

    text: str
    is_cut: bool


def find_models(role: str) -> list[Model]:
    """Return the models of a role, in their order.

    Raises:
        InvalidInputError: the role has no model. The model under test never fills in for it.
    """
    found = model_roles().get(role)
    if found is None:
        raise InvalidInputError(
            f"No model has the role {role!r}. Accepted: --model-role {role}=PROVIDER/NAME."
        )
    return found if isinstance(found, list) else [found]


def make_policy(run: str, **scopes: str) -> CachePolicy | None:
    """Return how replies of a run are kept: for ever, apart from all others; None without a name.

    ``scopes`` tell apart calls that could have the same prompt.
    """
    return CachePolicy(expiry=None, scopes={"run": run, **scopes}) if run else None


async def ask(
    model: Model, messages: list[Message], defaults: GenerateConfig, policy: CachePolicy | None
) -> Reply:
    """Return a model's reply; what its role sets itself goes before ``defaults``.

    Raises PersonamemError where the server gives none, after all attempts that inspect-ai makes.
    """
    own = {
        name: value
        for name, value in defaults.model_dump(exclude_none=True).items()
        if getattr(model.config, name) is None
    }
    config = GenerateConfig(**own, cache=policy)
    try:
        output = await model.generate([_convert(message) for message in messages], config=config)
    except RetryError as error:
        last = error.last_attempt.exception()
        raise PersonamemError(
            f"{model} gave no reply in {error.last_attempt.attempt_number} attempts "
            f"({type(last).__name__}: {last})"
        ) from last
    if output.stop_reason == "model_length":
        return Reply("", True)
    return Reply(strip_reasoning(output.completion) or "", False)


def _convert(message: Message) -> ChatMessage:
    make = ChatMessageSystem if message["role"] == "system" else ChatMessageUser
    return make(content=message["content"])
