"""Whether every seed is sound: builds of fresh seeds pass their gate, and then the audit.

    python -m bench.seeds --size 4k --seeds 200     (or: --size 32k --seeds 40, --full --seeds 3)

Seeds are drawn anew in each run, unless --seed names them. Each dataset is built and audited in
full, in one process, and then deleted. A line a dataset names what failed; the last line is the
result:

    sound: N of M datasets (...)

The exit code is 1 if a dataset failed.
"""

import argparse
import secrets
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from personamem.dataset_builder.core.parallel import Workers


@dataclass(frozen=True, slots=True)
class Job:
    """A dataset to build and audit; without ``sizes``, every family at its defaults."""

    seed: int
    sizes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What failed, "gate: ..." or "part: check", and the CPU seconds of build and audit."""

    seed: int
    failures: tuple[str, ...]
    build_seconds: float
    audit_seconds: float


def main() -> int:
    """Build and audit the datasets and print what failed."""
    options = parse_arguments()
    seeds = options.seed or [secrets.randbelow(2**31) for _ in range(options.seeds)]
    sizes = () if options.full else tuple(options.size or ("4k",))
    failed = 0
    build_seconds, audit_seconds = [], []
    started = time.perf_counter()
    with Workers(options.workers, [__name__]) as pool:
        for outcome in pool.map_in_order(try_seed, [Job(seed, sizes) for seed in seeds]):
            failed += bool(outcome.failures)
            build_seconds.append(outcome.build_seconds)
            audit_seconds.append(outcome.audit_seconds)
            print(
                f"seed {outcome.seed}: build {outcome.build_seconds:.1f} s, audit "
                f"{outcome.audit_seconds:.1f} s, {'; '.join(outcome.failures) or 'ok'}",
                flush=True,
            )
    print(
        f"sound: {len(seeds) - failed} of {len(seeds)} datasets ({' '.join(sizes) or 'full'}; CPU "
        f"seconds of a build {mean(build_seconds):.1f}, of an audit {mean(audit_seconds):.1f}; "
        f"{time.perf_counter() - started:.0f} s in all)"
    )
    return int(failed > 0)


def parse_arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description="Build and audit fresh seeds.")
    parser.add_argument("--seeds", type=int, default=20, help="datasets (default: 20)")
    parser.add_argument("--seed", type=int, action="append", help="a seed, repeatable, not drawn")
    parser.add_argument("--size", action="append", help="context size, repeatable (default: 4k)")
    parser.add_argument("--full", action="store_true", help="every family at its defaults")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: 2)")
    return parser.parse_args()


def try_seed(job: Job) -> Outcome:
    """Build and audit one dataset."""
    from personamem.dataset_builder.audit.parts import AuditSource
    from personamem.dataset_builder.core.findings import GateError
    from personamem.dataset_builder.families.configuration import make_config
    from personamem.dataset_builder.packaging.build import build_dataset

    sections = {"personamem": {"sizes": job.sizes}} if job.sizes else None
    config = make_config(seed=job.seed, families=sections)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "dataset"
        started = time.process_time()
        try:
            build_dataset(config, folder, workers=1)
        except GateError as error:
            return Outcome(job.seed, (f"gate: {error}",), time.process_time() - started, 0.0)
        built = time.process_time()
        source = AuditSource(folder)
        failures = []
        for part in source.parts:
            audited = source.audit_part(part, source.parts)
            failures += [
                f"{part}: {finding.check} {finding.figure} {' | '.join(finding.rows[:2])}"
                for finding in audited.failures
            ]
        audited_at = time.process_time()
    return Outcome(job.seed, tuple(failures), built - started, audited_at - built)


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 without values."""
    return sum(values) / len(values) if values else 0.0


if __name__ == "__main__":
    sys.exit(main())
