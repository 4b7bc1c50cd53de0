"""Errors of the Hub become ours, with their cause; faults of this program stay what they are."""

import traceback
from collections.abc import Callable
from types import ModuleType

import httpx2
import pytest
from huggingface_hub.errors import (
    HfHubHTTPError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
)

from personamem.dataset_builder.publish.hub_errors import (
    PublishError,
    UnreachableError,
    redact,
    translate_errors,
)
from personamem.loaders.formats.errors import InvalidInputError


def run(fail: Callable[[], object]) -> None:
    with translate_errors("own/bench", "Uploading"):
        fail()


def throw(error: BaseException, cause: BaseException | None = None) -> Callable[[], object]:
    def fail() -> None:
        raise error from cause

    return fail


def answer(status: int) -> HfHubHTTPError:
    request = httpx2.Request("GET", "https://hub.example")
    return HfHubHTTPError("no", response=httpx2.Response(status, request=request))


@pytest.mark.parametrize(
    "fail",
    [
        lambda: [].index(3),
        throw(RuntimeError("a bug")),
        throw(RuntimeError("a bug"), KeyError("x")),
        throw(FileNotFoundError(2, "no such file", "data/x")),
        throw(ValueError("a bug")),
        throw(TypeError("a bug")),
    ],
)
def test_own_faults_keep_their_type_and_their_trace(fail: Callable[[], object]) -> None:
    with pytest.raises((RuntimeError, ValueError, OSError, TypeError)) as caught:
        run(fail)
    assert not isinstance(caught.value, PublishError)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-1] in ("fail", "<lambda>")


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (answer(401), InvalidInputError, "refuses the token"),
        (answer(403), InvalidInputError, "no right to own/bench"),
        (answer(412), PublishError, "has changed in the meantime"),
        (answer(500), PublishError, "the Hub answered 500"),
        (httpx2.ConnectError("refused"), UnreachableError, r"no answer from .* \(refused\)"),
        (ConnectionResetError("reset"), UnreachableError, "no answer from"),
        (TimeoutError("late"), UnreachableError, "no answer from"),
        (OfflineModeIsEnabled("offline"), UnreachableError, "HF_HUB_OFFLINE is set"),
    ],
)
def test_errors_of_the_client_are_translated_and_chained(
    error: Exception, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=f"^Uploading: .*{words}") as caught:
        run(throw(error))
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("wrapper", [RuntimeError, LocalEntryNotFoundError])
def test_what_the_client_wraps_is_unwrapped(wrapper: type[Exception]) -> None:
    error = wrapper("Error while uploading 'x' to the Hub.")
    with pytest.raises(InvalidInputError, match="no right to own/bench") as caught:
        run(throw(error, answer(403)))
    assert caught.value.__cause__ is error


def test_an_error_from_within_the_client_is_the_hubs() -> None:
    """As hf_xet raises them: no frame of its own, and no cause."""
    client = ModuleType("huggingface_hub._made_up")
    exec("def send():\n    raise RuntimeError('data processing error')", client.__dict__)
    with pytest.raises(PublishError, match="Uploading failed: data processing error"):
        run(client.send)


def test_no_token_is_in_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret-of-no-known-form")
    text = "Bearer abc and hf_0123456789abc, secret-of-no-known-form"
    assert redact(text) == "Bearer hf_*** and hf_***, hf_***"
