"""A memory in a process of its own: what it may do wrong, and what is said of it."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from personamem.loaders.memory.contract import check_memory, make_session
from personamem.loaders.memory.controls import BrokenMemory, FullMemory, NoMemory, RandomMemory
from personamem.loaders.memory.process import ProcessMemory
from personamem.loaders.memory.protocol import Memory, MemoryFailure, call_optional, supports

pytestmark = pytest.mark.system

GOOD = """\
import json, sys
kept = {}
for line in sys.stdin:
    r = json.loads(line)
    if r["op"] == "add":
        text = r["messages"][0]["timestamp"] + " " + r["messages"][0]["content"]
        kept.setdefault(r["user"], []).append((r["session_id"], text))
        reply = {"ok": True}
    elif r["op"] == "search":
        left, found = r["max_tokens"], []
        for key, text in kept.get(r["user"], []):
            if len(text) <= 2 * left:
                left -= len(text) // 2
                found.append({"text": text, "score": 1, "sources": [key]})
        reply = {"results": found}
    elif r["op"] == "close":
        break
    else:
        reply = {"ok": True}
    print(json.dumps(reply), flush=True)
"""

OPENED = """\
def tell(reply):
    input()
    print(reply, flush=True)
    input()
input()
print('{"ok": true}', flush=True)
"""
"""How a program begins that answers the first request, ``open``."""


def opened(program: str) -> str:
    """Return a program that answers ``open``, unless it is about not answering."""
    return OPENED + program if "tell" in program or program == "input()" else program


Start = Callable[..., ProcessMemory]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    def run(program: str, seconds: float = 20.0) -> ProcessMemory:
        path = tmp_path / "memory.py"
        path.write_text(program)
        return ProcessMemory(f"{sys.executable} {path}", seconds)

    return run


def test_a_program_of_a_few_lines_keeps_the_contract(start: Start) -> None:
    assert [clause for clause in check_memory(lambda: start(GOOD)) if not clause.passed] == []


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys; sys.exit(3)", r"it ended with exit code 3"),
        ("import time; time.sleep(60)", r"no reply to open within 1 seconds"),
        ("tell('{\"results\": [')", r"a reply is not JSON"),
        ("input(); print('x', end='', flush=True)", r"more than|ended"),
        ("tell('[' * 100000)", r"a reply is not JSON"),
        ('tell(\'{"error": "no index"}\')', r"no index"),
        ("tell('{\"ok\": true}')", r"search has no results"),
        ("tell('{\"results\": [7]}')", r"not an object with a text"),
        ("tell('x' * 17_000_000)", r"more than 16,777,216 bytes"),
    ],
)
def test_a_program_that_fails_is_one_clear_failure(start: Start, program: str, said: str) -> None:
    def search() -> None:
        memory = start(opened(program), seconds=1.0 if "sleep" in program else 20.0)
        try:
            memory.search("user-1", "What?", "2024-05-01", 100)
        finally:
            memory.close()

    with pytest.raises(MemoryFailure, match=said):
        search()


def test_a_program_that_died_says_so_when_it_is_told_more(start: Start) -> None:
    memory = start(opened("input()"))
    session = make_session("user-ann", 0)
    for number in range(2):
        with pytest.raises(MemoryFailure, match="it ended with exit code 0"):
            memory.add("user-ann", f"s{number}", session)
    memory.close()


def test_the_contract_passes_what_is_sound_and_names_what_is_not() -> None:
    for make in (FullMemory, RandomMemory):
        assert [clause.name for clause in check_memory(make) if not clause.passed] == []
    broken = {clause.name for clause in check_memory(BrokenMemory) if not clause.passed}
    assert broken == {"users", "budget", "strangers", "reset"}
    assert {clause.name for clause in check_memory(NoMemory) if not clause.passed} == {
        "finding",
        "dates",
    }


def test_a_crash_is_a_fault_of_each_clause() -> None:
    class Crashing(NoMemory):
        def add(self, *arguments: object) -> None:
            raise ValueError("no disk")

    assert {clause.fault for clause in check_memory(Crashing)} >= {"ValueError: no disk"}


def test_what_a_program_says_that_it_can_do_is_there(start: Start, tmp_path: Path) -> None:
    memory = start(
        """\
import json, sys
for line in sys.stdin:
    r = json.loads(line)
    if r["op"] == "close":
        break
    reply = {"methods": ["list", "save", "exec"], "rewrites": True} if r["op"] == "open" else {}
    if r["op"] == "list":
        reply = {"results": [{"text": r["user"]}]}
    if r["op"] == "save":
        open(r["folder"] + "/kept", "w").close()
    print(json.dumps(reply), flush=True)
"""
    )
    assert supports(memory, "list", "save")
    assert not supports(memory, "reset")
    assert not supports(memory, "exec")
    assert memory.rewrites
    assert call_optional(memory, "list", "user-1") == [Memory("user-1")]
    call_optional(memory, "save", tmp_path)
    assert (tmp_path / "kept").exists()
    memory.close()
