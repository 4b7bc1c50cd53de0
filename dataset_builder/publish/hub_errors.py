"""What can go wrong at the Hub, as one line that a user can act on, never with a token in it.

Only errors of the Hub's client and of its HTTP client are translated. Anything else is a fault of
this program and keeps its type and its trace.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

import httpx2
from huggingface_hub import constants, get_token
from huggingface_hub.errors import (
    HfHubHTTPError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
)

from personamem.loaders.formats.errors import InvalidInputError, PersonamemError

HINT = "Set HF_TOKEN, or run `hf auth login`, with a token that may write to the repository"
AGAIN = "Nothing was tagged. Run the same command again: what is there already is not sent twice."

_TOKENS = re.compile(r"hf_[A-Za-z0-9_-]{8,}|(?<=Bearer )\S+")
_CLIENT = "huggingface_hub"
_CONNECTION = (httpx2.HTTPError, ConnectionError, TimeoutError)
"""The last two are what hf_xet raises of its connections."""


class PublishError(PersonamemError):
    """A release that could not be completed."""


class UnreachableError(PublishError):
    """No answer from the Hub, or none asked for (HF_HUB_OFFLINE)."""


@contextmanager
def translate_errors(repo_id: str, action: str) -> Iterator[None]:
    """Turn errors of the Hub's client into ours; ``action`` says what was being done.

    Raises:
        InvalidInputError: the token is missing, wrong or lacks the right.
        UnreachableError: no connection.
        PublishError: anything else that the Hub refuses or fails at.
    """
    try:
        yield
    except (LocalEntryNotFoundError, *_CONNECTION) as error:
        raise _translate(error, repo_id, action) from error
    except RuntimeError as error:
        # The client's threads wrap an error in one of these; hf_xet has no other for its own.
        if not (_is_wrapped(error) or _is_raised_by_client(error.__traceback__)):
            raise
        raise _translate(error, repo_id, action) from error


def redact(text: str) -> str:
    """Return ``text`` with every token taken out: the one in use, and all that look like one."""
    token = get_token()
    return _TOKENS.sub("hf_***", text.replace(token, "hf_***") if token else text)


def _is_wrapped(error: BaseException) -> bool:
    return isinstance(error.__cause__, (*_CONNECTION, LocalEntryNotFoundError))


def _is_raised_by_client(trace: TracebackType | None) -> bool:
    """Say whether the innermost frame of a trace is in the Hub's client."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    name = str(trace.tb_frame.f_globals.get("__name__")) if trace is not None else ""
    return name.partition(".")[0] == _CLIENT


def _translate(error: BaseException, repo_id: str, action: str) -> PersonamemError:
    while isinstance(error, RuntimeError | LocalEntryNotFoundError) and error.__cause__:
        error = error.__cause__
    if isinstance(error, OfflineModeIsEnabled):
        return UnreachableError(f"{action}: HF_HUB_OFFLINE is set, so the Hub is not asked.")
    if isinstance(error, HfHubHTTPError):
        return _translate_answer(error, repo_id, action)
    if isinstance(error, _CONNECTION):
        return UnreachableError(
            f"{action}: no answer from {constants.ENDPOINT} ({_flatten(error)}). {AGAIN}"
        )
    return PublishError(f"{action} failed: {_flatten(error)} {AGAIN}")


def _translate_answer(error: HfHubHTTPError, repo_id: str, action: str) -> PersonamemError:
    status = error.response.status_code
    said = _flatten(error.server_message or error.response.reason_phrase)
    if status == 401:
        return InvalidInputError(f"{action}: the Hub refuses the token ({said}). {HINT}.")
    if status == 403:
        return InvalidInputError(f"{action}: the token has no right to {repo_id} ({said}). {HINT}.")
    if status == 412:
        return PublishError(f"{action}: {repo_id} has changed in the meantime. {AGAIN}")
    if status == 507:
        return PublishError(f"{action}: the Hub has no room (507, {said}). {AGAIN}")
    return PublishError(f"{action}: the Hub answered {status} ({said}). {AGAIN}")


def _flatten(error: object) -> str:
    return redact(" ".join(str(error).split()))
