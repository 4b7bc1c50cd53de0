"""Whether a release was refused before anything was sent."""

from forking_cli import Finished
from hub import Hub


def assert_refused(hub: Hub, done: Finished, code: int, *words: str) -> None:
    assert done.code == code, done
    said = " ".join(done.errors.split())
    for word in words:
        assert word in said, said
    assert not hub.asked("^(PUT|POST .*/(commit|tag)/)")
