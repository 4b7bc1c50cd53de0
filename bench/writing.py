"""How the model writer gets over kills and faults, on chats of a script.

    python -m bench.writing                  twenty kills of `personamem build`, against none
    python -m bench.writing --faults         a server with faults, against one without

The server runs on this machine and writes chats of the form that is asked for; some answers are
refused, so that chats are written anew and fall back. Kills come at random moments, most of them
while text is written and the others while the folder is made, and take the workers along; the build
is started again until it has survived them all. Then its folder must hold the same bytes as that of
a build which nobody killed, and no answer that was stored at a kill may have been asked for again.
With --faults the script writes as well as it can, and no chat may be lost, written twice, or paid
for twice but for the faults (see bench.answers, which has the same ones). The last line is the
result:

    KILLS kills, CHATS chats: same bytes, 0 stored answers asked again
    CHATS chats with faults / without, outage aside: RATIOx
"""

import argparse
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from bench.answers import OUTAGE_SECONDS, TIMEOUT, count_faults, load_helper, load_server
from bench.measure import measure

FULL = {"sizes": ("4k", "8k"), "personas": 40}
SMALL = {"sizes": ("4k",), "personas": 4}
FAMILY = "personamem"
CONCURRENCY = 8
LATENCY = 0.1


def main() -> int:
    """Measure, and print the result; 1 if something was lost, changed or paid for twice."""
    parser = argparse.ArgumentParser(description="Kill builds that a model writes, or its server.")
    parser.add_argument("--faults", action="store_true", help="measure what faults cost")
    parser.add_argument("--kills", type=int, default=20, help="how often to kill (default: 20)")
    parser.add_argument("--small", action="store_true", help="14 chats instead of 436")
    parser.add_argument("--seed", type=int, default=0, help="of the moments (default: 0)")
    options = parser.parse_args()
    scale = SMALL if options.small else FULL
    if options.faults:
        return compare_faults(scale)
    with tempfile.TemporaryDirectory() as folder:
        return compare_kills(Path(folder), scale, options.kills, Random(options.seed))


