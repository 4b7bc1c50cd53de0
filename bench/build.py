"""How long a build takes against the floor: the least work any builder of the same bytes must do.

    make bench       (or: python -m bench.build [--pairs 5] [--size 32k] [OPTION OF BUILD ...])

A pair is one run of `personamem build` and one run of the floor, start-up included; without
options at the default scale, as a user runs it. The build has its gate and uses all cores unless
--workers says otherwise. The floor is one process that takes the finished messages, tokenizes each
once, and writes every file of the dataset once. The last line is the result:

    build / floor: RATIOx (MIN-MAX, N pairs)

RATIO is the median over the pairs; lower is better, 1.0 is the limit.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.measure import describe, measure

SIZES = ("32k", "128k", "1M")


def main() -> int:
    """Measure the pairs and print the result."""
    options = parse_arguments()
    ratios = []
    with tempfile.TemporaryDirectory() as scratch:
        for pair in range(1, options.pairs + 1):
            dataset = Path(scratch) / f"build-{pair}"
            build_seconds = time_build(dataset, options)
            floor_seconds = time_floor(dataset, Path(scratch) / f"floor-{pair}")
            ratios.append(build_seconds / floor_seconds)
            print(f"pair {pair}: build {build_seconds:.2f} s, floor {floor_seconds:.2f} s")
            shutil.rmtree(dataset)
    print(describe("build / floor", ratios))
    return 0


def parse_arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        description="Time a build against the floor.",
        epilog="Further options are those of personamem build.",
    )
    parser.add_argument("--pairs", type=int, default=5, help="measurements (default: 5)")
    parser.add_argument("--size", action="append", choices=SIZES, help="repeatable (default: all)")
    options, others = parser.parse_known_args()
    options.others = others
    return options


def time_build(dataset: Path, options: argparse.Namespace) -> float:
    """Return the seconds that `personamem build` needs to write ``dataset``."""
    command = [str(Path(sys.executable).parent / "personamem"), "build", "--out", str(dataset)]
    for size in options.size or SIZES:
        command += ["--size", size]
    command += options.others
    started = time.perf_counter()
    finished = subprocess.run(command, stdout=subprocess.DEVNULL)
    if finished.returncode != 0:
        sys.exit(finished.returncode)  # It has said why.
    return time.perf_counter() - started


def time_floor(dataset: Path, copy: Path) -> float:
    """Return the seconds that the floor needs to write the files of ``dataset`` to ``copy``."""
    # Reading the dataset is no part of the floor: a builder has the texts in memory.
    floor = measure(run_floor, dataset, copy)
    return floor.seconds - float(floor.value)


def run_floor(dataset: Path, copy: Path) -> float:
    """Tokenize every message once, write every byte once; return the seconds of reading."""
    import bpe_openai
    import pyarrow.parquet as parquet

    started = time.perf_counter()
    texts = [
        message["content"]
        for path in sorted((dataset / "contexts").glob("*.parquet"))
        for context in parquet.read_table(path, columns=["messages"])["messages"].to_pylist()
        for message in context
    ]
    files = {
        path.relative_to(dataset): path.read_bytes()
        for path in dataset.rglob("*")
        if path.is_file()
    }
    reading = time.perf_counter() - started

    tokenizer = bpe_openai.get_encoding("o200k_base")
    for text in texts:
        tokenizer.encode_ordinary(text)
    for name, content in files.items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes(content)
    return reading


if __name__ == "__main__":
    sys.exit(main())
