"""What can go wrong at the Hub, in one line a user can act on, and never with a token in it."""

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager

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


_WRAPPERS = (RuntimeError, LocalEntryNotFoundError)


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
    except PersonamemError:
        raise
    except (httpx2.HTTPError, OSError, RuntimeError, ValueError) as error:
        raise _translate(error, repo_id, action) from None


def redact(text: str) -> str:
    """Return ``text`` with every token taken out: the one in use, and all that look like one."""
    token = get_token()
    return _TOKENS.sub("hf_***", text.replace(token, "hf_***") if token else text)


def _translate(error: Exception, repo_id: str, action: str) -> PersonamemError:
    # The client's threads and its downloads wrap what went wrong.
    while isinstance(error, _WRAPPERS) and isinstance(error.__cause__, Exception):
        error = error.__cause__
    if isinstance(error, OfflineModeIsEnabled):
        return UnreachableError(f"{action}: HF_HUB_OFFLINE is set, so the Hub is not asked.")
    if isinstance(error, HfHubHTTPError):
        return _translate_answer(error, repo_id, action)
    if isinstance(error, httpx2.HTTPError):
        return UnreachableError(
            f"{action}: no answer from {constants.ENDPOINT} ({_flatten(error)}). {AGAIN}"
        )
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return PublishError(f"{action}: the disk is full ({_flatten(error)}). {AGAIN}")
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