def compare_kills(folder: Path, scale: dict[str, Any], kills: int, random: Random) -> int:
    """Kill builds until one has survived, and compare it with one that nobody killed."""
    with load_helper("writing_server").serve_writer(write_or_refuse) as server:
        started = time.monotonic()
        whole = start_build(folder / "whole", scale, server.url)
        finish(whole)
        seconds = time.monotonic() - started
        print(f"one build without a kill: {seconds:.1f} s, {len(server.prompts)} requests")
        asked_before = len(server.prompts)
        server.prompts.clear()
        asked_when_stored: dict[str, int] = {}
        # Three of four while text is written, the others while the folder is made.
        moments = sorted(random.sample(range(1, asked_before), kills * 3 // 4))
        for number in range(1, kills + 1):
            is_time = (
                partial(has_grown, server.prompts, moments[number - 1])
                if number <= len(moments)
                else partial(is_made, folder / ".killed.partial", time.time())
            )
            pause = LATENCY if number <= len(moments) else 0.1 * seconds
            build = start_build(folder / "killed", scale, server.url)
            try:
                wait_for(build, is_time)
                time.sleep(random.uniform(0, pause))
            finally:
                kill(build)
            counts = Counter(server.prompts)
            for prompt in read_prompts(folder / "killed.sqlite"):
                asked_when_stored.setdefault(prompt, counts[prompt])
            print(f"kill {number}: {len(asked_when_stored)} answers stored", flush=True)
        finish(start_build(folder / "killed", scale, server.url))
    counts = Counter(server.prompts)
    again = sum(counts[prompt] != asked for prompt, asked in asked_when_stored.items())
    vain = sum(counts.values()) - len(counts)
    same = hash_folder(folder / "whole") == hash_folder(folder / "killed")
    manifest = json.loads((folder / "killed" / "manifest.json").read_text("utf-8"))
    chats = manifest["writer"]["items"]["chats"]
    print(f"by the model {chats['written']}, fallbacks {chats['fallbacks']}")
    print(f"requests under way at a kill and asked again: {vain}")
    bytes_ = "same bytes" if same else "OTHER BYTES"
    print(f"{kills} kills, {chats['total']} chats: {bytes_}, {again} stored answers asked again")
    return int(not same or again > 0 or vain > kills * CONCURRENCY)


def start_build(out: Path, scale: dict[str, Any], url: str) -> "subprocess.Popen[bytes]":
    """Start a build with a store beside its folder, in a process group of its own."""
    words = [sys.executable, "-c", "from personamem.dataset_builder.cli import main; main()"]
    words += ["build", "--family", FAMILY, "--personas", str(scale["personas"]), "--overwrite"]
    for size in scale["sizes"]:
        words += ["--size", size]
    words += ["--writer", "openai", "--model", "scripted", "--base-url", url, "--workers", "2"]
    words += ["--concurrency", str(CONCURRENCY), "--store", f"{out}.sqlite", "--out", str(out)]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, start_new_session=True)


def finish(build: "subprocess.Popen[bytes]") -> None:
    """Wait for the end of a build that nobody kills."""
    if build.wait() != 0:
        raise RuntimeError(f"The build ended with {build.returncode}.")


def wait_for(build: "subprocess.Popen[bytes]", has_come: Callable[[], bool]) -> None:
    """Wait for a moment of a build."""
    while not has_come():
        if build.poll() is not None:
            raise RuntimeError("A build was over before it could be killed.")
        time.sleep(0.002)


def has_grown(prompts: Sequence[str], count: int) -> bool:
    """Return whether there are as many prompts."""
    return len(prompts) >= count


def is_made(folder: Path, since: float) -> bool:
    """Return whether a folder has been made, or made anew, since a moment."""
    try:
        return folder.stat().st_mtime > since
    except FileNotFoundError:
        return False


def kill(build: "subprocess.Popen[bytes]") -> None:
    """Kill a build with all its workers."""
    os.killpg(build.pid, signal.SIGKILL)
    if build.wait() != -signal.SIGKILL:
        raise RuntimeError("A build was over before it could be killed.")


def read_prompts(path: Path) -> list[str]:
    """Return the prompts of all answers that a store holds."""
    if not path.exists():
        return []
    with sqlite3.connect(path) as database:
        try:
            rows = database.execute("SELECT request FROM answers").fetchall()
        except sqlite3.OperationalError:
            return []  # Killed before its tables were made.
    return [json.loads(row[0])["messages"][-1]["content"] for row in rows]


def write_or_refuse(prompt: str) -> str:
    """Return a chat, or for some prompts something else; a function of the prompt."""
    time.sleep(LATENCY)
    if sha256(prompt.encode()).digest()[0] < 40:
        return "I would rather not."
    text: str = load_helper("writing_server").write_json(prompt)
    return text


def hash_folder(folder: Path) -> dict[str, str]:
    """Return the hash of every file."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in files}


def compare_faults(scale: dict[str, Any]) -> int:
    """Print the ratio of seconds; raise RuntimeError if something was lost or paid for twice."""
    answers = foresee(scale)
    sound = {"latency": 1.0, "patience": TIMEOUT, "answers": answers}
    faulty = {
        **sound,
        "faults": load_server().ISSUE_FAULTS,
        "outage_after": len(answers) // 2,
        "outage_seconds": OUTAGE_SECONDS,
    }
    without, broken = (measure(write, scale, server).value for server in (sound, faulty))
    if without["chats"] != broken["chats"]:
        raise RuntimeError("Faults of the server have changed what was written.")
    seconds = broken["seconds"] - OUTAGE_SECONDS
    print(
        f"{len(answers)} requests: {without['seconds']:.1f} s without faults, {seconds:.1f} s with "
        f"{broken['faults']} faults and {OUTAGE_SECONDS:.0f} s of outage aside"
    )
    total = broken["chats"]["total"]
    ratio = seconds / without["seconds"]
    print(f"{total} chats with faults / without, outage aside: {ratio:.2f}x")
    return 0


def foresee(scale: dict[str, Any]) -> dict[str, str]:
    """Return by prompt what the server will answer, for all requests of all attempts."""
    from personamem.dataset_builder.llm.writing.prose import RejectedTextError
    from personamem.dataset_builder.llm.writing.rounds import MOST_ROUNDS
    from personamem.dataset_builder.packaging.generated_text import list_items

    answers: dict[str, str] = {}
    for piece in list_items(configure(scale)):
        faults: list[str] = []
        while len(faults) < MOST_ROUNDS:
            prompt = piece.request(faults).messages[-1]["content"]
            answers[prompt] = load_helper("writing_server").write_json(prompt)
            try:
                piece.read(answers[prompt])
                break
            except RejectedTextError as error:
                faults.append(error.reason)
    return answers


def write(scale: dict[str, Any], behaviour: dict[str, Any]) -> dict[str, Any]:
    """Write all chats; return the seconds, what the server did wrong, and what came of it."""
    from personamem.dataset_builder.llm import AnswerStore, Server, fill_from
    from personamem.dataset_builder.packaging.generated_text import generate_text

    helpers = load_server()
    with (
        tempfile.TemporaryDirectory() as folder,
        helpers.serve_faults(helpers.Behaviour(**behaviour)) as running,
        AnswerStore(Path(folder) / "answers.sqlite") as store,
    ):
        server = Server(running.url, "key", concurrency=16, timeout=TIMEOUT)
        started = time.monotonic()
        generated = generate_text(configure(scale), store, fill_from(server))
        seconds = time.monotonic() - started
        counts = running.counts
        stored = len(store)
    if set(counts) != set(behaviour["answers"]) or stored != len(counts):
        raise RuntimeError(f"{stored} answers are stored of {len(counts)} that were asked for.")
    faults = count_faults(counts)
    chats = generated.writer.items["chats"].model_dump()
    return {"seconds": seconds, "faults": faults, "chats": chats}


def configure(scale: dict[str, Sequence[str] | int]) -> Any:
    """Return the configuration of a scale."""
    from personamem.dataset_builder.families.configuration import make_config

    return make_config(writer="openai", model={"name": "stub"}, families={FAMILY: scale})


if __name__ == "__main__":
    sys.exit(main())
