"""The speed-up from concurrent requests, and the slow-down from faults of the server.

    python -m bench.answers [--pairs 3]      64 at a time, against one at a time
    python -m bench.answers --faults         a server with faults, against one without

The server runs on this machine in its own process, and takes 200 ms for an answer (with --faults
1 s). A run has `complete_all` send requests that are not in its store; its rate is answers over the
seconds from the first request to the last answer. The last line is the result:

    concurrent / one at a time: RATIOx (MIN-MAX, N pairs)
    with faults / without, outage aside: RATIOx (MIN-MAX, N pairs)

The first is a ratio of rates: higher is better, and 64 is the most possible. The second is a ratio
of seconds: lower is better. Its faults are 10 % status 429 with Retry-After, 5 % status 500,
5 % of requests that are never answered, 5 % cut bodies, 2 % dropped connections, and one minute
without a server; 500 requests, 16 at a time, given up after 3 s.
"""

import argparse
import importlib
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.measure import describe, measure

HELPERS = Path(__file__).resolve().parent.parent / "tests" / "helpers"
CONCURRENT = 64
REQUESTS = 500
OUTAGE_SECONDS = 60.0
TIMEOUT = 3.0


def main() -> int:
    """Measure the pairs and print the result."""
    parser = argparse.ArgumentParser(description="Time requests to a server on this machine.")
    parser.add_argument("--pairs", type=int, help="measurements (default: 3; with --faults 1)")
    parser.add_argument("--faults", action="store_true", help="measure what faults cost")
    parser.add_argument(
        "--requests",
        type=int,
        default=20 * CONCURRENT,
        help=f"how many go out {CONCURRENT} at a time (default: 1280)",
    )
    options = parser.parse_args()
    ratios = []
    for pair in range(1, (options.pairs or (1 if options.faults else 3)) + 1):
        if options.faults:
            ratio, words = compare_faults(pair)
        else:
            ratio, words = compare_concurrency(options.requests)
        ratios.append(ratio)
        print(f"pair {pair}: {words}", flush=True)
    name = "with faults / without, outage aside" if options.faults else "concurrent / one at a time"
    print(describe(name, ratios))
    return 0


def compare_concurrency(requests: int) -> tuple[float, str]:
    """Return the ratio of rates, and a line with both."""
    rates = []
    for count, concurrency in ((max(2, requests // 32), 1), (requests, CONCURRENT)):
        run = measure(ask, {"latency": 0.2}, count, concurrency, 60.0).value
        rates.append(count / run["seconds"])
    words = f"one {rates[0]:.2f}/s, {CONCURRENT} at a time {rates[1]:.1f}/s"
    return rates[1] / rates[0], words


def compare_faults(pair: int) -> tuple[float, str]:
    """Return the ratio of seconds, and a line with both; check that nothing is lost or repeated."""
    sound = {"latency": 1.0, "patience": TIMEOUT}
    faulty = {
        **sound,
        "seed": pair,
        "faults": load_server().ISSUE_FAULTS,
        "outage_after": REQUESTS // 2,
        "outage_seconds": OUTAGE_SECONDS,
    }
    without = measure(ask, sound, REQUESTS, 16, TIMEOUT).value
    broken = measure(ask, faulty, REQUESTS, 16, TIMEOUT).value
    seconds = broken["seconds"] - OUTAGE_SECONDS
    words = (
        f"{without['seconds']:.1f} s without faults, {seconds:.1f} s with {broken['faults']} "
        f"faults and {OUTAGE_SECONDS:.0f} s of outage aside"
    )
    return seconds / without["seconds"], words


def ask(behaviour: dict[str, Any], count: int, concurrency: int, timeout: float) -> Any:
    """Return the seconds of a run, and the number of the server's faults."""
    from personamem.dataset_builder.llm import AnswerStore, Request, Server, complete_all

    helpers = load_server()
    requests = [
        Request("stub", ({"role": "user", "content": f"question {n}"},)) for n in range(count)
    ]
    with (
        helpers.serve_faults(helpers.Behaviour(**behaviour)) as running,
        tempfile.TemporaryDirectory() as folder,
        AnswerStore(Path(folder) / "answers.sqlite") as store,
    ):
        server = Server(running.url, "key", concurrency=concurrency, timeout=timeout)
        filled = complete_all(requests, store, server)
        counts = running.counts
    if filled.failures or filled.progress.answered != count:
        raise RuntimeError(f"Of {count} requests {filled.progress.answered} were answered.")
    faults = count_faults(counts)
    return {"seconds": filled.progress.seconds, "faults": faults}


def count_faults(counts: Mapping[str, Mapping[str, int]]) -> int:
    """Return the number of a server's faults; raise RuntimeError for a repeat without a fault.

    An answer that came after its request had timed out counts as a fault.
    """
    faults = 0
    for one in counts.values():
        own = one.get("faults", 0) + one.get("late", 0)
        if one["answered"] != 1 + one.get("late", 0) or one["asked"] != 1 + own:
            raise RuntimeError(f"An answer was asked for again without a fault: {dict(one)}.")
        faults += own
    return faults


def load_server() -> Any:
    """Return the module of the server."""
    return load_helper("fault_server")


def load_helper(name: str) -> Any:
    """Return a module of the tests' helpers, which no package contains."""
    if str(HELPERS) not in sys.path:
        sys.path.insert(0, str(HELPERS))
    return importlib.import_module(name)


if __name__ == "__main__":
    sys.exit(main())
