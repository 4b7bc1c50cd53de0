"""Locks between processes. A lock file is never deleted: only its lock comes and goes.

To delete a locked file would split waiters over two files of one name, and let two of them in.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from personamem.loaders.formats.errors import InvalidInputError


@contextmanager
def hold_lock(path: Path, busy: str) -> Iterator[None]:
    """Hold the lock on the file ``path``, which is made if it is missing and stays.

    The system drops the lock when the process ends, however it ends.

    Raises:
        InvalidInputError: another holds it (the message is ``busy``), or no file can be made there.
    """
    lock = FileLock(path, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise InvalidInputError(busy) from None
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be made or locked: {error}.") from error
    try:
        yield
    finally:
        lock.release()
