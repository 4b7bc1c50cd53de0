"""The store of answers: what it keeps, who may write, and files that are not stores."""

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from personamem.dataset_builder.llm import (
    Answer,
    AnswerStore,
    Failure,
    FailureKind,
    Request,
    StoreError,
)

HOSTILE = (
    "a\x00b",
    "half \ud83d of a pair, \udc00\ud800",
    "</script><img src=x onerror=alert(1)>",
    "{{ cycler.__init__.__globals__.os.system('touch x') }}{% raw %}",
    "!!python/object/apply:os.system ['touch x']\n- &a [*a]",
    "../../../etc/passwd\r\n\u202e\u2028",
    "'; DROP TABLE answers; --",
    "x" * 1_000_000,
    "",
)


def make_request(text: str) -> Request:
    return Request("m", ({"role": "user", "content": text},))


def make_answer(text: str) -> Answer:
    return Answer(text, "stop", "m-1", 3, 4, None)


def test_hostile_texts_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with AnswerStore(path) as store:
        for number, text in enumerate(HOSTILE):
            stored = store.put(make_request(f"{number}"), make_answer(text))
            assert stored == make_answer(text)
    with AnswerStore(path) as store:
        for number, text in enumerate(HOSTILE):
            assert store.get(make_request(f"{number}").key) == make_answer(text)
        assert len(store) == len(HOSTILE)
        keys = [key for key, _ in store.items()]
        assert keys == sorted(make_request(f"{n}").key for n in range(len(HOSTILE)))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.sqlite", "a.sqlite.lock"]


def test_failures_are_kept_too_and_the_first_outcome_stays(tmp_path: Path) -> None:
    request, failure = make_request("a"), Failure(FailureKind.REFUSED, "no")
    with AnswerStore(tmp_path / "a.sqlite") as store:
        assert store.get(request.key) is None
        assert store.put(request, failure) == failure
        assert store.put(request, make_answer("late")) == failure
        assert store.get_or_lock(request.key) == failure


def test_the_request_is_kept_for_inspection(tmp_path: Path) -> None:
    path, request = tmp_path / "a.sqlite", make_request("why?")
    with AnswerStore(path) as store:
        store.put(request, make_answer("so"))
    with closing(sqlite3.connect(path)) as database:
        text = database.execute("SELECT request ->> '$.messages[0].content' FROM answers")
        assert text.fetchone() == ("why?",)


def test_one_store_writes_and_others_read(tmp_path: Path) -> None:
    path, request, other = tmp_path / "a.sqlite", make_request("a"), make_request("b")
    with AnswerStore(path) as writer, AnswerStore(path) as reader:
        assert writer.get_or_lock(request.key) is None
        writer.put(request, make_answer("b"))
        assert reader.get_or_lock(request.key) == make_answer("b")
        for use in (
            lambda: reader.get_or_lock(other.key),
            lambda: reader.put(other, make_answer("c")),
        ):
            with pytest.raises(StoreError, match="is in use by another run") as caught:
                use()
            assert str(path) in str(caught.value)
        writer.close()
        assert reader.get_or_lock(other.key) is None
        assert reader.put(other, make_answer("c")) == make_answer("c")


def test_a_store_has_one_lock_under_all_its_names(tmp_path: Path) -> None:
    path, link = tmp_path / "a.sqlite", tmp_path / "link.sqlite"
    link.symlink_to(path)
    with AnswerStore(path) as one, AnswerStore(link) as other:
        one.put(make_request("a"), make_answer("b"))
        with pytest.raises(StoreError, match="is in use by another run"):
            other.put(make_request("b"), make_answer("b"))


def test_the_lock_ends_with_a_process_that_is_killed(tmp_path: Path) -> None:
    path, request = tmp_path / "a.sqlite", make_request("a")
    code = (
        "import os, sys, pathlib\n"
        "from personamem.dataset_builder.llm import AnswerStore\n"
        "store = AnswerStore(pathlib.Path(sys.argv[1]))\n"
        "print(store.get_or_lock('a'), flush=True)\n"
        "sys.stdin.read()\n"
        "os.kill(os.getpid(), 9)\n"
    )
    command = [sys.executable, "-c", code, str(path)]
    with (
        subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as process,
        AnswerStore(path) as store,
    ):
        assert process.stdout is not None
        assert process.stdout.readline() == "None\n"
        with pytest.raises(StoreError, match="is in use by another run"):
            store.get_or_lock(request.key)
        process.communicate()
        assert store.get_or_lock(request.key) is None


def test_many_may_open_a_new_store_at_once(tmp_path: Path) -> None:
    count = 8
    together = Barrier(count)

    def write(path: Path) -> bool:
        together.wait()
        with AnswerStore(path) as store:
            try:
                store.put(make_request("a"), make_answer("a"))
            except StoreError as error:
                assert "is in use by another run" in str(error)  # noqa: PT017
                return False
            return True

    # Connections and locks exclude each other in threads as they do in processes.
    with ThreadPoolExecutor(count) as pool:
        for trial in range(5):
            path = tmp_path / f"{trial}.sqlite"
            assert any(pool.map(write, [path] * count))
            with AnswerStore(path) as store:
                assert len(store) == 1


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("These are my notes.\n" * 100)
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE things (a)")
    for path, message in ((text, "not a store of answers"), (other, "of another program")):
        before = path.read_bytes()
        with pytest.raises(StoreError, match=message) as caught:
            AnswerStore(path)
        assert str(path) in str(caught.value)
        assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["notes.txt", "other.sqlite"]


def test_a_store_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    AnswerStore(path).close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 9")
    with pytest.raises(StoreError, match="of version 9; this program reads 1"):
        AnswerStore(path)


def test_a_path_that_cannot_be_a_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing" / "a.sqlite"):
        with pytest.raises(StoreError, match="unable to open database file"):
            AnswerStore(path)


def test_damage_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with AnswerStore(path) as store:
        for number in range(200):
            store.put(make_request(f"{number}"), make_answer("word " * 200))
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    with AnswerStore(path) as store, pytest.raises(StoreError, match="damaged"):
        list(store.items())

    path.write_bytes(whole)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE answers SET outcome = '[1'")
    with (
        AnswerStore(path) as store,
        pytest.raises(StoreError, match=r"damaged: the answer to [0-9a-f]{64} cannot be read"),
    ):
        store.get(make_request("7").key)
